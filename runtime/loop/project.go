package loop

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"ripple/runtime/loop/layout"
)

// Status is status.json.
type Status struct {
	Timestamp  moment `json:"timestamp"`
	LoopCount  int    `json:"loop_count"`
	CallsMade  int    `json:"calls_made_this_hour"`
	MaxCalls   int    `json:"max_calls_per_hour"`
	LastAction string `json:"last_action"`
	Status     string `json:"status"` // running, paused, success, error, completed, halted, stopped
	ExitReason string `json:"exit_reason"`
	NextReset  moment `json:"next_reset"`
}

// project writes the seed's files from the state.
func (l *Loop) project(status, action, reason string) error {
	return errors.Join(
		l.store.refresh(layout.BreakerFile, l.state.Breaker),
		l.store.saveSession(l.state.Session, l.state.Moves),
		l.status(status, action, reason),
	)
}

// status writes status.json.
func (l *Loop) status(status, action, reason string) error {
	now := l.now()
	l.calls.roll(now)
	turn := l.state.Turn
	if status == "running" && l.begun {
		turn++ // the one under way
	}
	return l.store.writeJSON(layout.StatusFile, Status{
		Timestamp: moment{now}, LoopCount: turn, CallsMade: len(l.calls.Calls), MaxCalls: l.o.Config.CallsPerHour,
		LastAction: action, Status: status, ExitReason: reason, NextReset: moment{l.calls.nextReset(now)},
	})
}

// action is what status.json gives as the last action: a denial stays visible
// until a turn without one.
func (l *Loop) action(otherwise string) string {
	if l.state.Gate.Denied {
		return ReasonPermissionDenied
	}
	return otherwise
}

// readStatus reads status.json of a project, and who runs its loop now; the
// latter though the file cannot be read. found is false when no loop ever ran there.
func readStatus(project string) (s Status, by *Holder, found bool, err error) {
	st := &store{dir: filepath.Join(project, layout.Dir)}
	if h, held, err := st.locked(); err != nil {
		return s, nil, false, err
	} else if held {
		by = &h
	}
	data, err := layout.ReadFile(st.path(layout.StatusFile))
	if errors.Is(err, fs.ErrNotExist) {
		return s, by, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return s, by, false, &UnreadableError{st.path(layout.StatusFile), err}
	}
	return s, by, true, nil
}

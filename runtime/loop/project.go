package loop

import (
	"errors"

	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
)

// project writes the seed's files from the state.
func (l *Loop) project(status, action, reason string) error {
	return errors.Join(
		l.store.Refresh(layout.BreakerFile, l.state.Breaker),
		l.store.SaveSession(l.state.Session, l.state.Moves),
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
	return l.store.WriteJSON(layout.StatusFile, record.Status{
		Timestamp: record.Time{Time: now}, LoopCount: turn, CallsMade: len(l.calls.Calls), MaxCalls: l.o.Config.CallsPerHour,
		LastAction: action, Status: status, ExitReason: reason, NextReset: record.Time{Time: l.calls.nextReset(now)},
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

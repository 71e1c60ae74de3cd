package loop

import (
	"errors"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop/record"
)

// publish writes the files of the Ralph reference from the state.
func (r *run) publish(status, action, reason string) error {
	return errors.Join(
		r.store.Refresh(layout.BreakerFile, r.state.Breaker),
		r.store.SaveSession(r.state.Session, r.state.Moves),
		r.status(status, action, reason),
	)
}

// status writes status.json.
func (r *run) status(status, action, reason string) error {
	now := r.now()
	r.calls.roll(now)
	turn := r.state.Turn
	if status == "running" && r.inTurn {
		turn++ // the current turn
	}
	return r.store.WriteJSON(layout.StatusFile, record.Status{
		Timestamp: record.Time{Time: now}, LoopCount: turn, CallsMade: r.calls.count(), MaxCalls: r.config.CallsPerHour,
		LastAction: action, Status: status, ExitReason: reason, NextReset: record.Time{Time: r.calls.nextReset(now)},
	})
}

// action returns the last action for status.json: a denial stays visible until a turn without
// one.
func (r *run) action(otherwise string) string {
	if r.state.Gate.Denied {
		return ReasonPermissionDenied
	}
	return otherwise
}

package loop

import (
	"errors"
	"slices"

	"example.org/ripple/runtime/loop/record"
)

// Reasons for the status "halted" in status.json (the user must act) and for "error" (the loop could
// not work).
var (
	halting = []string{
		ReasonBlocked, ReasonPermissionDenied, ReasonAuth, ReasonQuestion, ReasonUnanswered, ReasonConflict, ReasonUnverified,
	}
	failing = []string{
		ReasonError, ReasonUsage, ReasonVersion, ReasonPromptMissing, ReasonAgentMissing, ReasonGitMissing, ReasonNoRepository, ReasonBranch, ReasonNoRun,
	}
)

// finish records the end of the loop. Errors of the store cannot be recorded.
func (l *Loop) finish(stop *Stop) error {
	status := "stopped"
	switch {
	case stop.Done():
		l.resetSession(stop.Reason)
		status = "completed"
	case stop.Reason == ReasonCircuitOpen:
		l.resetSession("circuit_breaker_open")
		status = "halted"
	case stop.Reason == ReasonInterrupted:
		l.resetSession("manual_interrupt")
	case slices.Contains(halting, stop.Reason):
		status = "halted"
	case slices.Contains(failing, stop.Reason):
		status = "error"
	}
	if t := l.stopped; t == nil || t.Reason != stop.Reason || t.Turn != l.state.Turn || l.begun() || l.log.CutOff() > 0 {
		v := record.Line{Turn: l.state.Turn, Time: l.now(), Type: record.Stopped, Reason: stop.Reason, Why: stop.Message}
		if l.o.ExitCode != nil {
			code := l.o.ExitCode(stop)
			v.ExitCode = &code
		}
		if l.o.Advice != nil {
			v.Next = l.o.Advice(stop)
		}
		v.Summary = l.done
		if !l.inTurn { // otherwise the state is that of the line before the turn
			v.State = l.stateNow()
		}
		if err := errors.Join(l.log.Add(v), l.log.Sync()); err != nil {
			return err
		}
	}
	return l.publish(status, l.action(lastAction(stop)), stop.Reason)
}

// lastAction returns the last action for status.json after the end; for a completed loop it is
// the word of the Ralph reference.
func lastAction(s *Stop) string {
	if s.Done() {
		return "graceful_exit"
	}
	return s.Reason
}

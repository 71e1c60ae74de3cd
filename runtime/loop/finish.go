package loop

import (
	"errors"
	"slices"

	"ripple/runtime/loop/record"
)

// Reasons with which status.json says halted, for a person has to do something, and
// those with which it says error, for the loop could not work.
var (
	halting = []string{
		ReasonBlocked, ReasonPermissionDenied, ReasonAuth, ReasonQuestion, ReasonUnanswered, ReasonConflict, ReasonUnverified,
	}
	failing = []string{
		ReasonError, ReasonUsage, ReasonVersion, ReasonPromptMissing, ReasonAgentMissing, ReasonGitMissing, ReasonNoRepository, ReasonBranch,
	}
)

// finish records how the loop ended. Errors of the store cannot be recorded.
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
	if t := l.stopped; t == nil || t.Reason != stop.Reason || t.Turn != l.state.Turn || l.begun {
		v := record.Line{Turn: l.state.Turn, Time: l.now(), Type: record.Stopped, Reason: stop.Reason, Why: stop.Why}
		if l.o.ExitCode != nil {
			code := l.o.ExitCode(stop)
			v.ExitCode = &code
		}
		if !l.begun { // the state is that of the line before a turn that was cut off
			v.State = &l.state
		}
		if err := errors.Join(l.log.Add(v), l.log.Sync()); err != nil {
			return err
		}
	}
	return l.publish(status, l.action(lastAction(stop)), stop.Reason)
}

// lastAction is the one of status.json after the end; of a loop that is done it is
// the reference's word.
func lastAction(s *Stop) string {
	if s.Done() {
		return "graceful_exit"
	}
	return s.Reason
}

package execcmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.org/ripple/runtime/session"
)

// stoppedError is a command that was given up because the program had been stopped.
type stoppedError struct{ process *session.Process }

func (e *stoppedError) Error() string {
	return fmt.Sprintf("the program is stopped (%v) and was not continued in time", e.process)
}

// stopWatch notices that the running command has stopped the program.
type stopWatch struct {
	session  *session.Session
	note     func(format string, args ...any)
	attended bool // somebody is there who might continue it
}

// watch says so, and gives the command up where nobody is there.
func (w stopWatch) watch(ctx context.Context, giveUp context.CancelCauseFunc) {
	for told := false; ; {
		st, err := w.session.WaitState(ctx, isStopped)
		if err != nil {
			return
		}
		if !w.lasts(ctx, hintAfter) {
			if ctx.Err() != nil {
				return
			}
			continue
		}
		if !told {
			told = true
			w.note("the program is stopped (%v)%s; to continue it: kill -CONT %d; to limit the wait: --timeout", st.Stopped, w.ownLimit(), st.Stopped.PID)
		}
		if !w.attended && w.lasts(ctx, hopelessAfter) {
			giveUp(&stoppedError{st.Stopped})
			return
		}
		if _, err = w.session.WaitState(ctx, isRunning); err != nil {
			return
		}
	}
}

// ownLimit returns the words about the time after which ripple interrupts the command; "" if a user is at the
// terminal.
func (w stopWatch) ownLimit() string {
	if w.attended {
		return ""
	}
	return " (ripple interrupts it after " + hopelessAfter.String() + ")"
}

// lasts reports whether the program is still stopped after d.
func (w stopWatch) lasts(ctx context.Context, d time.Duration) bool {
	while, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	_, err := w.session.WaitState(while, isRunning)
	return errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
}

func isStopped(s session.State) bool { return s.Stopped != nil }
func isRunning(s session.State) bool { return s.Stopped == nil }

package contract

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"example.org/ripple/runtime/session"
)

// killedProgram checks that a killed program is a typed error at the running command and at the
// next one; with lifecycle.restart_on: [crash] the session can restart it.
func killedProgram(ctx context.Context, t *testRun) error {
	restarts := slices.Contains(t.adapter.Lifecycle.RestartOn, "crash")
	if err := t.openOwn(ctx, session.Options{Restart: restarts}); err != nil {
		return err
	}
	err := kill(ctx, t)
	if err == nil && restarts {
		err = t.usable(ctx, "after the restart")
	} else if err == nil {
		err = staysEnded(ctx, t)
	}
	return errors.Join(err, t.closeQuietly(ctx, err))
}

// closeQuietly closes the session and keeps the step that a failure reports.
func (t *testRun) closeQuietly(ctx context.Context, failed error) error {
	step, sent, result := t.step, t.sent, t.result
	err := t.closeOwn(ctx)
	if failed != nil {
		t.step, t.sent, t.result = step, sent, result
		return nil
	}
	return err
}

// kill ends the program during work if there is a sample for work, otherwise at its prompt.
func kill(ctx context.Context, t *testRun) error {
	work := t.adapter.Samples.Busy
	if work == "" {
		work = withNumber(t.adapter.Samples.Sleep, 60)
	}
	pid := t.ev.State().PID
	if work == "" {
		t.begin("kill at the prompt", "")
		if err := killProcess(pid); err != nil {
			return unsound{err}
		}
		select {
		case <-t.ev.Done():
			return nil
		case <-ctx.Done():
			return failf("the program was killed, but the session did not notice")
		}
	}
	p := t.evalInBackground(ctx, "kill in mid-work", work)
	defer func() { p.cancel(); <-p.done }()
	if _, err := t.until(ctx, p, func(s session.State) bool { return s.Phase == session.PhaseRunning }); err != nil {
		return neverSeen(ctx, t, p, string(session.PhaseRunning))
	}
	if err := killProcess(pid); err != nil {
		return unsound{err}
	}
	<-p.done
	t.result = p.result
	return diedTyped(p.err)
}

func killProcess(pid int) error {
	process, err := os.FindProcess(pid)
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		return fmt.Errorf("killing process %d: %w", pid, err)
	}
	return nil
}

func diedTyped(err error) error {
	var exit *session.ExitError
	if !errors.Is(err, session.ErrExited) || !errors.As(err, &exit) {
		return failf("the program was killed: want a session.ExitError, got %v", err)
	}
	if exit.Signal == "" {
		return failf("the program was killed by a signal, but the error says %q", exit)
	}
	return nil
}

func staysEnded(ctx context.Context, t *testRun) error {
	_, err := t.eval(ctx, "after the end", "0")
	if !errors.Is(err, session.ErrExited) && !errors.Is(err, session.ErrClosed) {
		return failf("a command for a program that has ended: want %v, got %v", session.ErrExited, err)
	}
	t.note("restart was not tried: lifecycle.restart_on does not list crash")
	return nil
}

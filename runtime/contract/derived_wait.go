package contract

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.org/ripple/runtime/session"
)

// pending is an evaluation in the background.
type pending struct {
	cancel context.CancelFunc // ends the wait, as a caller's deadline does
	done   chan struct{}
	result session.Result
	err    error
}

func (t *testRun) evalInBackground(ctx context.Context, step, code string) *pending {
	t.begin(step, code)
	ctx, cancel := context.WithCancel(ctx)
	p := &pending{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.result, p.err = t.ev.Eval(ctx, code)
	}()
	return p
}

// until waits for a state of the session, or for the evaluation to end first.
func (t *testRun) until(ctx context.Context, p *pending, want func(session.State) bool) (session.State, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-p.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	return t.ev.WaitState(ctx, want)
}

// interrupted checks that a command that runs forever is left at a deadline with the output so far,
// that it still runs, and that an interrupt ends it: first after a while, in which a command that
// ends would have ended, then at its first output.
func interrupted(ctx context.Context, t *testRun) error {
	// At its first command a program may still load its compiler.
	if err := t.usable(ctx, "before the interrupt"); err != nil {
		return err
	}
	if err := interruptBusy(ctx, t, ""); err != nil {
		return err
	}
	if t.adapter.Samples.Print == "" || t.adapter.Samples.Multiline == "" {
		return nil
	}
	return interruptBusy(ctx, t, token("partial"))
}

// interruptBusy runs samples.busy, after printing partial if that is not empty.
func interruptBusy(ctx context.Context, t *testRun, partial string) error {
	code := t.adapter.Samples.Busy
	if partial != "" {
		code = withText(t.adapter.Samples.Print, partial) + "\n" + code
	}
	p := t.evalInBackground(ctx, "busy", code)
	err := leave(ctx, t, p, partial)
	p.cancel()
	<-p.done
	t.result = p.result
	if err != nil {
		return err
	}
	if err := timedOut(p, partial); err != nil {
		return err
	}
	switch _, err := t.ev.Eval(ctx, "0"); {
	case err == nil:
		return failf("a second command was accepted while the first one should still run: samples.busy ended, or was considered ended while it still ran")
	case !errors.Is(err, session.ErrBusy):
		return failf("a second command, sent while the first one runs: want %v, got %v", session.ErrBusy, err)
	}
	return interrupt(ctx, t)
}

// busyFor is how long a busy command is left running. A busy machine may need a part of it to show
// the end of a command that ends; then there is no need to wait for the rest.
const busyFor = 250 * time.Millisecond

// leave ends the wait at the command's first output, or without one after busyFor.
func leave(ctx context.Context, t *testRun, p *pending, partial string) error {
	if partial == "" {
		timer := time.AfterFunc(busyFor, p.cancel)
		defer timer.Stop()
		<-p.done
		return nil
	}
	_, err := t.until(ctx, p, func(s session.State) bool { return strings.Contains(s.Partial, partial) })
	if err != nil && ctx.Err() != nil {
		return failf("samples.busy printed a line before its work, but the line was not reported while it worked")
	}
	return nil
}

func timedOut(p *pending, partial string) error {
	switch {
	case p.err == nil:
		return failf("samples.busy ended, or was considered ended while it still ran (ended by %s)", p.result.CompletedBy)
	case !errors.Is(p.err, session.ErrTimeout):
		return failf("at the caller's deadline: want %v, got %v", session.ErrTimeout, p.err)
	case p.result.CompletedBy != session.ByTimeout:
		return failf("at the caller's deadline: want completed by %s, got %s", session.ByTimeout, p.result.CompletedBy)
	case !strings.Contains(p.result.Output, partial):
		return failf("at the caller's deadline the output so far is missing: it should contain %s", partial)
	}
	return nil
}

func interrupt(ctx context.Context, t *testRun) error {
	t.begin("interrupt", *t.adapter.Signals.Interrupt)
	r, err := t.ev.Interrupt(ctx)
	t.result = r
	if err != nil {
		return failf("the interrupt did not bring a prompt back: %w", err)
	}
	if r.CompletedBy != session.ByInterrupt {
		return failf("samples.busy ended before the interrupt, or was considered ended while it still ran (ended by %s)", r.CompletedBy)
	}
	if err := backToDefaultMode(ctx, t); err != nil {
		return err
	}
	return t.usable(ctx, "after the interrupt")
}

func readingLine(ctx context.Context, t *testRun) error {
	answer, err := reading(ctx, t, t.adapter.Samples.ReadLine, session.WaitingInput)
	if err == nil && !strings.Contains(t.result.Output, answer) {
		err = failf("%s was reported and a line was sent, but samples.read_line did not print it: %s is not in the output",
			session.WaitingInput, answer)
	}
	if err != nil {
		return err
	}
	return t.usable(ctx, "after the answer")
}

func readingSecret(ctx context.Context, t *testRun) error {
	if _, err := reading(ctx, t, t.adapter.Samples.ReadSecret, session.WaitingSecret); err != nil {
		return err
	}
	return t.usable(ctx, "after the answer")
}

// reading checks that the session reports what the program waits for; it then sends an answer.
func reading(ctx context.Context, t *testRun, code string, want session.Waiting) (answer string, err error) {
	p := t.evalInBackground(ctx, string(want), code)
	defer func() { p.cancel(); <-p.done }()
	state, err := t.until(ctx, p, func(s session.State) bool { return s.Waiting != session.WaitingNone })
	if err != nil {
		return "", neverSeen(ctx, t, p, string(want))
	}
	if state.Waiting != want {
		return "", failf("the program reads its terminal: want %s, got %s", want, state.Waiting)
	}
	answer = token("answer")
	t.step, t.sent = "the answer", answer
	if err := t.ev.Send(ctx, []byte(answer+t.lineEnding())); err != nil {
		return "", fmt.Errorf("sending the answer: %w", err)
	}
	<-p.done
	t.result = p.result
	if p.err != nil {
		return "", explain(p.err)
	}
	return answer, nil
}

// neverSeen returns the reason why an expected state did not occur.
func neverSeen(ctx context.Context, t *testRun, p *pending, want string) error {
	if ctx.Err() != nil {
		return failf("%s was never reported", want)
	}
	<-p.done // the wait for the state has ended because of it
	t.result = p.result
	if p.err != nil {
		return explain(p.err)
	}
	return failf("the command ended (by %s) before %s was reported", p.result.CompletedBy, want)
}

func (t *testRun) lineEnding() string {
	for _, ending := range []string{t.adapter.Input.LineEnding, t.adapter.Process.LineEnding} {
		if ending != "" {
			return ending
		}
	}
	return "\n"
}

package execcmd

import (
	"context"
	"errors"
	"io"
	"sync"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/session"
)

// stage is the progress of the work, for interrupts.
type stage struct {
	mu      sync.Mutex
	command context.Context // the running command's; nil: the next one is waited for
	cancel  context.CancelCauseFunc
	ended   bool // and it has ended: its result is being printed
	asked   bool // an interrupt came at this stage
	over    bool // no further command is run
}

// all runs one command after another until there are no more or none can run. One
// goroutine reads them, runs them and prints their results: a client that waits for
// each answer waits for nobody else. This one takes what comes in between.
func (x *execution) all(ctx context.Context, next source) error {
	done := make(chan error, 1)
	go func() { done <- x.work(ctx, next) }()
	ended, asked := x.session.Done(), ctx.Done()
	if x.restarts() {
		ended = nil
	}
	for {
		var end error
		select {
		case err := <-done:
			return err
		case <-x.interrupts:
			end = x.interrupted()
		case <-ended:
			ended, end = nil, x.leave(outcome{err: x.gone(ctx)}.explain(0))
		case <-asked:
			asked, end = nil, x.leave(ui.ExitWith(ui.ExitInterrupted))
		}
		if end != nil {
			return end
		}
	}
}

func (x *execution) work(ctx context.Context, next source) error {
	var end error // the error after the last command
	for {
		if err := x.await(ctx); err != nil {
			return err
		}
		text, err := next()
		if err := x.takeEarlier(); err != nil {
			return err
		}
		switch {
		case errors.Is(err, io.EOF):
			return end
		case err != nil:
			return ui.FailWith(ui.ExitFailed, err, "")
		}
		if why := x.gone(ctx); why != nil && x.restarts() {
			x.Note("%v; it is restarted, and its state is lost (lifecycle.restart_on)", why)
		}
		o, ran := x.one(ctx, text)
		if !ran {
			return ui.ExitWith(ui.ExitInterrupted)
		}
		if o.result.CompletedBy == session.ByExit { // Done comes right after the result
			select {
			case <-x.session.Done():
			case <-ctx.Done():
			}
		}
		end = ui.ExitWith(o.code())
		if err := x.report(ctx, o); err != nil {
			if !x.goesOn(ctx, o) {
				return err
			}
			end = err
		}
	}
}

// await makes waiting for the next command the stage. It is no longer waited for
// than there is a session.
func (x *execution) await(ctx context.Context) error {
	x.now.mu.Lock()
	x.now.asked = x.now.asked && x.now.ended // one that came after the command's end counts
	x.now.command, x.now.ended = nil, false
	over := x.now.over
	x.now.mu.Unlock()
	if why := x.gone(ctx); why != nil && !x.restarts() {
		return outcome{err: why}.explain(0)
	}
	if over || ctx.Err() != nil {
		return ui.ExitWith(ui.ExitInterrupted)
	}
	return nil
}

// takeEarlier takes the interrupts that came before a command.
func (x *execution) takeEarlier() error {
	for {
		select {
		case <-x.interrupts:
			if err := x.interrupted(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// one runs a command unless no more is run.
func (x *execution) one(ctx context.Context, text string) (o outcome, ran bool) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if !x.begin(ctx, cancel) {
		return outcome{}, false
	}
	o = x.eval(ctx, cancel, text)
	x.now.mu.Lock()
	defer x.now.mu.Unlock()
	x.now.ended, x.now.asked = true, false
	return o, true
}

// begin makes a command the stage.
func (x *execution) begin(command context.Context, cancel context.CancelCauseFunc) bool {
	x.now.mu.Lock()
	defer x.now.mu.Unlock()
	x.now.command, x.now.cancel, x.now.ended, x.now.asked = command, cancel, false, false
	return !x.now.over
}

// leave ends the work with why if it waits for the next command. A command that runs,
// and its result, come to their own end.
func (x *execution) leave(why error) error {
	x.now.mu.Lock()
	defer x.now.mu.Unlock()
	if x.now.command != nil {
		return nil
	}
	x.now.over = true
	return why
}

// interrupted takes one interrupt. The first interrupts the command, a second one
// gives up waiting for it. One that finds no command may have been meant for one that
// had just ended: a second one ends the session.
func (x *execution) interrupted() error {
	x.now.mu.Lock()
	command, cancel, again := x.now.command, x.now.cancel, x.now.asked
	runs := command != nil && !x.now.ended
	x.now.asked, x.now.over = true, x.now.over || !runs && again
	x.now.mu.Unlock()
	switch {
	case !runs && again:
		return x.leave(ui.ExitWith(ui.ExitInterrupted))
	case !runs:
		x.Note("no command is running; to end the session: Ctrl-C again")
	case again:
		cancel(errInterrupted)
	default:
		go x.interrupt(command)
	}
	return nil
}

package execcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/session"
)

// gone is why the program is no longer there; nil: it is.
func (x *execution) gone(ctx context.Context) error {
	select {
	case <-x.session.Done():
		_, err := x.session.WaitState(ctx, func(session.State) bool { return false })
		return err
	default:
		return nil
	}
}

// attendAfter is how long a command runs before somebody looks whether it waits for
// input: most have ended by then.
const attendAfter = 50 * time.Millisecond

// eval runs one command; ctx, which cancel ends, is its own.
func (x *execution) eval(ctx context.Context, cancel context.CancelCauseFunc, text string) outcome {
	limited := ctx
	if x.flags.timeout > 0 {
		var stop context.CancelFunc
		limited, stop = context.WithTimeout(ctx, x.flags.timeout)
		defer stop()
	}
	var noInput atomic.Bool
	watch := time.AfterFunc(attendAfter, func() {
		if x.attend(limited) {
			noInput.Store(true)
			x.withdraw(limited, cancel)
		}
	})
	defer watch.Stop()
	stops := stopWatch{x.session, x.Note, x.keyboard != nil}
	watchStop := time.AfterFunc(attendAfter, func() { stops.watch(limited, cancel) })
	defer watchStop.Stop()
	r, err := x.session.Eval(limited, text)
	o := outcome{r, err}
	if errors.Is(o.err, context.Canceled) { // not by time: we were asked to end
		o.result.CompletedBy = session.ByInterrupt
	}
	if noInput.Load() && o.result.CompletedBy == session.ByInterrupt {
		o.err = errNoInput
	}
	if noInput.Load() && context.Cause(ctx) == errNoPrompt {
		o.err = errNoPrompt
	}
	if stopped, is := errors.AsType[*stoppedError](context.Cause(ctx)); is {
		o.err, o.result.CompletedBy = stopped, session.ByTimeout
	}
	return o
}

// withdraw ends a command that waits for input which cannot come, or the wait for it.
func (x *execution) withdraw(ctx context.Context, cancel context.CancelCauseFunc) {
	soon, stop := context.WithTimeout(ctx, patience)
	defer stop()
	if _, err := x.session.Interrupt(soon); err != nil && !x.endInput(ctx) {
		cancel(errNoPrompt)
	}
}

// endInput ends the input of a command that still asks for a secret after an interrupt, and reports whether the command has
// ended: while they ask, passwd and other programs that use PAM block the signal.
func (x *execution) endInput(ctx context.Context) bool {
	eof := x.adapter.Signals.EOF
	if st := x.session.State(); eof == nil || st.Waiting != session.WaitingSecret || !st.NeedsInput {
		return false
	}
	soon, stop := context.WithTimeout(ctx, patience)
	defer stop()
	if x.session.Send(soon, []byte(*eof)) != nil {
		return false
	}
	_, err := x.session.WaitState(soon, func(s session.State) bool { return s.Phase != session.PhaseRunning })
	return err == nil
}

func (x *execution) interrupt(ctx context.Context) {
	soon, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := x.session.Interrupt(soon)
	switch {
	case errors.Is(err, session.ErrNoInterrupt):
		x.Note("%v; to end the session: Ctrl-C again", err)
	case errors.Is(err, session.ErrTimeout) && ctx.Err() == nil:
		x.Note("the program continues in spite of the interrupt; to end the session: Ctrl-C again")
	}
}

// report prints a command's result and says whether the next one can run.
func (x *execution) report(ctx context.Context, o outcome) error {
	ended := ctx.Err() != nil // a signal, or nobody reads
	if x.flags.json {
		if err := x.json.finish(o.record(), o.final() && !x.goesOn(ctx, o)); err != nil {
			return ui.FailWith(ui.ExitFailed, err, "")
		}
	} else if o.err != nil { // the unfinished line, or the screen
		_, _ = io.WriteString(x.Raw.Out, o.result.Output)
	}
	if o.result.Fault != "" {
		x.Note("%s", o.result.Fault)
	}
	switch {
	case ended || errors.Is(o.err, context.Canceled): // a second Ctrl-C
		return ui.ExitWith(ui.ExitInterrupted)
	case o.final():
		return o.explain(x.flags.timeout)
	case o.result.PromptElsewhere:
		x.Note("the exit code is unknown: the program's prompt is not on the terminal, because its output or its errors are redirected")
	case o.err != nil && !x.flags.json:
		x.Note("%v", o.err)
		if open, ok := errors.AsType[*session.IncompleteError](o.err); ok && open.Excerpt != "" {
			fmt.Fprintln(x.Err, ui.Indent(open.Excerpt))
		}
		if x.flags.lines && !x.flags.nul && errors.Is(o.err, session.ErrIncompleteInput) {
			fmt.Fprintln(x.Err, ui.Indent(`each line is a command here; send a block with "-", -f FILE or -0`))
		}
	}
	return nil
}

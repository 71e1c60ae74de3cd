package execcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"example.org/ripple/cmd/ripple/internal/prestart"
	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/contract"
	"example.org/ripple/runtime/proctree"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// closeLimit bounds the end of a session when something is stuck that we do
// not control, like a reader of standard output that reads no more. What is
// left then, the guard ends.
const closeLimit = 10 * time.Second

// errInterrupted is a second Ctrl-C.
var errInterrupted = errors.New("interrupted")

// errNoInput is a command that was ended because it waited for what cannot come.
var errNoInput = errors.New("the command was interrupted: it waited for input that nobody can type")

// errNoPrompt is an error after which the state of the program is unknown.
var errNoPrompt = fmt.Errorf("%w, and no prompt appeared afterwards: the command may have changed the prompt", errNoInput)

// execution is one run of `ripple exec`.
type execution struct {
	*ui.App
	flags      execFlags
	adapter    *schema.Adapter
	begun      *session.Pending // nil: the program is still to be started
	session    *session.Session
	interrupts <-chan os.Signal
	keyboard   *keyboard // nil: nobody is there to answer the program
	recorder   *contract.Recorder
	closing    atomic.Bool // later output belongs to no command
	json       jsonOutput
	now        stage
	printed    lastLine // in place of the session's State.Partial, which holds nothing when output is passed on
}

// runIn runs the commands in one session.
func runIn(ctx context.Context, a *ui.App, args []string, f execFlags) error {
	entry, begun, err := program(a, args[0])
	if err != nil {
		return err
	}
	steps, err := codeOf(entry.Adapter, f.steps)
	if err != nil {
		return err
	}
	next, stdin, err := commands(a.In, args, f)
	if err != nil {
		return err
	}
	next = after(steps, next)
	ctx, interrupts, stop := ui.UntilSignal(ctx, false)
	defer stop()
	x := &execution{App: a, flags: f, adapter: entry.Adapter, begun: begun, interrupts: interrupts, json: jsonOutput{out: a.Out}}
	if !stdin {
		x.keyboard = newKeyboard(a.In, entry.Adapter)
		defer x.keyboard.restore()
	}
	if f.record == "" {
		return x.run(ctx, next)
	}
	file, err := ui.CreateRecording(f.record)
	if err != nil {
		return err
	}
	tty := entry.Adapter.Process.TTY
	x.recorder = contract.NewRecorder(file, cmp.Or(f.session.Cols, tty.Cols), cmp.Or(f.session.Rows, tty.Rows))
	return x.first(x.run(ctx, next), x.recorder.Close(), file.Finish())
}

// program is the adapter of a name, and its program if that was started already.
func program(a *ui.App, name string) (*registry.Entry, *session.Pending, error) {
	if p := prestart.Take(name); p != nil {
		return p.Entry, p.Begun, nil
	}
	entry, err := a.Adapter(name)
	return entry, nil, err
}

// first is the first error; the ones after it are only noted.
func (x *execution) first(errs ...error) error {
	var first error
	for _, err := range errs {
		switch {
		case err == nil:
		case first == nil:
			first = err
		default:
			x.Note("%v", err)
		}
	}
	if _, ours := errors.AsType[*ui.ExitError](first); first != nil && !ours {
		return ui.FailWith(ui.ExitFailed, first, "")
	}
	return first
}

// run opens the session, runs everything in it and closes it.
func (x *execution) run(ctx context.Context, next source) error {
	if err := x.open(ctx); err != nil {
		return err
	}
	if x.flags.lines || x.flags.nul {
		// A client waits for each answer, and with it for each hand-over between our threads,
		// which takes longer than what they do. Without a second processor there is none.
		runtime.GOMAXPROCS(1)
	}
	err, closed := x.all(ctx, next), x.close(ctx)
	if _, resist := errors.AsType[*proctree.SurvivorsError](closed); resist && err != nil && proctree.IsInner() {
		return err // the outer process lists what is left in the end
	}
	return x.first(err, closed)
}

// open starts the session; Ctrl-C and signals end the wait for it.
func (x *execution) open(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	o := x.flags.session
	o.Restart, o.OwnsOrphans = true, true
	o.Output, o.Window = x.print, -1 // nothing is asked for again
	if !x.flags.json {
		o.OutOfBand = func(b []byte) { _, _ = x.Raw.Err.Write(b) } // no command's output, but nothing to lose
	}
	if x.recorder != nil {
		o.Observer = x.recorder
	}
	if x.flags.verbose {
		o.Observer = contract.MultiObserver(contract.LogObserver(x.Err), o.Observer)
	}
	opened := make(chan error, 1)
	go func() {
		limited, done := context.WithTimeout(ctx, x.flags.readyTimeout)
		defer done()
		opened <- x.openSession(limited, o)
	}()
	for {
		select {
		case err := <-opened:
			switch {
			case err == nil:
				return nil
			case ctx.Err() != nil:
				return ui.ExitWith(ui.ExitInterrupted)
			}
			return startError(err)
		case <-x.interrupts:
			cancel(errInterrupted)
		}
	}
}

func (x *execution) openSession(ctx context.Context, o session.Options) (err error) {
	if x.begun != nil {
		x.session, err = x.begun.Open(ctx, o)
	} else {
		x.session, err = session.Open(ctx, x.adapter, o)
	}
	return err
}

// print passes on what a command prints; output keeps the error.
func (x *execution) print(b []byte) {
	if !x.closing.Load() {
		if x.flags.json {
			x.json.Write(b)
		} else {
			_, _ = x.Raw.Out.Write(b)
		}
		x.printed.add(b)
	}
}

// restarts reports whether the adapter allows a restart of the program.
func (x *execution) restarts() bool { return slices.Contains(x.adapter.Lifecycle.RestartOn, "crash") }

// goesOn reports whether the run continues after the program exited in a command.
func (x *execution) goesOn(ctx context.Context, o outcome) bool {
	return x.restarts() && errors.Is(o.err, session.ErrExited) && ctx.Err() == nil
}

// patience is how long an interrupt may take before a hint says how to continue.
const patience = time.Second

// close ends the session. A command that is still running gets no polite
// goodbye.
func (x *execution) close(ctx context.Context) error {
	x.closing.Store(true)
	polite, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	if ctx.Err() != nil || x.session.State().Phase == session.PhaseRunning {
		cancel()
	}
	limit := time.NewTimer(closeLimit)
	defer limit.Stop()
	closed := make(chan error, 1)
	go func() { closed <- x.session.Close(polite) }()
	select {
	case err := <-closed:
		_, _ = io.WriteString(x.Raw.Err, x.session.TrailingOutput()) // there is no record left for it
		return err
	case <-limit.C:
		return errors.New("the session did not end in time; its remaining processes are killed")
	}
}

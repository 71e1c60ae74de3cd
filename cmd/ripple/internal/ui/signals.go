package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"example.org/ripple/runtime/proctree"
)

// errSignal is the reason for the early end of a command.
type errSignal struct{ signal os.Signal }

// Error implements error.
func (e errSignal) Error() string { return fmt.Sprintf("ended by a signal: %v", e.signal) }

// BySignal reports whether a context of UntilSignal ended because of a signal.
func BySignal(cause error) bool {
	_, ok := errors.AsType[errSignal](cause)
	return ok
}

// hangupIgnored is true under nohup(1): the process has to survive the end of its terminal.
var hangupIgnored = signal.Ignored(syscall.SIGHUP)

// UntilSignal returns a context that ends when the process is asked to terminate, and a channel of
// the interrupts (Ctrl-C) before that. The channel does not have to be read; with interruptEnds, an
// interrupt ends the context, too.
func UntilSignal(ctx context.Context, interruptEnds bool) (context.Context, <-chan os.Signal, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	asked := make(chan os.Signal, 4)
	interrupts := make(chan os.Signal, 4)
	// SIGPIPE is caught so that a write fails instead of ending the process: a session has to be
	// closed first.
	proctree.Notify(asked, syscall.SIGTERM, syscall.SIGQUIT)
	if !hangupIgnored { // catching it would undo that
		proctree.Notify(asked, syscall.SIGHUP)
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	if interruptEnds {
		proctree.Notify(asked, os.Interrupt)
	} else {
		proctree.Notify(interrupts, os.Interrupt)
	}
	go func() {
		select {
		case s := <-asked:
			cancel(errSignal{s})
		case <-ctx.Done():
		}
	}()
	return ctx, interrupts, func() {
		proctree.Stop(asked)
		proctree.Stop(interrupts)
		cancel(nil)
	}
}

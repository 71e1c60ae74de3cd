package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"ripple/runtime/proctree"
)

// errSignal is why a command ended early.
type errSignal struct{ signal os.Signal }

// Error makes it an error.
func (e errSignal) Error() string { return fmt.Sprintf("ended by a signal: %v", e.signal) }

// BySignal says that a context of UntilSignal ended by a signal.
func BySignal(cause error) bool {
	_, ok := errors.AsType[errSignal](cause)
	return ok
}

// UntilSignal gives a context that ends when we are asked to end, and the
// interrupts (Ctrl-C) that come before. Nobody has to receive those: with
// interruptEnds they end the context too.
func UntilSignal(ctx context.Context, interruptEnds bool) (context.Context, <-chan os.Signal, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	asked := make(chan os.Signal, 4)
	interrupts := make(chan os.Signal, 4)
	// SIGPIPE is only taken so that a write fails instead of ending us at once:
	// there is a session to close first.
	proctree.Notify(asked, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
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

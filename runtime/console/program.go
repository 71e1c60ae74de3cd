package console

import (
	"context"

	"example.org/ripple/runtime/session"
)

// program is the program of a console: a session, or an agent on its own screen.
type program interface {
	State() session.State
	WaitState(ctx context.Context, want func(session.State) bool) (session.State, error)
	// Submit starts a command; wait returns its result.
	Submit(ctx context.Context, code string) (wait func(context.Context) (session.Result, error), err error)
	Interrupt(ctx context.Context) (session.Result, error)
	Send(ctx context.Context, b []byte) error
	Type(who int, b []byte) error // typed by a user
	Detach(who int)               // the user detached
	Done() <-chan struct{}
	Close(ctx context.Context) error
}

// programStart is the state of a program's start.
type programStart struct {
	confinement
	begun *session.Pending // nil: not started earlier
}

// startProgram starts the program of the adapter and returns when it accepts a command. An agent
// that asks something first, or whose readiness is not detected, is returned as well.
func startProgram(ctx context.Context, h *host) (program, error) {
	o := h.spec.Options(h.adapter)
	if h.adapter.Agent != nil {
		a, err := startAgent(h, o)
		if err != nil {
			return nil, err
		}
		if err := a.awaitReady(ctx); err != nil {
			return nil, err
		}
		return a, nil
	}
	o.OnTerminal, o.Output, o.OnTyped, o.CommandPrefix = h.screen.on, h.print, h.typed, h.start.through
	o.Window, o.Attended, o.OwnsOrphans = -1, true, true
	o.OnQuestion = func() { close(h.asked) }
	begun := h.start.begun
	if begun == nil {
		var err error
		if begun, err = session.Prestart(h.adapter, o); err != nil {
			return nil, err
		}
	}
	s, err := begun.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return s, nil
}

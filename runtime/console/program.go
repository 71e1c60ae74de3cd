package console

import (
	"context"

	"ripple/runtime/session"
)

// program is what lives in a console: a session, or an agent on its own screen.
type program interface {
	State() session.State
	WaitState(ctx context.Context, want func(session.State) bool) (session.State, error)
	// Submit begins a command; wait returns what it came to.
	Submit(ctx context.Context, code string) (wait func(context.Context) (session.Result, error), err error)
	Interrupt(ctx context.Context) (session.Result, error)
	Send(ctx context.Context, b []byte) error
	Type(who int, b []byte) error // what a person types
	Leave(who int)                // he has gone
	Done() <-chan struct{}
	Close(ctx context.Context) error
}

// starting is how a program comes to be.
type starting struct {
	confined
	begun *session.Begun // nil: it was not begun before
}

// startProgram starts what the adapter describes and returns when it takes a command. An agent
// that asks something first, or is not seen to be ready, is there all the same.
func startProgram(ctx context.Context, h *host) (program, error) {
	o := h.spec.Options(h.adapter)
	if h.adapter.Agent != nil {
		a, err := startAgent(h, o)
		if err != nil {
			return nil, err
		}
		if err := a.settle(ctx); err != nil {
			return nil, err
		}
		return a, nil
	}
	o.Terminal, o.Output, o.Typed, o.Through = h.screen.on, h.print, h.typed, h.start.through
	o.Window, o.Patient, o.Sole = -1, true, true
	begun := h.start.begun
	if begun == nil {
		var err error
		if begun, err = session.Begin(h.adapter, o); err != nil {
			return nil, err
		}
	}
	s, err := begun.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return s, nil
}

package contract

import (
	"context"

	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// evaluator is the part of a session that the tests use, so that each assertion can be tested with
// a scripted session.
type evaluator interface {
	Eval(ctx context.Context, code string) (session.Result, error)
	Interrupt(ctx context.Context) (session.Result, error)
	Send(ctx context.Context, input []byte) error
	State() session.State
	WaitState(ctx context.Context, want func(session.State) bool) (session.State, error)
	Done() <-chan struct{}
	Close(ctx context.Context) error
}

var _ evaluator = (*session.Session)(nil)

// opener starts the program; tests replace it by a scripted one.
type opener func(ctx context.Context, a *schema.Adapter, o session.Options) (evaluator, error)

func openSession(ctx context.Context, a *schema.Adapter, o session.Options) (evaluator, error) {
	s, err := session.Open(ctx, a, o)
	if err != nil {
		return nil, err // not s: a nil *Session in an interface is not nil
	}
	return s, nil
}

// alive reports whether the program still runs.
func alive(e evaluator) bool {
	select {
	case <-e.Done():
		return false
	default:
		return true
	}
}

// MultiObserver returns an observer that passes each event to all observers in list; nil ones are
// ignored.
func MultiObserver(list ...session.Observer) session.Observer {
	return session.ObserverFunc(func(e session.Event) {
		for _, o := range list {
			if o != nil {
				o.Observe(e)
			}
		}
	})
}

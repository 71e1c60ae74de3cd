package agentcmd

import (
	"context"
	"os"
	"time"

	"example.org/ripple/cmd/ripple/internal/attached"
	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/terminal"
	"example.org/ripple/schema"
)

// terminalFor returns the user's terminal, for a turn on the agent's own screen; nil: there is none.
func (a *app) terminalFor(g *schema.Agent, asJSON bool) *attached.Terminal {
	if g.Transport != schema.TransportScreen || asJSON || !a.Interactive() {
		return nil
	}
	return &attached.Terminal{In: a.In.(*os.File), Out: a.Stdout.(*os.File)} // Interactive has seen them
}

// view is the agent's screen as the attached user sees it.
type view struct {
	*terminal.Subscription
	typed func([]byte) error
}

// Type gives the agent what he types; the screen has the size of his terminal.
func (v view) Type(b []byte) error {
	v.ClaimSize()
	return v.typed(b)
}

// frameGap is how long a screen stays that is shown in parts: each is painted whole.
const frameGap = 15 * time.Millisecond

// show paints what is to be seen, until the context or the agent ends.
func (v view) show(ctx context.Context, s *attached.Terminal) {
	gap := time.NewTimer(0)
	defer gap.Stop()
	for {
		p, err := v.Next(ctx)
		if err != nil {
			return
		}
		s.Write(p.Bytes)
		if !p.Snapshot {
			continue
		}
		gap.Reset(frameGap)
		select {
		case <-gap.C:
		case <-ctx.Done():
			return
		}
	}
}

// takeAttached takes a turn while a user sees the agent's screen, types and answers. The
// report of the turn is printed below the screen at its end.
func takeAttached(ctx context.Context, s *attached.Terminal, o agent.Options, take func(context.Context, agent.Options) (agent.Outcome, error)) (agent.Outcome, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var events []event.Event
	tell := o.OnEvent
	o.OnEvent = func(e event.Event) { events = append(events, e) }
	var err error
	if o.Cols, o.Rows, err = s.Size(); err != nil {
		return agent.Outcome{}, err
	}
	var v view
	o.Attach = func(place agent.Attachment) {
		if err := s.Attach(o.Rows); err != nil {
			cancel(err)
			return
		}
		v = view{place.Screen.SubscribeWindow(o.Cols, o.Rows, 0), place.Type}
		v.ClaimSize()
		go s.Guard(func() { v.show(ctx, s) })
		go s.Guard(func() { s.ForwardSizes(ctx, v) })
		go s.Guard(func() { s.ForwardKeys(ctx, v, cancel) })
	}
	out, err := take(ctx, o)
	cancel(nil)
	if v.Subscription != nil {
		s.Restore()
		v.Close()
	}
	for _, e := range events {
		tell(e)
	}
	return out, err
}

package contract

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ripple/runtime/session"
	"ripple/schema"
)

// ErrNoProbe is an adapter that has no probe.
var ErrNoProbe = errors.New("the adapter has no probe")

// Probe is the adapter's health check as its users have the program: started as
// [session.Open] does, with the options and so the environment of the caller, asked
// the probe, and ended with all that it started. It is nil when the program started
// and answered as the probe expects. The end of ctx ends all of it, and is told as
// the time that was too short.
func Probe(ctx context.Context, a *schema.Adapter, o session.Options) (err error) {
	if a.Probe == nil {
		return ErrNoProbe
	}
	s, err := session.Open(ctx, a, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close(ctx)) }()
	if what := s.State().Needs; what != "" {
		return &session.StartError{Adapter: a.Name, Needs: what}
	}
	r, err := s.Eval(ctx, a.Probe.Eval)
	if err != nil {
		return fmt.Errorf("%s was not answered: %w", quoted(a.Probe.Eval), err)
	}
	if _, err := matches("expect", &a.Probe.Expect, r.Output, "the output"); err != nil {
		return fmt.Errorf("%s printed %s, which does not match %s", quoted(a.Probe.Eval), quoted(cut(strings.TrimSpace(r.Output), shownOutput)), a.Probe.Expect)
	}
	return nil
}

package contract

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// ErrNoProbe is returned for an adapter without a probe.
var ErrNoProbe = errors.New("the adapter has no probe")

// Probe runs the adapter's health check: it starts the program as [session.Open] does,
// with the caller's options and environment, runs the probe, and ends the program with all
// its processes. It returns nil if the program started and answered as the probe expects.
// If ctx ends first, the error reports the time that was too short.
func Probe(ctx context.Context, a *schema.Adapter, o session.Options) (err error) {
	if a.Probe == nil {
		return ErrNoProbe
	}
	s, err := session.Open(ctx, a, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close(ctx)) }()
	if what := s.State().MissingService; what != "" {
		return &session.StartError{Adapter: a.Name, MissingService: what}
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

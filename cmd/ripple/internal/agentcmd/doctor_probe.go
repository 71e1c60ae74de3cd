package agentcmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/quote"
	"example.org/ripple/runtime/contract"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/runtime/session"
)

// probed is the result of an adapter's probe.
type probed struct {
	Passed     bool   `json:"passed"`
	DurationMS int64  `json:"duration_ms"`
	Failure    string `json:"failure,omitempty"`
}

func (c *probed) String() string {
	switch {
	case c == nil:
		return "-"
	case !c.Passed:
		return "failed"
	}
	return fmt.Sprintf("passed in %s", (time.Duration(c.DurationMS) * time.Millisecond).Round(10*time.Millisecond))
}

// probe starts a program that was found, in ui.NeutralDir, and evaluates the adapter's probe in it.
func (d *diagnosis) probe(ctx context.Context, e *registry.Entry, limit time.Duration) {
	if d.Executable == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	began := time.Now()
	err := contract.Probe(ctx, e.Adapter, session.Options{Dir: ui.NeutralDir(), OwnsOrphans: true})
	d.Probe = &probed{Passed: err == nil, DurationMS: time.Since(began).Milliseconds()}
	if err == nil {
		return
	}
	d.Usable, d.Probe.Failure = false, err.Error()
	d.Todo = append(d.Todo, append([]string{"its probe failed: " + err.Error()}, afterProbe(e, err)...)...)
}

// afterProbe returns the details of a failed probe and the hint for it.
func afterProbe(e *registry.Entry, err error) (todo []string) {
	start, isStart := errors.AsType[*session.StartError](err)
	if isStart && start.Output != "" {
		todo = append(todo, "it printed:\n"+ui.Indent(start.Output))
	}
	name := quote.Shell(e.Name)
	switch {
	case isStart && start.MissingService != "":
		return todo
	case errors.Is(err, context.DeadlineExceeded):
		return append(todo, "to give it more time: --timeout DURATION; to see what it does: ripple exec --verbose "+name+" "+quote.Shell(e.Adapter.Probe.Eval))
	}
	return append(todo, "your own configuration of the program may be the cause; to run it without that configuration: ripple adapter test "+name)
}

// sessions are the adapters of programs that are here and have a probe.
func (a *app) sessions() ([]*registry.Entry, error) {
	r, err := a.Registry()
	if err != nil {
		return nil, err
	}
	var list []*registry.Entry
	for _, e := range r.List() {
		if e.Adapter.Probe == nil {
			continue
		}
		if _, err := launch.Locate(e.Adapter, launch.OSHost(), ""); err == nil {
			list = append(list, e)
		}
	}
	return list, nil
}

package loopcmd

import (
	"context"
	"errors"
	"fmt"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/runtime/registry"
)

// fallback finds the agents of --fallback.
func (a *app) fallback(ctx context.Context, c *config.Config, first *loopAgent) (list []loop.Member, err error) {
	from := c.Source("FALLBACK")
	seen := map[string]bool{first.entry.Name: true}
	for _, name := range c.Fallback {
		own := *c
		own.Backend, own.ExtraArgs = name, nil
		g, err := a.newLoopAgent(ctx, &own, loopFlags{}) // a model applies to the first agent only
		if err != nil {
			return nil, unknownAgent(c, "FALLBACK", err)
		}
		if seen[g.entry.Name] {
			return nil, ui.UsageError("name each agent once", "%s: %s is already the first agent, or is listed twice", from.From, g.entry.Name)
		}
		seen[g.entry.Name] = true
		if err := a.takeOptions(g); err != nil {
			return nil, err
		}
		list = append(list, loop.Member{Name: g.entry.Name, Agent: g, DenialHelp: g.entry.Adapter.Agent.DenialHelp, Timeout: g.config.Timeout})
	}
	return list, nil
}

// readyAll checks all agents of a loop before the first turn: when the first one becomes limited,
// nobody may be present to install another or to log in.
func (a *app) readyAll(ctx context.Context, first *loopAgent, o loop.Options) error {
	if err := a.readyFor(ctx, first.entry, o); err != nil {
		return err
	}
	for _, m := range o.Fallback {
		err := a.readyFor(ctx, m.Agent.(*loopAgent).entry, o)
		if e, is := errors.AsType[*ui.ExitError](err); is && e.Err != nil {
			return ui.FailWith(e.Code, fmt.Errorf("%s: %w", o.Config.Source("FALLBACK").From, e.Err), e.Hint)
		}
		if err != nil {
			return err
		}
	}
	return a.readyHats(ctx, first, o)
}

// readyFor is Ready for an agent of a loop. In a box, the program of an agent is not examined, which is outside of the box, if a project
// has it: a program in an earlier box could have put it there.
func (a *app) readyFor(ctx context.Context, e *registry.Entry, o loop.Options) error {
	if o.Config.Box {
		if path, err := a.Examiner.Locate(e.Adapter, ""); err == nil && projectfile.InProject(path) {
			return nil
		}
	}
	return a.Ready(ctx, e, launch.Program{})
}

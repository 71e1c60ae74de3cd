package main

import (
	"context"
	"fmt"

	"ripple/runtime/launch"
	"ripple/runtime/loop"
)

// fallback finds the agents of --fallback, which must all be here: when the first
// one is limited, nobody is there to install another.
func (a *app) fallback(ctx context.Context, c *loop.Config, first *loopAgent) (list []loop.Member, err error) {
	from := c.Source("FALLBACK")
	seen := map[string]bool{first.entry.Name: true}
	for _, name := range c.Fallback {
		own := *c
		own.Backend = name
		g, err := a.newLoopAgent(ctx, &own, loopFlags{}) // a model is the first agent's
		if err != nil {
			return nil, err
		}
		if seen[g.entry.Name] {
			return nil, usageError("name each agent once", "%s: %s is the first agent already, or is named twice", from.From, g.entry.Name)
		}
		seen[g.entry.Name] = true
		if _, err := launch.Locate(g.entry.Adapter, launch.OSHost(), ""); err != nil {
			return nil, failWith(exitMissing, fmt.Errorf("%s: %w", from.From, err), "install it, or leave it out; ripple doctor lists the agents")
		}
		if err := a.takeOptions(g); err != nil {
			return nil, err
		}
		list = append(list, loop.Member{Name: g.entry.Name, Agent: g, DenialHelp: g.entry.Adapter.Agent.DenialHelp, Timeout: g.config.Timeout})
	}
	return list, nil
}

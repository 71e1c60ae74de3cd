package loopcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/runtime/loop/hats"
	"example.org/ripple/runtime/registry"
)

// hatAgents finds the agents of the hats that have their own.
func (a *app) hatAgents(ctx context.Context, c *config.Config, first *loopAgent) (map[string]loop.Member, error) {
	members := map[string]loop.Member{}
	for i := range c.Hats.Hats {
		h := &c.Hats.Hats[i]
		if !h.OwnAgent() {
			continue
		}
		g, err := a.hatAgent(ctx, c, h, first)
		if err != nil {
			return nil, placed(c.HatPlace(h.Key)+": hat "+h.Key, err)
		}
		members[h.Key] = loop.Member{Name: g.entry.Name, Agent: g, DenialHelp: g.entry.Adapter.Agent.DenialHelp, Timeout: g.config.Timeout}
	}
	return members, nil
}

// placed adds the location of the cause to an error.
func placed(at string, err error) error {
	if e, is := errors.AsType[*ui.ExitError](err); is && e.Err != nil {
		return ui.FailWith(e.Code, fmt.Errorf("%s: %w", at, e.Err), e.Hint)
	}
	return err
}

func (a *app) hatAgent(ctx context.Context, c *config.Config, h *hats.Hat, first *loopAgent) (*loopAgent, error) {
	own := *c
	own.Backend, own.ExtraArgs = cmp.Or(h.Adapter, first.entry.Name), nil
	f := loopFlags{model: h.Model}
	if h.Adapter == "" { // otherwise the loop's agent
		own.ExtraArgs, f.model = c.ExtraArgs, cmp.Or(h.Model, first.Model)
	}
	if h.Args != nil {
		own.ExtraArgs = h.Args
	}
	g, err := a.newLoopAgent(ctx, &own, f)
	if err != nil {
		return nil, err
	}
	if err := a.takeOptions(g); err != nil {
		return nil, err
	}
	if lack := agent.ModeProblem(g.entry.Adapter.Agent, h.PermissionMode); h.PermissionMode != "" && lack != "" {
		return nil, ui.UsageError("leave permission_mode out", "permission_mode: %s has no %s", g.entry.Name, lack)
	} else if h.PermissionMode != "" {
		g.PermissionMode = h.PermissionMode
	}
	if lack := agent.ToolsProblem(g.entry.Adapter.Agent, h.AllowedTools); h.AllowedTools != nil && lack != "" {
		return nil, ui.UsageError("leave allowed_tools out", "allowed_tools: %s has no %s", g.entry.Name, lack)
	} else if h.AllowedTools != nil {
		g.AllowedTools = h.AllowedTools
	}
	return g, a.tryCommand(g)
}

// withArgs returns an adapter's entry whose agent gets more arguments.
func withArgs(e *registry.Entry, args []string) *registry.Entry {
	if len(args) == 0 {
		return e
	}
	entry, adapter, section := *e, *e.Adapter, *e.Adapter.Agent
	section.Args = slices.Concat(section.Args, args)
	adapter.Agent, entry.Adapter = &section, &adapter
	return &entry
}

// readyHats checks the agents of hats before the first turn, each once.
func (a *app) readyHats(ctx context.Context, first *loopAgent, o loop.Options) error {
	seen := map[string]bool{first.entry.Name: true}
	for _, h := range o.Config.Hats.Hats {
		m, has := o.HatAgents[h.Key]
		if !has || seen[m.Name] {
			continue
		}
		seen[m.Name] = true
		if err := a.readyFor(ctx, m.Agent.(*loopAgent).entry, o); err != nil {
			return placed(o.Config.HatPlace(h.Key)+": hat "+h.Key, err)
		}
	}
	return nil
}

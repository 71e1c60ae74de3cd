package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/agent"
	"ripple/runtime/loop"
	"ripple/schema"
)

// takeOptions takes from the configuration what this agent can be told, and refuses
// before the first turn what no turn could have.
func (a *app) takeOptions(g *loopAgent) error {
	o := g.entry.Adapter.Agent.Options
	for _, s := range []struct {
		name, lack string
		take       func()
	}{
		{"AGENT_PERMISSION_MODE", lacksMode(o.PermissionMode, g.config.PermissionMode), func() { g.mode = g.config.PermissionMode }},
		{"ALLOWED_TOOLS", lacksTools(g.entry.Adapter.Agent, g.config.AllowedTools), func() { g.tools = g.config.AllowedTools }},
	} {
		if g.asked(s.name) && (s.lack == "" || g.config.Bound(s.name)) {
			s.take()
		} else if g.asked(s.name) {
			from := g.config.Source(s.name)
			a.Note("%s: %s has no effect: %s has no %s", from.From, from.Name, g.entry.Name, s.lack)
		}
	}
	if _, err := agent.NewCommand(g.entry.Adapter, g.turn(loop.Request{Prompt: "-"})); err != nil {
		return ui.FailWith(ui.ExitUsage, err, fmt.Sprintf("ripple adapter show %s tells what the agent can do", g.entry.Name))
	}
	return nil
}

// asked says whether somebody asked for a setting. The defaults of the Ralph
// reference stand in every configuration of it, and ask for nothing.
func (g *loopAgent) asked(name string) bool {
	return g.config.IsSet(name) && (g.config.Bound(name) || g.config.Differs(name))
}

// lacksMode is what an agent lacks of a permission mode; "" for nothing.
func lacksMode(o *schema.AgentOption, mode string) string {
	if o == nil {
		return "option for it"
	}
	if _, known := o.Values[mode]; len(o.Values) > 0 && !known {
		return fmt.Sprintf("permission mode %q, but %s", mode, strings.Join(slices.Sorted(maps.Keys(o.Values)), ", "))
	}
	return ""
}

// lacksTools is what an agent lacks of a list of tools. A list of which it knows
// one name was written for it: then the others are mistakes, which its turn
// refuses.
func lacksTools(g *schema.Agent, tools []string) string {
	if g.Options.AllowedTools == nil {
		return "option for it"
	}
	if len(tools) > 0 && !slices.ContainsFunc(tools, func(t string) bool { return agent.HasTool(g, t) }) {
		return fmt.Sprintf("tool %q, but %s", tools[0], strings.Join(g.Tools.Valid, ", "))
	}
	return ""
}

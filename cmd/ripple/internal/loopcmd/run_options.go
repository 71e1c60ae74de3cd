package loopcmd

import (
	"fmt"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/loop"
)

// takeOptions applies the settings that this agent supports, and rejects before the first turn
// those that no turn could have.
func (a *app) takeOptions(g *loopAgent) error {
	for _, s := range []struct {
		name, lack string
		take       func()
	}{
		{"AGENT_PERMISSION_MODE", agent.ModeProblem(g.entry.Adapter.Agent, g.config.PermissionMode), func() { g.PermissionMode = g.config.PermissionMode }},
		{"ALLOWED_TOOLS", agent.ToolsProblem(g.entry.Adapter.Agent, g.config.AllowedTools), func() { g.AllowedTools = g.config.AllowedTools }},
	} {
		if g.asked(s.name) && (s.lack == "" || g.config.Bound(s.name)) {
			s.take()
		} else if g.asked(s.name) {
			from := g.config.Source(s.name)
			a.Note("%s: %s has no effect: %s has no %s", from.From, from.Name, g.entry.Name, s.lack)
		}
	}
	return a.tryCommand(g)
}

// tryCommand rejects settings that cannot be passed on a command line.
func (a *app) tryCommand(g *loopAgent) error {
	if _, err := g.Command(loop.Request{Prompt: "-"}); err != nil {
		return ui.FailWith(ui.ExitUsage, err, fmt.Sprintf("to see the features of the agent: ripple adapter show %s", g.entry.Name))
	}
	return nil
}

// asked reports whether a setting was set explicitly. The defaults of the Ralph reference are in
// each of its configurations, and do not count.
func (g *loopAgent) asked(name string) bool {
	return g.config.IsSet(name) && (g.config.Bound(name) || g.config.Differs(name))
}

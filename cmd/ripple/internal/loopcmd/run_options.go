package loopcmd

import (
	"fmt"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/agent"
	"ripple/runtime/loop"
)

// takeOptions takes from the configuration what this agent can be told, and refuses
// before the first turn what no turn could have.
func (a *app) takeOptions(g *loopAgent) error {
	for _, s := range []struct {
		name, lack string
		take       func()
	}{
		{"AGENT_PERMISSION_MODE", agent.LacksMode(g.entry.Adapter.Agent, g.config.PermissionMode), func() { g.mode = g.config.PermissionMode }},
		{"ALLOWED_TOOLS", agent.LacksTools(g.entry.Adapter.Agent, g.config.AllowedTools), func() { g.tools = g.config.AllowedTools }},
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

// tryCommand refuses what no command line can say.
func (a *app) tryCommand(g *loopAgent) error {
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

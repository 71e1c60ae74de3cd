package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Ways returns the transports that an agent has, the preferred one first: stdio, acp, screen.
func (g *Agent) Ways() (list []string) {
	if g.Output.Format != "" {
		list = append(list, TransportStdio)
	}
	if g.ACP != nil {
		list = append(list, TransportACP)
	}
	if g.Screen != nil {
		list = append(list, TransportScreen)
	}
	if at := slices.Index(list, g.Transport); at > 0 {
		list = slices.Insert(slices.Delete(list, at, at+1), 0, g.Transport)
	}
	return list
}

// Way returns the adapter for one transport: stdio, acp or screen, or "" for the agent's
// own choice. Keys that do not apply to this transport are removed. Adapters of other
// families, and adapters that Way returned, are returned unchanged. The error lists the
// available transports.
func (a *Adapter) Way(transport string) (*Adapter, error) {
	if a.Agent == nil || a.Agent.whole != nil && transport == "" {
		return a, nil
	}
	ways := a.Agent.Ways()
	if transport == "" {
		if len(ways) == 0 {
			return a, nil
		}
		transport = ways[0]
	}
	if !slices.Contains(ways, transport) {
		return nil, fmt.Errorf("%s has no transport %s; it has %s", a.Name, transport, strings.Join(ways, ", "))
	}
	way, agent := *a, *a.Agent
	agent.whole = a.Whole()
	way.Agent = &agent
	switch {
	case transport == TransportACP:
		way.overACP()
	case transport == TransportScreen:
		agent.onScreen()
	case agent.Transport == TransportACP || agent.Transport == TransportScreen:
		agent.Transport = TransportPipe
	}
	return &way, nil
}

// Whole returns the adapter on which Way was called to get this one, with all transports; an
// adapter that Way did not return is returned itself.
func (a *Adapter) Whole() *Adapter {
	if a.Agent == nil || a.Agent.whole == nil {
		return a
	}
	return a.Agent.whole
}

// OwnProgram reports whether the chosen transport has a program other than the agent's. That
// program is not found under the adapter's name, and does not hold the login.
func (a *Adapter) OwnProgram() bool {
	return a.Process.Executable != a.Whole().Process.Executable
}

// onScreen takes the place of what is for the other ways.
func (g *Agent) onScreen() {
	screen := *g.Screen
	o := AgentOptions{Context: &AgentOption{Prepend: true}}
	o.keep(g.Options, screen.Options)
	env := maps.Clone(g.Env)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, screen.Env)
	g.Transport, g.Args, g.Env, g.Options = TransportScreen, screen.Args, env, o
	g.Prompt, g.Output = AgentPrompt{}, AgentOutput{Format: FormatText, Stream: "stdout", Finish: "required"}
	screen.Args, screen.Env = nil, nil
	g.Screen = &screen
}

// keep takes over the named ones of the options for stdio.
func (o *AgentOptions) keep(all AgentOptions, names []string) {
	for _, name := range names {
		switch name {
		case "model":
			o.Model = all.Model
		case "new_session":
			o.NewSession = all.NewSession
		case "resume":
			o.Resume = all.Resume
		case "context":
			o.Context = all.Context
		case "allowed_tools":
			o.AllowedTools = all.AllowedTools
		case "max_turns":
			o.MaxTurns = all.MaxTurns
		case "permission_mode":
			mode := *all.PermissionMode
			mode.Default = "" // it is for turns in which nobody can be asked
			o.PermissionMode = &mode
		}
	}
}

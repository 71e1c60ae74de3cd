package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Transports returns the transports that an agent has, the preferred one first: stdio, acp, screen.
func (g *Agent) Transports() (list []string) {
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

// WithTransport returns the adapter for one transport: stdio, acp or screen, or "" for the agent's
// own choice. Keys that do not apply to this transport are removed. Adapters of other
// families, and adapters that WithTransport returned, are returned unchanged. The error lists the
// available transports.
func (a *Adapter) WithTransport(transport string) (*Adapter, error) {
	if a.Agent == nil || a.Agent.original != nil && transport == "" {
		return a, nil
	}
	transports := a.Agent.Transports()
	if transport == "" {
		if len(transports) == 0 {
			return a, nil
		}
		transport = transports[0]
	}
	if !slices.Contains(transports, transport) {
		return nil, fmt.Errorf("%s has no transport %s; it has %s", a.Name, transport, strings.Join(transports, ", "))
	}
	one, agent := *a, *a.Agent
	agent.original = a.Original()
	one.Agent = &agent
	switch {
	case transport == TransportACP:
		one.overACP()
	case transport == TransportScreen:
		agent.onScreen()
	case agent.Transport == TransportACP || agent.Transport == TransportScreen:
		agent.Transport = TransportPipe
	}
	return &one, nil
}

// Original returns the adapter on which WithTransport was called to get this one, with all transports; an
// adapter that WithTransport did not return is returned itself.
func (a *Adapter) Original() *Adapter {
	if a.Agent == nil || a.Agent.original == nil {
		return a
	}
	return a.Agent.original
}

// HasOwnProgram reports whether the chosen transport has a program other than the agent's. That
// program is not found under the adapter's name, and does not hold the login.
func (a *Adapter) HasOwnProgram() bool {
	return a.Process.Executable != a.Original().Process.Executable
}

// onScreen replaces the keys of the other transports by those of the screen.
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

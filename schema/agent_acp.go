package schema

import (
	"fmt"
	"slices"
	"strings"
)

// AgentACP says how a turn is taken over the Agent Client Protocol.
type AgentACP struct {
	Executable string        `yaml:"executable"` // empty: the process's
	Version    *VersionProbe `yaml:"version"`
	Install    *Install      `yaml:"install"`
	Args       []string      `yaml:"args"`
	Options    []string      `yaml:"options"` // of agent.options, that count here too
	Permission ACPPermission `yaml:"permission"`
	Auth       string        `yaml:"auth"`
	Events     string        `yaml:"events"` // jq program: a message → events besides the protocol's
	StartMS    int           `yaml:"start_ms"`
}

// ACPPermission says who answers requests for a permission.
type ACPPermission struct {
	Allow []string `yaml:"allow"`
	Deny  []string `yaml:"deny"`
	Else  string   `yaml:"else"` // ask (default), allow, deny
}

// What becomes of a request that nobody answers.
const (
	PermissionAsk   = "ask"
	PermissionAllow = "allow"
	PermissionDeny  = "deny"
)

// Ways are the transports that an agent has, its own choice first: stdio, acp.
func (g *Agent) Ways() (list []string) {
	if g.Output.Format != "" {
		list = append(list, TransportStdio)
	}
	if g.ACP != nil {
		list = append(list, TransportACP)
	}
	if g.Transport == TransportACP {
		slices.Reverse(list)
	}
	return list
}

// Way is the adapter as it is for one transport: stdio or acp, or "" for the agent's
// own choice. What a turn over the protocol does not have is not in it. Adapters of
// other families, and one that Way has returned, stay as they are. The error says
// which transports there are.
func (a *Adapter) Way(transport string) (*Adapter, error) {
	if a.Agent == nil || a.Agent.chosen && transport == "" {
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
	agent.chosen = true
	way.Agent = &agent
	if transport == TransportACP {
		way.overACP()
	} else if agent.Transport == TransportACP {
		agent.Transport = TransportPipe
	}
	return &way, nil
}

// overACP takes the place of what is for the other way.
func (a *Adapter) overACP() {
	g, acp := a.Agent, a.Agent.ACP
	protocol := &AgentOption{Protocol: true}
	o := AgentOptions{Model: protocol, PermissionMode: protocol, Resume: protocol, Context: &AgentOption{Prepend: true}}
	for _, name := range acp.Options {
		switch name {
		case "model":
			o.Model = g.Options.Model
		case "new_session":
			o.NewSession = g.Options.NewSession
		case "context":
			o.Context = g.Options.Context
		case "allowed_tools":
			o.AllowedTools = g.Options.AllowedTools
		case "max_turns":
			o.MaxTurns = g.Options.MaxTurns
		case "permission_mode":
			mode := *g.Options.PermissionMode
			mode.Default = "" // it is for turns in which nobody can be asked
			o.PermissionMode = &mode
		}
	}
	g.Transport, g.Args, g.Options = TransportACP, nil, o
	g.Prompt, g.Output = AgentPrompt{}, AgentOutput{Format: FormatNDJSON, Stream: "stdout", Finish: "required"}
	if acp.Executable != "" {
		p := &a.Process
		p.Executable, p.ExecutableCandidates, p.CommandTemplate = acp.Executable, nil, `"{shell_path}"`
		p.VersionProbe, p.Install = acp.Version, acp.Install
		g.MinVersion = ""
	}
}

package schema

// AgentACP describes how a turn is taken over the Agent Client Protocol.
type AgentACP struct {
	Executable string          `yaml:"executable"` // empty: process.executable
	Version    *VersionProbe   `yaml:"version"`
	Install    *Install        `yaml:"install"`
	Args       []string        `yaml:"args"`
	Options    []string        `yaml:"options"` // keys of agent.options that also apply here
	Permission AgentPermission `yaml:"permission"`
	Client     AgentClient     `yaml:"client"`
	Auth       string          `yaml:"auth"`
	Events     string          `yaml:"events"` // jq program: a message → events, in addition to those of the protocol
	StartMS    int             `yaml:"start_ms"`
}

// AgentClient lists the services of its client that the agent may use, in the turn's directory:
// access to files, and commands.
type AgentClient struct {
	FS       bool `yaml:"fs"`
	Terminal bool `yaml:"terminal"`
}

// AgentPermission holds the rules that answer requests for a permission.
type AgentPermission struct {
	Allow []string `yaml:"allow"`
	Deny  []string `yaml:"deny"`
	Else  string   `yaml:"else"` // ask (default), allow, deny
}

// Answers to a request that no rule matches.
const (
	PermissionAsk   = "ask"
	PermissionAllow = "allow"
	PermissionDeny  = "deny"
)

// overACP replaces the keys of the other transports by those of the protocol.
func (a *Adapter) overACP() {
	g, acp := a.Agent, a.Agent.ACP
	protocol := &AgentOption{Protocol: true}
	o := AgentOptions{Model: protocol, PermissionMode: protocol, Resume: protocol, Context: &AgentOption{Prepend: true}}
	o.keep(g.Options, acp.Options)
	g.Transport, g.Args, g.Options = TransportACP, nil, o
	g.Prompt, g.Output = AgentPrompt{}, AgentOutput{Format: FormatNDJSON, Stream: "stdout", Finish: "required"}
	if acp.Executable != "" {
		p := &a.Process
		p.Executable, p.ExecutableCandidates, p.CommandTemplate = acp.Executable, nil, `"{shell_path}"`
		p.VersionProbe, p.Install = acp.Version, acp.Install
		g.MinVersion = ""
	}
}

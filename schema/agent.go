package schema

import "gopkg.in/yaml.v3"

// Agent describes how a coding agent takes one turn: which command line is built, how
// the prompt reaches it, and what its output means. Only family agent has one.
type Agent struct {
	DisplayName string            `yaml:"display_name"`
	MinVersion  string            `yaml:"min_version"`
	AutoDetect  AgentAutoDetect   `yaml:"auto_detect"`
	Auth        AgentAuth         `yaml:"auth"`
	Transport   string            `yaml:"transport"` // pipe (default), stdio, pty, acp, screen
	ACP         *AgentACP         `yaml:"acp"`       // nil: it does not speak the protocol
	Args        []string          `yaml:"args"`
	Prompt      AgentPrompt       `yaml:"prompt"`
	Options     AgentOptions      `yaml:"options"`
	Env         map[string]string `yaml:"env"`
	Output      AgentOutput       `yaml:"output"`
	ExitCodes   map[string]string `yaml:"exit_codes"` // exit code → failure kind, or success
	Failures    []AgentFailure    `yaml:"failures"`
	// DenialPattern matches the final message of a turn in which a tool was denied, for an agent
	// that has no event for that.
	DenialPattern string     `yaml:"denial_pattern"`
	DenialHelp    string     `yaml:"denial_help"`
	Tools         AgentTools `yaml:"tools"`
	LingerMS      int        `yaml:"linger_ms"` // default 5000
	AgentNeeds    `yaml:",inline"`

	original *Adapter     `yaml:"-"`      // the adapter on which WithTransport was called; nil: this is that adapter
	Screen   *AgentScreen `yaml:"screen"` // nil: its own interface is not driven
}

// AgentNeeds describes what an agent needs from its environment, in a box and outside of one.
type AgentNeeds struct {
	// UnsetEnv lists variables of the caller's environment that the agent does not inherit.
	UnsetEnv []string `yaml:"unset_env"`
	// State lists what the agent writes in the home directory while it works: slash-separated
	// relative paths without "." and "..". A path that ends in a slash is a directory, which is
	// created if it is missing; any other is a file, which may not exist.
	State []string `yaml:"state"`
	// Hosts lists the hosts that the agent connects to for its model, as HOST (ports 80 and 443) or
	// HOST:PORT. HOST is a domain name or an address, IPv6 in brackets.
	Hosts []string `yaml:"hosts"`
}

// AgentAutoDetect gives the agent's place in the order in which an agent is chosen automatically.
type AgentAutoDetect struct {
	Priority int `yaml:"priority"` // lower is earlier; 0: never chosen automatically
}

// AgentAuth describes how to find out whether the agent is logged in.
type AgentAuth struct {
	Env    []string         `yaml:"env"` // variables; if any of them is set, the agent is logged in
	Status *AgentAuthStatus `yaml:"status"`
	Hint   string           `yaml:"hint"`
}

// AgentAuthStatus describes a command of the agent that reports its login.
type AgentAuthStatus struct {
	Args      []string `yaml:"args"`
	LoggedOut string   `yaml:"logged_out"` // pattern
}

// Transports of a turn.
const (
	TransportPipe   = "pipe"
	TransportStdio  = "stdio" // pipe, or pty if the adapter says so
	TransportPTY    = "pty"
	TransportACP    = "acp"
	TransportScreen = "screen"
)

// PromptDelivery is the way in which an agent gets its prompt.
type PromptDelivery string

const (
	PromptArgument PromptDelivery = "argument"
	PromptStdin    PromptDelivery = "stdin"
	PromptFile     PromptDelivery = "file"
)

// AgentPrompt describes how the agent gets its prompt.
type AgentPrompt struct {
	Deliver          PromptDelivery `yaml:"deliver"`
	Flag             string         `yaml:"flag"`               // before the prompt
	FileFlag         string         `yaml:"file_flag"`          // before the path of a prompt in a file
	StdinArgs        []string       `yaml:"stdin_args"`         // added if the prompt is on standard input
	MaxArgumentBytes int            `yaml:"max_argument_bytes"` // default 100000
	Overflow         PromptDelivery `yaml:"overflow"`           // how a longer prompt is delivered: stdin or file; empty: it is refused
}

// AgentOptions are the options of a turn and their command-line arguments; nil means that the
// agent does not have the option.
type AgentOptions struct {
	Model          *AgentOption   `yaml:"model"`
	NewSession     *AgentOption   `yaml:"new_session"`
	Resume         *AgentOption   `yaml:"resume"`
	Context        *AgentOption   `yaml:"context"`
	AllowedTools   *AgentToolList `yaml:"allowed_tools"`
	PermissionMode *AgentOption   `yaml:"permission_mode"`
	MaxTurns       *AgentOption   `yaml:"max_turns"`
	Directory      *AgentOption   `yaml:"directory"`
}

// AgentOption describes the arguments of an option, which contain the option's placeholder. In
// the file, a list is short for Args.
type AgentOption struct {
	Args    []string            `yaml:"args"`
	Values  map[string][]string `yaml:"values"`  // arguments by value; other values are refused
	Each    bool                `yaml:"each"`    // repeat Args for each value
	Join    string              `yaml:"join"`    // separator of the values
	Prepend bool                `yaml:"prepend"` // put the value before the prompt's text
	Default string              `yaml:"default"` // the value if the caller gives none

	Protocol bool `yaml:"-"` // it is sent over the protocol, not as arguments
}

// UnmarshalYAML accepts the short form.
func (o *AgentOption) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.SequenceNode {
		return n.Decode(&o.Args)
	}
	type plain AgentOption
	return n.Decode((*plain)(o))
}

// AgentToolList is the option that restricts an agent to a list of tools.
type AgentToolList struct {
	AgentOption     `yaml:",inline"`
	Limit           string   `yaml:"limit"`            // jq program instead of Args
	PermissionModes []string `yaml:"permission_modes"` // modes in which the list has an effect; the first is the default; empty: all
}

// UnmarshalYAML accepts the short form.
func (o *AgentToolList) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.SequenceNode {
		return n.Decode(&o.Args)
	}
	var own struct {
		Limit           string   `yaml:"limit"`
		PermissionModes []string `yaml:"permission_modes"`
	}
	if err := n.Decode(&own); err != nil {
		return err
	}
	o.Limit, o.PermissionModes = own.Limit, own.PermissionModes
	return n.Decode(&o.AgentOption)
}

// AgentOutput describes the agent's output.
type AgentOutput struct {
	Format string `yaml:"format"` // ndjson, json, text
	Stream string `yaml:"stream"` // stdout (default), stderr
	Events string `yaml:"events"` // jq program: one line (or the document) → events
	Finish string `yaml:"finish"` // required (default), optional: whether a turn without a finished event has failed
}

// Formats of an agent's output.
const (
	FormatNDJSON = "ndjson"
	FormatJSON   = "json"
	FormatText   = "text"
)

// AgentFailure assigns a kind to a failed turn whose output matches a pattern.
type AgentFailure struct {
	Pattern string `yaml:"pattern"`
	Kind    string `yaml:"kind"`
	Answer  bool   `yaml:"answer"` // also applies if the match is the whole answer of a turn that reports success
	Hint    string `yaml:"hint"`   // advice for the user
}

// AgentTools lists the agent's own names for its tools.
type AgentTools struct {
	Valid     []string          `yaml:"valid"`
	Canonical map[string]string `yaml:"canonical"` // own name → read, edit, write, bash, glob, grep, question, other
}

// AgentTest is the part of a test that only adapters of family agent have: a transcript and the
// expected events, a turn and the expected command line, or turns over each of the agent's
// transports.
type AgentTest struct {
	Transcript    string              `yaml:"transcript"` // path beside the adapter
	ExitCode      int                 `yaml:"exit_code"`
	ExpectEvents  []map[string]any    `yaml:"expect_events"`
	ExpectFailure *AgentExpectFailure `yaml:"expect_failure"`

	Turn        *AgentTurn `yaml:"turn"`
	ExpectArgv  []string   `yaml:"expect_argv"`
	ExpectStdin *string    `yaml:"expect_stdin"`
	ExpectUsage string     `yaml:"expect_usage"` // pattern: the turn is refused with this message

	Transports *AgentTransports `yaml:"ways"`
}

// AgentTransports is a test that takes the same scripted turns over each of the agent's transports.
// {base}, {home} and {turn} are replaced by the address of a model server on this machine, the
// agent's home directory, and the number of the turn, from 1.
type AgentTransports struct {
	Env     map[string]string `yaml:"env"`
	Home    map[string]string `yaml:"home"` // content of files in the home directory, by path
	Differs []AgentDifference `yaml:"differs"`
}

// AgentDifference is a known difference from the turn over the agent's first transport.
type AgentDifference struct {
	Turn      string   `yaml:"turn"` // one of ScriptedTurns; empty: all
	Transport string   `yaml:"way"`
	In        []string `yaml:"in"` // text, tools, end, exit_code
	Because   string   `yaml:"because"`
	Version   string   `yaml:"version"` // version of the program with which it was last seen; empty: any
}

// Names of the turns that are taken over each transport.
const (
	TurnAnswer      = "answer"
	TurnTool        = "tool"
	TurnFailingTool = "failing_tool"
	TurnError       = "server_error"
)

// AgentExpectFailure is the failure that the turn of a transcript must have.
type AgentExpectFailure struct {
	Kind    string `yaml:"kind"`
	Message string `yaml:"message"` // pattern
}

// AgentTurn is a request to an agent.
type AgentTurn struct {
	Prompt         string   `yaml:"prompt"`
	PromptBytes    int      `yaml:"prompt_bytes"` // the prompt repeated to this length
	SessionID      string   `yaml:"session_id"`
	NewSessionID   string   `yaml:"new_session_id"`
	Model          string   `yaml:"model"`
	Context        string   `yaml:"context"`
	AllowedTools   []string `yaml:"allowed_tools"`
	PermissionMode string   `yaml:"permission_mode"`
	MaxTurns       int      `yaml:"max_turns"`
	Directory      string   `yaml:"directory"`
}

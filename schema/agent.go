package schema

import "gopkg.in/yaml.v3"

// Agent says how a coding agent takes one turn: which command line is built, how
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
	// DenialPattern tells a refused tool from the final message of an agent that
	// has no event for it.
	DenialPattern string     `yaml:"denial_pattern"`
	DenialHelp    string     `yaml:"denial_help"`
	Tools         AgentTools `yaml:"tools"`
	LingerMS      int        `yaml:"linger_ms"` // default 5000
	AgentNeeds    `yaml:",inline"`

	whole  *Adapter     `yaml:"-"`      // that Way was asked of; nil: it was not
	Screen *AgentScreen `yaml:"screen"` // nil: nothing drives its own interface
}

// AgentNeeds is what an agent needs of its surroundings, in a box and outside of one.
type AgentNeeds struct {
	// UnsetEnv lists variables of the caller's environment that the agent does not inherit.
	UnsetEnv []string `yaml:"unset_env"`
	// State lists what the agent writes in the home directory while it works: slash-separated
	// relative paths without "." and "..". One that ends in a slash is a directory, to be
	// created where it is missing; another is a file, which may not exist.
	State []string `yaml:"state"`
	// Hosts lists what the agent connects to for its model, as HOST (ports 80 and 443) or
	// HOST:PORT. HOST is a domain name or an address, IPv6 in brackets.
	Hosts []string `yaml:"hosts"`
}

// AgentAutoDetect places an agent in the order in which one is looked for.
type AgentAutoDetect struct {
	Priority int `yaml:"priority"` // lower is earlier; 0: never chosen by itself
}

// AgentAuth says how a login is found.
type AgentAuth struct {
	Env    []string         `yaml:"env"` // any of these stands for a login
	Status *AgentAuthStatus `yaml:"status"`
	Hint   string           `yaml:"hint"`
}

// AgentAuthStatus asks the agent itself.
type AgentAuthStatus struct {
	Args      []string `yaml:"args"`
	LoggedOut string   `yaml:"logged_out"` // pattern
}

// Transports of a turn.
const (
	TransportPipe   = "pipe"
	TransportStdio  = "stdio" // pipe, or pty where the adapter says so
	TransportPTY    = "pty"
	TransportACP    = "acp"
	TransportScreen = "screen"
)

// PromptDelivery is how a prompt reaches an agent.
type PromptDelivery string

const (
	PromptArgument PromptDelivery = "argument"
	PromptStdin    PromptDelivery = "stdin"
	PromptFile     PromptDelivery = "file"
)

// AgentPrompt says how the prompt is handed over.
type AgentPrompt struct {
	Deliver          PromptDelivery `yaml:"deliver"`
	Flag             string         `yaml:"flag"`               // before the prompt
	FileFlag         string         `yaml:"file_flag"`          // before the path of a prompt in a file
	StdinArgs        []string       `yaml:"stdin_args"`         // added when it goes by standard input
	MaxArgumentBytes int            `yaml:"max_argument_bytes"` // default 100000
	Overflow         PromptDelivery `yaml:"overflow"`           // stdin or file; empty: a longer one is refused
}

// AgentOptions are the features of a turn and their command-line arguments; nil
// means that the agent has no such flag.
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

// AgentOption is a feature's arguments, with the feature's placeholder; a list
// in the file is Args alone.
type AgentOption struct {
	Args    []string            `yaml:"args"`
	Values  map[string][]string `yaml:"values"`  // arguments by value; others are refused
	Each    bool                `yaml:"each"`    // Args once for each value
	Join    string              `yaml:"join"`    // between the values
	Prepend bool                `yaml:"prepend"` // the value goes before the prompt's text
	Default string              `yaml:"default"` // where the caller asks for nothing

	Protocol bool `yaml:"-"` // it goes over the protocol; no arguments
}

// UnmarshalYAML accepts the short form.
func (o *AgentOption) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.SequenceNode {
		return n.Decode(&o.Args)
	}
	type plain AgentOption
	return n.Decode((*plain)(o))
}

// AgentToolList is the option that keeps an agent to a list of tools.
type AgentToolList struct {
	AgentOption     `yaml:",inline"`
	Limit           string   `yaml:"limit"`            // jq program instead of Args
	PermissionModes []string `yaml:"permission_modes"` // in which the list is kept; the first is the default; empty: in all
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

// AgentOutput says what the agent's output is.
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

// AgentFailure names the kind of a failure by what a failed turn said.
type AgentFailure struct {
	Pattern string `yaml:"pattern"`
	Kind    string `yaml:"kind"`
	Answer  bool   `yaml:"answer"` // also where it is the whole answer of a turn that reports success
	Hint    string `yaml:"hint"`   // what to do, for people
}

// AgentTools are the agent's own names of its tools.
type AgentTools struct {
	Valid     []string          `yaml:"valid"`
	Canonical map[string]string `yaml:"canonical"` // own name → read, edit, write, bash, glob, grep, question, other
}

// AgentTest is what a test of family agent says: a transcript and what it means, a turn
// and the command line that it makes, or where turns are taken over each of its ways.
type AgentTest struct {
	Transcript    string              `yaml:"transcript"` // path beside the adapter
	ExitCode      int                 `yaml:"exit_code"`
	ExpectEvents  []map[string]any    `yaml:"expect_events"`
	ExpectFailure *AgentExpectFailure `yaml:"expect_failure"`

	Turn        *AgentTurn `yaml:"turn"`
	ExpectArgv  []string   `yaml:"expect_argv"`
	ExpectStdin *string    `yaml:"expect_stdin"`
	ExpectUsage string     `yaml:"expect_usage"` // pattern: the turn is refused with this message

	Ways *AgentWays `yaml:"ways"`
}

// AgentWays is where the same scripted turns are taken over each of the agent's
// transports. {base}, {home} and {turn} stand for the address of a model server on this
// machine, the agent's home directory, and the number of the turn, from 1.
type AgentWays struct {
	Env     map[string]string `yaml:"env"`
	Home    map[string]string `yaml:"home"` // text of files by their paths in the home directory
	Differs []AgentDifference `yaml:"differs"`
}

// AgentDifference is what is known to differ from the agent's first way.
type AgentDifference struct {
	Turn    string   `yaml:"turn"` // one of ScriptedTurns; empty: all
	Way     string   `yaml:"way"`
	In      []string `yaml:"in"` // text, tools, end, exit_code
	Because string   `yaml:"because"`
	Version string   `yaml:"version"` // of the program that it was last seen with; empty: any
}

// The turns that are taken over each way, by their names in adapters.
const (
	TurnAnswer      = "answer"
	TurnTool        = "tool"
	TurnFailingTool = "failing_tool"
	TurnError       = "server_error"
)

// AgentExpectFailure is how a transcript's turn must be judged.
type AgentExpectFailure struct {
	Kind    string `yaml:"kind"`
	Message string `yaml:"message"` // pattern
}

// AgentTurn is what is asked of an agent.
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

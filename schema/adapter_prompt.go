package schema

// Prompt describes how the end of a command is recognized.
type Prompt struct {
	Strategy           PromptStrategy    `yaml:"strategy"`
	ShellIntegration   *ShellIntegration `yaml:"shell_integration"`
	Primary            string            `yaml:"primary"`
	Continuation       string            `yaml:"continuation"`
	ContinuationEscape string            `yaml:"continuation_escape"`
	GroupCaptures      []GroupCapture    `yaml:"group_captures"`
}

// PromptStrategy is the kind of boundary.
type PromptStrategy string

const (
	PromptShellIntegration PromptStrategy = "shell_integration"
	PromptMarker           PromptStrategy = "marker"
	PromptRegex            PromptStrategy = "regex"
)

// ShellIntegration describes the OSC 633 protocol of an adapter.
type ShellIntegration struct {
	Protocol        string          `yaml:"protocol"`  // osc633 (default), osc133
	Nonce           string          `yaml:"nonce"`     // required, or absent
	Numbered        bool            `yaml:"numbered"`  // each marker carries its prompt's number before the nonce
	Confirm         bool            `yaml:"confirm"`   // a prompt counts when the program waits for input there
	Printable       bool            `yaml:"printable"` // and one that it does not wait at is output
	Markers         Markers         `yaml:"markers"`
	PropertyUpdates PropertyUpdates `yaml:"property_updates"`
}

// Markers are the declared sequences, as full escapes or single letters; an
// empty field is the protocol's own.
type Markers struct {
	PromptStart       string `yaml:"prompt_start"`
	CommandInputStart string `yaml:"command_input_start"`
	CommandExecuted   string `yaml:"command_executed"`
	CommandFinished   string `yaml:"command_finished"`
	PropertyUpdate    string `yaml:"property_update"`
}

// PropertyUpdates names the keys of property updates (OSC 633 P).
type PropertyUpdates struct {
	CwdKey string `yaml:"cwd_key"` // default Cwd
}

// GroupCapture gives a meaning to a group of the prompt pattern.
type GroupCapture struct {
	Name  string `yaml:"name"`
	Group int    `yaml:"group"`
	Type  string `yaml:"type"` // int, string
	Role  string `yaml:"role"` // monotonic_counter, nesting_level, mode_indicator
}

package schema

// Mode is a state of the program with its own prompt.
type Mode struct {
	Name            string        `yaml:"name"`
	Primary         string        `yaml:"primary"`
	Default         bool          `yaml:"default"`
	AutoEnter       bool          `yaml:"auto_enter"`
	Detect          string        `yaml:"detect"`
	Nested          bool          `yaml:"nested"`
	LevelCapture    *int          `yaml:"level_capture"` // group number in primary
	AdvanceCommands []ModeCommand `yaml:"advance_commands"`
	ExitCommands    []ModeCommand `yaml:"exit_commands"`
	ExitDetect      string        `yaml:"exit_detect"`
}

// ModeCommand is a command that advances within a mode or leaves it.
type ModeCommand struct {
	Command string `yaml:"command"`
	Effect  string `yaml:"effect"`
}

// Commands lists the program's meta-commands.
type Commands struct {
	Prefix    string             `yaml:"prefix"`
	Scope     []string           `yaml:"scope"`
	Discovery string             `yaml:"discovery"`
	Builtin   []BuiltinCommand   `yaml:"builtin"`
	Debugger  map[string]*string `yaml:"debugger"` // operation → template; null: not supported
}

// BuiltinCommand is a meta-command.
type BuiltinCommand struct {
	Name        string `yaml:"name"`
	Syntax      string `yaml:"syntax"`
	Description string `yaml:"description"`
}

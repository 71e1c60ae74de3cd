package schema

// Signals are the bytes that are typed to cause signals; nil means that no bytes are safe.
type Signals struct {
	Interrupt        *string `yaml:"interrupt"` // default "\x03"
	EOF              *string `yaml:"eof"`       // default "\x04"
	Suspend          *string `yaml:"suspend"`
	InterruptConfirm *string `yaml:"interrupt_confirm"`
	InterruptLossy   bool    `yaml:"interrupt_lossy"`
}

// Lifecycle is the shutdown and restart policy.
type Lifecycle struct {
	ReadyTimeoutMS int      `yaml:"ready_timeout_ms"` // reserved; has no effect
	Shutdown       Shutdown `yaml:"shutdown"`
	RestartOn      []string `yaml:"restart_on"` // crash, idle_timeout
	IdleTimeoutMS  int      `yaml:"idle_timeout_ms"`
}

// Shutdown describes how the program is asked to end.
type Shutdown struct {
	Command     string `yaml:"command"`
	GraceMS     int    `yaml:"grace_ms"`     // default 1000
	ForceSignal string `yaml:"force_signal"` // kill (default), term, hup, int, quit
}

// Capabilities are the features that a client may rely on.
type Capabilities struct {
	Stateful                bool           `yaml:"stateful"` // default true
	Interrupt               bool           `yaml:"interrupt"`
	MetaCommands            bool           `yaml:"meta_commands"`
	AutoModes               bool           `yaml:"auto_modes"`
	AsyncOutput             bool           `yaml:"async_output"`
	ExitCode                ExitCode       `yaml:"exit_code"` // default false
	CwdTracking             bool           `yaml:"cwd_tracking"`
	CwdFormat               string         `yaml:"cwd_format"` // windows_native, posix, none
	JobControl              bool           `yaml:"job_control"`
	ShellIntegration        string         `yaml:"shell_integration"` // osc633, osc133, iterm2, kitty
	UserBusyDetection       string         `yaml:"user_busy_detection"`
	UserBusyDetectionParams map[string]any `yaml:"user_busy_detection_params"`
	CdCommand               string         `yaml:"cd_command"`
	CdCommandQuote          string         `yaml:"cd_command_quote"`
}

// ExitCode is the reliability of the exit codes that the program reports.
type ExitCode string

const (
	ExitCodeTrue       ExitCode = "true"
	ExitCodeFalse      ExitCode = "false"
	ExitCodeUnreliable ExitCode = "unreliable"
)

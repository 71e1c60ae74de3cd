package schema

// Adapter is one validated adapter file: everything the runtime knows about a
// program. The loader fills in defaults, so a consumer never asks "was this
// set"; where absence itself means something the field is a pointer.
//
// An Adapter is immutable once loaded and may be shared between sessions.
type Adapter struct {
	Schema      int      `yaml:"schema"`
	Name        string   `yaml:"name"`
	Version     string   `yaml:"version"`
	Description string   `yaml:"description"`
	Homepage    string   `yaml:"homepage"`
	License     string   `yaml:"license"`
	Family      Family   `yaml:"family"`
	Aliases     []string `yaml:"aliases"`
	// Verified is false for an adapter that was written from the program's
	// documentation and never run against it; Unverified is the reason.
	Verified   bool   `yaml:"verified"`
	Unverified string `yaml:"unverified"`

	Process      Process      `yaml:"process"`
	Ready        Ready        `yaml:"ready"`
	Init         Init         `yaml:"init"`
	Prompt       Prompt       `yaml:"prompt"`
	Output       Output       `yaml:"output"`
	Input        Input        `yaml:"input"`
	Modes        []Mode       `yaml:"modes"`
	Commands     *Commands    `yaml:"commands"`
	Signals      Signals      `yaml:"signals"`
	Lifecycle    Lifecycle    `yaml:"lifecycle"`
	Capabilities Capabilities `yaml:"capabilities"`
	Probe        *Probe       `yaml:"probe"`
	Tests        []Test       `yaml:"tests"`
	Samples      Samples      `yaml:"samples"`
	Agent        *Agent       `yaml:"agent"`

	// IntegrationScript is the inline body of the integration script, the
	// top-level alternative to init.script and init.script_resource.
	IntegrationScript string `yaml:"integration_script"`

	// Source is where the file was read from, for messages ("adapters/bash.yaml").
	Source string `yaml:"-"`
	// Script is the integration script text, resolved from whichever of the
	// three keys declared it; empty when there is none.
	Script string `yaml:"-"`
}

// Family groups adapters for defaults and labels.
type Family string

const (
	FamilyShell    Family = "shell"
	FamilyREPL     Family = "repl"
	FamilyDebugger Family = "debugger"
	FamilyAgent    Family = "agent"
)

// Position is a place in an adapter file; lines and columns count from 1.
type Position struct{ Line, Column int }

// Process says how to launch the program.
type Process struct {
	CommandTemplate      string            `yaml:"command_template"`
	Args                 []string          `yaml:"args"` // at the end of the command line, unless the caller has his own
	Executable           string            `yaml:"executable"`
	ExecutableCandidates []string          `yaml:"executable_candidates"`
	InheritEnvironment   bool              `yaml:"inherit_environment"` // default true
	Env                  map[string]string `yaml:"env"`
	Encoding             string            `yaml:"encoding"`        // always utf-8
	LineEnding           string            `yaml:"line_ending"`     // default "\n"; input.line_ending wins
	PromptTemplate       string            `yaml:"prompt_template"` // strategy prompt_variable
	VersionProbe         *VersionProbe     `yaml:"version"`
	Install              *Install          `yaml:"install"`
	TTY                  TTY               `yaml:"tty"`
}

// VersionProbe asks the executable for its version: the first group of Pattern.
type VersionProbe struct {
	Args    []string `yaml:"args"`
	Pattern string   `yaml:"pattern"`
}

// Install says how to get the interpreter when it is missing.
type Install struct {
	Debian []string `yaml:"debian"`
	NPM    []string `yaml:"npm"`
	Go     []string `yaml:"go"`
	Hint   string   `yaml:"hint"`
	URL    string   `yaml:"url"`
}

// TTY is the terminal that the program sees.
type TTY struct {
	Cols      int        `yaml:"cols"`      // default 200
	Rows      int        `yaml:"rows"`      // default 50
	Echo      bool       `yaml:"echo"`      // default true
	Canonical bool       `yaml:"canonical"` // default true
	Term      string     `yaml:"term"`      // default xterm-256color
	Replies   []TTYReply `yaml:"replies"`   // default da1, dsr
}

// TTYReply names a terminal query that is answered with a constant-shaped reply.
type TTYReply string

const (
	ReplyDA1 TTYReply = "da1" // CSI c
	ReplyDSR TTYReply = "dsr" // CSI 5 n and CSI 6 n
)

// Ready says how startup ends. Times are in milliseconds.
type Ready struct {
	WaitForEvent               ReadyEvent `yaml:"wait_for_event"` // default by prompt.strategy
	Pattern                    string     `yaml:"pattern"`        // wait_for_event regex, custom
	Needs                      *Needs     `yaml:"needs"`          // ours
	TimeoutMS                  int        `yaml:"timeout_ms"`     // reserved by v1
	SettleBeforeInjectMS       int        `yaml:"settle_before_inject_ms"`
	SuppressMirrorDuringInject bool       `yaml:"suppress_mirror_during_inject"`
	KickEnterAfterReady        bool       `yaml:"kick_enter_after_ready"`
	DelayAfterInjectMS         int        `yaml:"delay_after_inject_ms"`
	OutputSettledMinMS         int        `yaml:"output_settled_min_ms"`    // default 2000
	OutputSettledStableMS      int        `yaml:"output_settled_stable_ms"` // default 1000
	OutputSettledMaxMS         int        `yaml:"output_settled_max_ms"`    // default 30000
}

// Needs is what a program talks to, such as a server, and how it shows that it is
// not there.
type Needs struct {
	What    string `yaml:"what"`
	Missing string `yaml:"missing"` // pattern
}

// ReadyEvent is what ends startup.
type ReadyEvent string

const (
	ReadyPromptStart ReadyEvent = "prompt_start"
	ReadyMarker      ReadyEvent = "marker"
	ReadyRegex       ReadyEvent = "regex"
	ReadyCustom      ReadyEvent = "custom"
)

// Init says how the integration reaches the program.
type Init struct {
	Strategy               InitStrategy     `yaml:"strategy"`
	HookType               string           `yaml:"hook_type"`
	Delivery               Delivery         `yaml:"delivery"`
	ScriptResource         string           `yaml:"script_resource"`
	Script                 string           `yaml:"script"`
	InitInvocationTemplate string           `yaml:"init_invocation_template"`
	Tempfile               *InitTempfile    `yaml:"tempfile"`
	BannerInjection        *BannerInjection `yaml:"banner_injection"`
	RCFile                 *RCFile          `yaml:"rc_file"`
	Marker                 *Marker          `yaml:"marker"`
}

// InitStrategy is how prompts become detectable.
type InitStrategy string

const (
	InitShellIntegration InitStrategy = "shell_integration"
	InitMarker           InitStrategy = "marker"
	InitPromptVariable   InitStrategy = "prompt_variable"
	InitRegex            InitStrategy = "regex"
	InitNone             InitStrategy = "none"
)

// Delivery is how the integration script arrives.
type Delivery string

const (
	DeliverLaunchCommand Delivery = "launch_command"
	DeliverPTYInject     Delivery = "pty_inject"
	DeliverRCFile        Delivery = "rc_file"
	DeliverNone          Delivery = "none"
)

// InitTempfile names the staged integration script.
type InitTempfile struct {
	Prefix    string `yaml:"prefix"`
	Extension string `yaml:"extension"`
}

// BannerInjection shows a banner at startup.
type BannerInjection struct {
	Mode           string `yaml:"mode"` // prepend_to_tempfile, write_before_pty, none
	BannerTemplate string `yaml:"banner_template"`
	ReasonTemplate string `yaml:"reason_template"`
}

// RCFile stages the script as a startup file found through an environment variable.
type RCFile struct {
	DirEnvVar  string `yaml:"dir_env_var"`  // names the file's directory, or
	FileEnvVar string `yaml:"file_env_var"` // the file itself
	FileName   string `yaml:"file_name"`
}

// Marker holds literal prompts, matched as bytes.
type Marker struct {
	Primary      string `yaml:"primary"`
	Continuation string `yaml:"continuation"`
}

// Prompt says how the end of a command is recognised.
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

// Output says what happens to a command's output.
type Output struct {
	PostPromptSettleMS int              `yaml:"post_prompt_settle_ms"`
	StripANSI          bool             `yaml:"strip_ansi"`
	StripInputEcho     bool             `yaml:"strip_input_echo"` // default true
	InputEchoStrategy  EchoStrategy     `yaml:"input_echo_strategy"`
	LineEnding         string           `yaml:"line_ending"` // what the program writes; default "\r\n"
	AsyncInterleave    *AsyncInterleave `yaml:"async_interleave"`
	ErrorPattern       string           `yaml:"error_pattern"`
}

// EchoStrategy is how input echo is told from output.
type EchoStrategy string

const (
	EchoOSCBoundaries     EchoStrategy = "osc_boundaries"
	EchoDeterministicByte EchoStrategy = "deterministic_byte_match"
	EchoFuzzyByte         EchoStrategy = "fuzzy_byte_match"
	EchoNone              EchoStrategy = "none"
)

// AsyncInterleave says what becomes of output that arrives between commands.
type AsyncInterleave struct {
	Strategy  string `yaml:"strategy"`   // redraw_detect, quiesce, accept, none
	CaptureAs string `yaml:"capture_as"` // out_of_band, merge, discard
}

// Input says how code reaches the program.
type Input struct {
	LineEnding        string            `yaml:"line_ending"` // empty: process.line_ending
	MultilineDetect   MultilineDetect   `yaml:"multiline_detect"`
	MultilineDelivery MultilineDelivery `yaml:"multiline_delivery"`
	MultilineWrapper  *MultilineWrapper `yaml:"multiline_wrapper"`
	BalancedParens    *BalancedParens   `yaml:"balanced_parens"`
	Tempfile          *InputTempfile    `yaml:"tempfile"`
	MaxLineBytes      int               `yaml:"max_line_bytes"` // 0: no limit of its own
	LineCharset       string            `yaml:"line_charset"`   // ours: utf-8, ascii
	EmptyLine         string            `yaml:"empty_line"`     // ours: send, none
	ChunkDelayMS      int               `yaml:"chunk_delay_ms"`
	ClearLine         string            `yaml:"clear_line"`
}

// MultilineDetect is how incomplete input is recognised.
type MultilineDetect string

const (
	DetectPromptBased    MultilineDetect = "prompt_based"
	DetectWrapper        MultilineDetect = "wrapper"
	DetectBalancedParens MultilineDetect = "balanced_parens"
	DetectIndentBased    MultilineDetect = "indent_based" // reserved by v1
	DetectNone           MultilineDetect = "none"
)

// MultilineDelivery is how a block of several lines is sent.
type MultilineDelivery string

const (
	DeliverDirect             MultilineDelivery = "direct"
	DeliverTempfile           MultilineDelivery = "tempfile"
	DeliverHeredoc            MultilineDelivery = "heredoc"
	DeliverWrapper            MultilineDelivery = "wrapper"
	DeliverEncodedScriptblock MultilineDelivery = "encoded_scriptblock"
	DeliverBracketedPaste     MultilineDelivery = "bracketed_paste"
)

// MultilineWrapper brackets a block (":{" and ":}").
type MultilineWrapper struct {
	Open    string `yaml:"open"`
	Close   string `yaml:"close"`
	Trigger string `yaml:"trigger"` // auto, always, never
}

// BalancedParens parameterises the bracket counter.
type BalancedParens struct {
	Open               []string `yaml:"open"`
	Close              []string `yaml:"close"`
	StringDelims       []string `yaml:"string_delims"`
	Escape             string   `yaml:"escape"`
	EscapeSymbols      bool     `yaml:"escape_symbols"`
	LineComment        string   `yaml:"line_comment"`
	BlockComment       []string `yaml:"block_comment"` // open, close
	BlockCommentFlat   bool     `yaml:"block_comment_flat"`
	CharLiteralPrefix  string   `yaml:"char_literal_prefix"`
	DatumCommentPrefix string   `yaml:"datum_comment_prefix"`
}

// InputTempfile is a block of code delivered through a file.
type InputTempfile struct {
	Prefix             string `yaml:"prefix"`
	Extension          string `yaml:"extension"`
	PathTemplate       string `yaml:"path_template"`
	InvocationTemplate string `yaml:"invocation_template"`
	HistoryFilter      string `yaml:"history_filter"`
	CleanupOnStart     bool   `yaml:"cleanup_on_start"`
	StaleTTLHours      int    `yaml:"stale_ttl_hours"` // default 0
}

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

// ModeCommand is a command that moves within a mode or leaves it.
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

// BuiltinCommand is one meta-command.
type BuiltinCommand struct {
	Name        string `yaml:"name"`
	Syntax      string `yaml:"syntax"`
	Description string `yaml:"description"`
}

// Signals are the bytes that stand for signals; nil means "there is no safe one".
type Signals struct {
	Interrupt        *string `yaml:"interrupt"` // default "\x03"
	EOF              *string `yaml:"eof"`       // default "\x04"
	Suspend          *string `yaml:"suspend"`
	InterruptConfirm *string `yaml:"interrupt_confirm"`
}

// Lifecycle is the shutdown and restart policy.
type Lifecycle struct {
	ReadyTimeoutMS int      `yaml:"ready_timeout_ms"` // reserved by v1
	Shutdown       Shutdown `yaml:"shutdown"`
	RestartOn      []string `yaml:"restart_on"` // crash, idle_timeout
	IdleTimeoutMS  int      `yaml:"idle_timeout_ms"`
}

// Shutdown is how the program is asked to end.
type Shutdown struct {
	Command     string `yaml:"command"`
	GraceMS     int    `yaml:"grace_ms"`     // default 1000
	ForceSignal string `yaml:"force_signal"` // kill (default), term, hup, int, quit
}

// Capabilities are what a client may rely on.
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
	ShellIntegration        string         `yaml:"shell_integration"`
	UserBusyDetection       string         `yaml:"user_busy_detection"`
	UserBusyDetectionParams map[string]any `yaml:"user_busy_detection_params"`
	CdCommand               string         `yaml:"cd_command"`
	CdCommandQuote          string         `yaml:"cd_command_quote"`
}

// ExitCode is how far reported exit codes can be trusted.
type ExitCode string

const (
	ExitCodeTrue       ExitCode = "true"
	ExitCodeFalse      ExitCode = "false"
	ExitCodeUnreliable ExitCode = "unreliable"
)

// Probe is the health check: one line of code and what it must print.
type Probe struct {
	Eval   string `yaml:"eval"`
	Expect string `yaml:"expect"`

	Pos Position `yaml:"-"`
}

// Test is one contract test.
type Test struct {
	Name          string  `yaml:"name"`
	Setup         *string `yaml:"setup"`
	SetupSequence []Step  `yaml:"setup_sequence"`
	Step          `yaml:",inline"`
	AgentTest     `yaml:",inline"`
	TimeoutMS     int  `yaml:"timeout_ms"` // default 15000
	Isolated      bool `yaml:"isolated"`

	Pos Position `yaml:"-"`
}

// Step is one evaluation with its assertions; nil means "not asserted".
type Step struct {
	Eval                 *string `yaml:"eval"`
	Expect               *string `yaml:"expect"`
	ExpectError          *bool   `yaml:"expect_error"`
	ExpectExitCode       *int    `yaml:"expect_exit_code"`
	ExpectCwdUpdate      *bool   `yaml:"expect_cwd_update"`
	ExpectMode           *string `yaml:"expect_mode"`
	ExpectLevel          *int    `yaml:"expect_level"`
	ExpectOutOfBand      *string `yaml:"expect_out_of_band"`
	ExpectNoLastExit     *bool   `yaml:"expect_no_last_exit"`
	ExitCodeIsUnreliable bool    `yaml:"exit_code_is_unreliable"`

	Pos Position `yaml:"-"`
}

// Samples are one-liners in the adapter's language from which the derived
// tests are made; empty means "not available". Placeholders: {text}, {n}, {path}.
type Samples struct {
	Print      string `yaml:"print"`
	PrintLines string `yaml:"print_lines"`
	Error      string `yaml:"error"`
	Busy       string `yaml:"busy"`
	Sleep      string `yaml:"sleep"`
	ReadLine   string `yaml:"read_line"`
	ReadSecret string `yaml:"read_secret"`
	Multiline  string `yaml:"multiline"`
	SetVar     string `yaml:"set_var"`
	GetVar     string `yaml:"get_var"`
	RawBytes   string `yaml:"raw_bytes"`
	Comment    string `yaml:"comment"`
	Cd         string `yaml:"cd"`
}

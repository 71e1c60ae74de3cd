// Package config reads how a loop is to run: settings from flags, the environment,
// ripple.yml and two .ralphrc files, in this order, each known with where it came from.
package config

import (
	"cmp"
	"strings"
	"time"

	"example.org/ripple/runtime/loop/hats"
)

// Config is the configuration of a loop, with a field for each setting.
type Config struct {
	Backend        string        // name of an agent's adapter, "auto" or "custom"
	Command        string        // custom: the program
	Args           []string      // custom: its arguments before the prompt
	PromptMode     string        // custom: arg or stdin
	PromptFlag     string        // custom, arg: the flag before the prompt
	TTY            bool          // custom: it needs a terminal
	JSON           bool          // custom: it prints JSON, not text
	ExtraArgs      []string      // arguments of an adapter's agent, after the adapter's own
	ResumeArgs     []string      // custom: arguments that continue the session {session_id}; nil: it cannot
	Timeout        time.Duration // limit of a turn
	IdleTimeout    time.Duration // limit of a turn's time without output; 0: none
	AllowedTools   []string
	PermissionMode string
	Verbose        bool

	ProjectName string // for the agent's prompt and the logs; may be empty
	ProjectType string // likewise

	CallsPerHour      int
	DenialMode        string // continue, halt or threshold
	SessionContinuity bool
	SessionExpiry     time.Duration

	NoProgress, SameError, Denials, Decline int // thresholds of the circuit breaker: turns, turns, turns, percent
	Cooldown                                time.Duration
	AutoReset                               bool

	Promise        string
	MaxTurns       int
	MaxRuntime     time.Duration // 0: none
	MaxCost        float64       // US dollars; 0: none
	MaxTokens      int64         // input and output; 0: none
	MaxFailures    int
	MaxOutput      int64         // bytes that are kept of a turn, in each of the record and the logs; 0: no limit
	MaxRecord      int64         // bytes of events.jsonl; 0: no limit
	MaxLogs        int64         // bytes of the logs; 0: no limit
	MaxWait        time.Duration // for a provider's limit, without a turn in between
	Verify         []string
	VerifyAttempts int
	VerifyTimeout  time.Duration
	Commit         bool
	CommitAll      bool
	Tag            bool
	Worktree       string   // a branch; "": none
	Fallback       []string // agents that take over, in this order, if one is limited

	WaitForAnswer   string        // auto, always or never
	QuestionTimeout time.Duration // 0: none
	OnQuestion      string        // a command; "": none
	Allow, Deny     []Rule        // permissions that are granted or refused without asking
	Notify          bool

	Box                               bool     // run agents and checks in a box
	BoxWrite, BoxRead, BoxNet, BoxEnv []string // additional permissions there, as in box.Policy.Allow and box.Options.Env

	Hats       *hats.Rules // the hats of ripple.yml; never nil after Load
	Prompt     string      // the task, from ripple.yml; "": it is in PromptFile
	PromptFile string      // the file of the task, from ripple.yml, so that it must be in the project; "": .ralph/PROMPT.md

	files    []File
	sources  map[string]Source
	adapters map[string]adapterSettings

	hatPlaces map[string]string
	expanded  map[string]rcValue // the values that contain variables, by Source.From
}

// Source is a value and where it comes from: "default", "environment", "--timeout",
// "ripple.yml:3:5".
type Source struct{ Name, Value, From string }

// Setting describes a setting.
type Setting struct {
	Name    string   // in the environment and in .ralphrc; in lower case the key of loop:
	Twins   []string // other names of the same setting
	Flag    string   // the command's flag, without dashes; "" for none
	Off     string   // the flag that means false; "" for none
	Alone   string   // the value of the flag if it is given without one; "": it needs one
	Default string
	Help    string // what it sets, and the unit: one line of the command's help; then a line that only documents and files show
	Idle    string // why a value other than the default has no effect; "" if it has one
	Once    bool   // it applies to one start: a resumed run does not repeat it
	Section string // the section of ripple.yml; "" for loop
	Repeats bool   // the flag may be given several times, values are joined by line feeds

	set func(c *Config, value string) error
}

// Summary returns the line of Help that the command shows.
func (s Setting) Summary() string {
	line, _, _ := strings.Cut(s.Help, "\n")
	return line
}

// Description returns all of Help as one sentence, without a final period.
func (s Setting) Description() string { return strings.ReplaceAll(s.Help, "\n", "; ") }

// Settings returns all settings, in the order of the manual. Up to COMPLETION_PROMISE the names
// and defaults are those of the Ralph reference implementation.
func Settings() []Setting { return allSettings }

const defaultTools = "Write,Read,Edit,MultiEdit,Glob,Grep,Task,TodoWrite,WebFetch,WebSearch,EnterPlanMode,ExitPlanMode,NotebookEdit,Bash"

var allSettings = []Setting{
	{Name: "PROJECT_NAME", Default: "my-project", Help: "the project's name, for the agent and the logs", set: text(func(c *Config) *string { return &c.ProjectName })},
	{Name: "PROJECT_TYPE", Default: "unknown", Help: "the kind of project, for the agent", set: text(func(c *Config) *string { return &c.ProjectType })},
	{Name: "PLATFORM_DRIVER", Flag: "adapter", Default: "auto", Help: "the agent: an adapter's name, auto or custom\nauto is the first usable agent, custom is cli.command in ripple.yml", set: text(func(c *Config) *string { return &c.Backend })},
	{Name: "MAX_CALLS_PER_HOUR", Flag: "calls", Default: "100", Help: "maximum number of turns started within an hour", set: number(1, 100_000, func(c *Config) *int { return &c.CallsPerHour })},
	{Name: "AGENT_TIMEOUT_MINUTES", Twins: []string{"CLAUDE_TIMEOUT_MINUTES"}, Flag: "timeout", Default: "15", Help: "maximum duration of a turn, in minutes\nother units: 90s, 2h", set: span(time.Minute, false, func(c *Config) *time.Duration { return &c.Timeout })},
	{Name: "AGENT_IDLE_TIMEOUT_SECS", Flag: "idle-timeout", Default: "0", Help: "maximum time without output in a turn, in seconds\nother units: 2m; 0 for no limit", set: span(time.Second, true, func(c *Config) *time.Duration { return &c.IdleTimeout })},
	{Name: "AGENT_OUTPUT_FORMAT", Twins: []string{"CLAUDE_OUTPUT_FORMAT"}, Default: "json", Help: "accepted, without effect: the adapter defines the output format", Idle: "the adapter says what its agent prints", set: checked("json", "text")},
	{Name: "ALLOWED_TOOLS", Twins: []string{"CLAUDE_ALLOWED_TOOLS"}, Flag: "allowed-tools", Default: defaultTools, Help: "tools that the agent may use\nonly for agents that have such a setting", set: list(func(c *Config) *[]string { return &c.AllowedTools })},
	{Name: "AGENT_PERMISSION_MODE", Twins: []string{"CLAUDE_PERMISSION_MODE"}, Flag: "permission-mode", Default: "bypassPermissions", Help: "the agent's own permission mode\nonly for agents that have one", set: text(func(c *Config) *string { return &c.PermissionMode })},
	{Name: "PERMISSION_DENIAL_MODE", Flag: "on-denial", Default: "continue", Help: "on a denial: continue, halt or threshold\nthreshold opens the circuit after several denials", set: choice(func(c *Config) *string { return &c.DenialMode }, "continue", "halt", "threshold")},
	{Name: "SESSION_CONTINUITY", Twins: []string{"AGENT_USE_CONTINUE", "CLAUDE_USE_CONTINUE"}, Flag: "continue-session", Off: "fresh", Default: "true", Help: "continue the agent's session in the next turn", set: boolean(func(c *Config) *bool { return &c.SessionContinuity })},
	{Name: "SESSION_EXPIRY_HOURS", Default: "24", Help: "a session that was unused for this long is not continued: 90m, or a number of hours", set: span(time.Hour, false, func(c *Config) *time.Duration { return &c.SessionExpiry })},
	{Name: "RALPH_VERBOSE", Flag: "verbose", Default: "false", Help: "like --live", set: boolean(func(c *Config) *bool { return &c.Verbose })},
	{Name: "CB_NO_PROGRESS_THRESHOLD", Default: "3", Help: "turns without progress that open the circuit", set: number(1, 100_000, func(c *Config) *int { return &c.NoProgress })},
	{Name: "CB_SAME_ERROR_THRESHOLD", Default: "5", Help: "turns with the same error that open the circuit", set: number(1, 100_000, func(c *Config) *int { return &c.SameError })},
	{Name: "CB_PERMISSION_DENIAL_THRESHOLD", Default: "2", Help: "turns with denied permissions that open the circuit in threshold mode", set: number(1, 100_000, func(c *Config) *int { return &c.Denials })},
	{Name: "CB_OUTPUT_DECLINE_THRESHOLD", Default: "70", Help: "answers that shrink by more than this percentage, 3 turns in a row, open the circuit", set: number(1, 100, func(c *Config) *int { return &c.Decline })},
	{Name: "CB_COOLDOWN_MINUTES", Default: "30", Help: "time after which an open circuit allows another attempt: 2h, or a number of minutes", set: span(time.Minute, true, func(c *Config) *time.Duration { return &c.Cooldown })},
	{Name: "CB_AUTO_RESET", Once: true, Flag: "auto-reset-circuit", Default: "false", Help: "close an open circuit at the start", set: boolean(func(c *Config) *bool { return &c.AutoReset })},
	{Name: "TASK_SOURCES", Default: "local", Help: "accepted, without effect: tasks come from .ralph/@fix_plan.md", Idle: "tasks come from .ralph/@fix_plan.md", set: checked("local", "beads", "github")},
	{Name: "COMPLETION_PROMISE", Flag: "completion-promise", Default: "LOOP_COMPLETE", Help: "the agent's last line when done\nan answer that ends with it claims that the work is done", set: text(func(c *Config) *string { return &c.Promise })},

	{Name: "MAX_TURNS", Flag: "max-turns", Default: "100", Help: "maximum number of turns of a run\nthe resumed parts of a run count", set: number(1, 1_000_000, func(c *Config) *int { return &c.MaxTurns })},
	{Name: "MAX_RUNTIME", Flag: "max-runtime", Default: "0", Help: "maximum duration of a run, in minutes\nother units: 2h; the resumed parts of a run count; 0 for no limit", set: span(time.Minute, true, func(c *Config) *time.Duration { return &c.MaxRuntime })},
	{Name: "MAX_COST", Flag: "max-cost", Default: "0", Help: "maximum cost of a run in US dollars\nthe agent reports the cost; 0 for no limit", set: cost},
	{Name: "MAX_TOKENS", Flag: "max-tokens", Default: "0", Help: "maximum number of input and output tokens of a run\nthe agent reports them, and cached tokens do not count; a number, 500k or 2M; 0 for no limit", set: tokens},
	{Name: "MAX_FAILURES", Flag: "max-failures", Default: "5", Help: "consecutive failed turns that end the loop", set: number(1, 100_000, func(c *Config) *int { return &c.MaxFailures })},
	{Name: "MAX_OUTPUT", Flag: "max-output", Default: "32M", Help: "bytes of a turn's output that are kept\nthis applies to .ralph/events.jsonl and to each log; a number, 500k, 32M or 2G; 0 for no limit", set: size(func(c *Config) *int64 { return &c.MaxOutput })},
	{Name: "MAX_RECORD", Flag: "max-record", Default: "256M", Help: "maximum size of .ralph/events.jsonl, in bytes\nother units: 256M, 2G; above the limit, events of the oldest turns are removed; 0 for no limit", set: size(func(c *Config) *int64 { return &c.MaxRecord })},
	{Name: "MAX_LOGS", Flag: "max-logs", Default: "256M", Help: "maximum size of .ralph/logs, in bytes\nother units: 256M, 2G; above the limit, the oldest logs are removed; 0 for no limit", set: size(func(c *Config) *int64 { return &c.MaxLogs })},
	{Name: "MAX_WAIT", Flag: "max-wait", Default: "6h", Help: "maximum wait for a provider's limit, in minutes\nother units: 6h; also for a provider that cannot be reached", set: span(time.Minute, true, func(c *Config) *time.Duration { return &c.MaxWait })},
	{Name: "FALLBACK", Flag: "fallback", Help: "agents that take over while a provider's limit lasts\nalso while the provider cannot be reached; names in order of preference: codex,gemini", set: list(func(c *Config) *[]string { return &c.Fallback })},
	{Name: "VERIFY", Flag: "verify", Repeats: true, Help: "command that checks the work: it must succeed", set: lines(func(c *Config) *[]string { return &c.Verify })},
	{Name: "VERIFY_ATTEMPTS", Flag: "verify-attempts", Default: "3", Help: "failed verifications that end the loop", set: number(1, 1000, func(c *Config) *int { return &c.VerifyAttempts })},
	{Name: "VERIFY_TIMEOUT", Flag: "verify-timeout", Default: "30m", Help: "maximum time of a --verify command, in minutes\nother units: 90s, 2h", set: span(time.Minute, false, func(c *Config) *time.Duration { return &c.VerifyTimeout })},
	{Name: "COMMIT", Flag: "commit", Default: "false", Help: "commit the changes of each turn that made progress", set: boolean(func(c *Config) *bool { return &c.Commit })},
	{Name: "COMMIT_ALL", Flag: "commit-all", Default: "false", Help: "with --commit: also files that had changes before the turn", set: boolean(func(c *Config) *bool { return &c.CommitAll })},
	{Name: "TAG", Flag: "tag", Default: "false", Help: "tag the last commit of each turn\nalso one that the agent made", set: boolean(func(c *Config) *bool { return &c.Tag })},
	{Name: "WAIT_FOR_ANSWER", Flag: "wait-for-answer", Alone: "always", Default: "auto", Help: "wait for an answer: auto, always or never\nauto waits on a terminal and with --on-question", set: choice(func(c *Config) *string { return &c.WaitForAnswer }, "auto", "always", "never")},
	{Name: "QUESTION_TIMEOUT", Flag: "question-timeout", Default: "0", Help: "maximum wait for an answer, in minutes\nother units: 8h; 0 for no limit", set: span(time.Minute, true, func(c *Config) *time.Duration { return &c.QuestionTimeout })},
	{Name: "ON_QUESTION", Flag: "on-question", Help: "command to run for each question\nit gets the question as JSON on standard input", set: text(func(c *Config) *string { return &c.OnQuestion })},
	{Name: "ALLOW", Flag: "allow", Repeats: true, Help: "tools that the agent may use without asking\na rule is TOOL or TOOL(INPUT), where * matches anything: 'Bash(git *)'", set: rules(func(c *Config) *[]Rule { return &c.Allow })},
	{Name: "DENY", Flag: "deny", Repeats: true, Help: "tools that the agent must not use\nthese rules override --allow: 'Bash(git push *)'", set: rules(func(c *Config) *[]Rule { return &c.Deny })},
	{Name: "NOTIFY", Flag: "notify", Default: "false", Help: "show a notification for questions and at the end\nit appears on the desktop or in the terminal", set: boolean(func(c *Config) *bool { return &c.Notify })},
	{Name: "BOX", Section: "box", Flag: "box", Default: "false", Help: "run agents and --verify commands in a box\nsee ripple help box", set: boolean(func(c *Config) *bool { return &c.Box })},
	{Name: "BOX_WRITE", Section: "box", Flag: "box-write", Repeats: true, Help: "path that programs in the box can write\na file or a directory", set: lines(func(c *Config) *[]string { return &c.BoxWrite })},
	{Name: "BOX_READ", Section: "box", Flag: "box-read", Repeats: true, Help: "path that programs in the box can read\na file or a directory", set: lines(func(c *Config) *[]string { return &c.BoxRead })},
	{Name: "BOX_NET", Section: "box", Flag: "box-net", Repeats: true, Help: "host that programs in the box may connect to\nHOST (ports 80 and 443), HOST:PORT, HOST:PORT=ADDRESS:PORT, or any", set: boxHosts},
	{Name: "BOX_ENV", Section: "box", Flag: "box-env", Repeats: true, Help: "environment variable for programs in the box", set: boxNames},
	{Name: "WORKTREE", Flag: "worktree", Alone: "ripple", Help: "work on this branch in a git worktree", set: text(func(c *Config) *string { return &c.Worktree })},
}

// lookupSetting finds a setting by any of its names.
func lookupSetting(name string) (Setting, bool) {
	for _, s := range allSettings {
		for _, n := range s.names() {
			if n == name {
				return s, true
			}
		}
	}
	return Setting{}, false
}

func (s Setting) names() []string { return append([]string{s.Name}, s.Twins...) }

// Key is the setting's key in its section of ripple.yml.
func (s Setting) Key() string {
	switch {
	case s.Section == "":
		return strings.ToLower(s.Name)
	case strings.EqualFold(s.Name, s.Section):
		return "enabled"
	}
	return strings.ToLower(s.Name[len(s.Section)+1:])
}

// section is the section of ripple.yml that has the setting's key.
func (s Setting) section() string { return cmp.Or(s.Section, "loop") }

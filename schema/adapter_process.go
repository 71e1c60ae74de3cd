package schema

// Process describes how to launch the program.
type Process struct {
	CommandTemplate      string            `yaml:"command_template"`
	Args                 []string          `yaml:"args"` // end of the command line; arguments of the caller replace them
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

// Install describes how to install the program: its packages, for each package manager that has
// it.
type Install struct {
	Debian []string `yaml:"debian"`
	PyPI   []string `yaml:"pypi"`
	NPM    []string `yaml:"npm"`
	Go     []string `yaml:"go"`
	Crates []string `yaml:"crates"`
	Maven  *Maven   `yaml:"maven"`
	Hint   string   `yaml:"hint"`
	URL    string   `yaml:"url"`
}

// Maven describes a program from Maven Central, whose archives contain no launcher.
type Maven struct {
	Artifacts []string `yaml:"artifacts" json:"artifacts"` // as group:artifact:version
	Main      string   `yaml:"main" json:"main"`           // the class to start
	Command   string   `yaml:"command" json:"command"`     // the name of the launcher to create
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

// TTYReply names a terminal query that is answered. The form of each reply is fixed.
type TTYReply string

const (
	ReplyDA1 TTYReply = "da1" // CSI c, and CSI ? 2027 $ p
	ReplyDSR TTYReply = "dsr" // CSI 5 n and CSI 6 n
)

// Ready describes how startup ends. Times are in milliseconds.
type Ready struct {
	WaitForEvent               ReadyEvent `yaml:"wait_for_event"` // default by prompt.strategy
	Pattern                    string     `yaml:"pattern"`        // wait_for_event regex, custom
	Needs                      *Needs     `yaml:"needs"`
	TimeoutMS                  int        `yaml:"timeout_ms"` // reserved; has no effect
	SettleBeforeInjectMS       int        `yaml:"settle_before_inject_ms"`
	SuppressMirrorDuringInject bool       `yaml:"suppress_mirror_during_inject"`
	KickEnterAfterReady        bool       `yaml:"kick_enter_after_ready"`
	DelayAfterInjectMS         int        `yaml:"delay_after_inject_ms"`
	OutputSettledMinMS         int        `yaml:"output_settled_min_ms"`    // default 2000
	OutputSettledStableMS      int        `yaml:"output_settled_stable_ms"` // default 1000
	OutputSettledMaxMS         int        `yaml:"output_settled_max_ms"`    // default 30000
}

// Needs describes what a program depends on, such as a server, and how to recognize that it is
// missing.
type Needs struct {
	What    string  `yaml:"what"`
	Missing string  `yaml:"missing"` // pattern
	Server  *Server `yaml:"server"`
}

// Server describes how contract tests start a private server. In the commands, Args and Env,
// {dir} is the server's directory, which is removed afterwards.
type Server struct {
	Debian       []string          `yaml:"debian"`       // packages
	Path         []string          `yaml:"path"`         // directories of its programs, before PATH
	Unprivileged bool              `yaml:"unprivileged"` // it refuses to run as root
	Prepare      [][]string        `yaml:"prepare"`      // commands to run before it starts
	Command      []string          `yaml:"command"`      // the server itself, in the foreground
	Ready        string            `yaml:"ready"`        // pattern
	Args         []string          `yaml:"args"`         // arguments of the program under test, instead of process.args
	Env          map[string]string `yaml:"env"`          // environment of the program under test
}

// ReadyEvent is the event that ends startup.
type ReadyEvent string

const (
	ReadyPromptStart ReadyEvent = "prompt_start"
	ReadyMarker      ReadyEvent = "marker"
	ReadyRegex       ReadyEvent = "regex"
	ReadyCustom      ReadyEvent = "custom"
)

package console

import (
	"fmt"
	"time"
	"unicode/utf8"

	"ripple/runtime/console/place"
	"ripple/runtime/sandbox"
)

// API is the version of the wire. What is there stays; what is added is optional.
const API = 1

// State says what a console does.
type State string

// The states of a console.
const (
	Starting      State = "starting"           // its program has not come to its first prompt
	Idle          State = "idle"               // it takes a command
	Typing        State = "typing"             // a person types at its prompt
	Running       State = "running"            // a command runs
	WaitingInput  State = "waiting_for_input"  // and reads the terminal, and nothing else goes on
	WaitingSecret State = "waiting_for_secret" // and shows nothing of what is typed
	Fullscreen    State = "fullscreen"         // and draws on the whole screen
	Exited        State = "exited"             // its program ended; its results can be read
	Unresponsive  State = "unresponsive"       // its host lives and does not answer: it is stopped, or the machine is very busy
	Dead          State = "dead"               // its host was killed; its results can be read
)

// Spec is what a console is started with.
type Spec = place.Spec

// DefaultAdapter is the adapter of a console that is started without one.
func DefaultAdapter() string { return place.DefaultAdapter() }

// Status is a console as it is now.
type Status struct {
	API     int    `json:"api"`
	Version string `json:"version"` // of the ripple that hosts it
	Name    string `json:"name"`
	Adapter string `json:"adapter"`
	State   State  `json:"state"`
	Cwd     string `json:"cwd,omitempty"`
	Mode    string `json:"mode,omitempty"`
	Host    int    `json:"host_pid"`
	Socket  string `json:"socket,omitempty"` // where the host listens
	PID     int    `json:"pid,omitempty"`    // of the program
	Terminal
	Started time.Time `json:"started"`
	// Age is how long the host has been running, whatever the machine's clock was set to.
	Age time.Duration `json:"age_ns,omitempty"`
	// Command is the latest one; nil: there was none.
	Command *Command `json:"command,omitempty"`
	// Agent is what a coding agent shows; nil: the program is none.
	Agent *Agent `json:"agent,omitempty"`
	// Exit says how the program ended, and ExitCode with which code; 128+n when
	// signal n ended it.
	Exit     string `json:"exit,omitempty"`
	ExitCode *int   `json:"exit_code,omitempty"`
	// SeenDead is the machine's uptime when somebody first saw that the host was killed.
	SeenDead time.Duration `json:"seen_dead_ns,omitempty"`
	// Sandbox is what the kernel refuses the program; nil: nothing.
	Sandbox *sandbox.Enforced `json:"sandbox,omitempty"`
	// Notice is what the person or client who looks should know.
	Notice string `json:"notice,omitempty"`
}

// Terminal is a console's, and who sits at it.
type Terminal struct {
	Cols   int    `json:"cols,omitempty"`
	Rows   int    `json:"rows,omitempty"`
	Title  string `json:"title,omitempty"`
	People int    `json:"people,omitempty"` // that are attached and may type
	// Held is how many bytes they have typed that the program has not been given: a
	// command runs that does not read.
	Held int `json:"held,omitempty"`
}

// Command is one command of a console.
type Command struct {
	ID       int        `json:"id"`           // counted from 1
	Code     string     `json:"code"`         // its beginning, when it is long
	By       string     `json:"by,omitempty"` // who sent it
	Started  time.Time  `json:"started"`
	Ended    *time.Time `json:"ended,omitempty"` // nil: it runs
	ExitCode *int       `json:"exit_code"`       // nil: it runs, or the program reports none
	Error    bool       `json:"error"`
	// CompletedBy says how its end was known, as session.CompletedBy does.
	CompletedBy string         `json:"completed_by,omitempty"`
	Duration    time.Duration  `json:"duration_ns"`
	Cwd         string         `json:"cwd,omitempty"`
	Mode        string         `json:"mode,omitempty"`
	Level       *int           `json:"level,omitempty"`
	Captures    map[string]any `json:"captures,omitempty"`
	Screen      bool           `json:"screen,omitempty"`
	OutOfBand   string         `json:"out_of_band,omitempty"`
	// PromptElsewhere: see session.Result.
	PromptElsewhere bool   `json:"prompt_elsewhere,omitempty"`
	Failure         string `json:"failure,omitempty"` // why it could not be carried out to its end
	Bytes           int64  `json:"bytes"`             // of output so far
	Lines           int64  `json:"lines"`             // of it, with one that has not ended
	// Lost is how many more bytes there were that could not be written, for the reason LostWhy.
	Lost    int64  `json:"lost,omitempty"`
	LostWhy string `json:"lost_why,omitempty"`
	// From is where its output begins in the console's record; what is before Kept
	// of that record has been dropped.
	From int64 `json:"from"`
}

// Running says that the command has not ended.
func (c *Command) Running() bool { return c != nil && c.Ended == nil }

// ExecRequest asks for a command to be run.
type ExecRequest struct {
	Code string `json:"code"`
	By   string `json:"by,omitempty"`
	// Wait bounds how long the answer waits for the command's end, which goes on
	// all the same; 0: until it ends.
	Wait time.Duration `json:"wait_ns,omitempty"`
	// ExpectCwd refuses the command unless the program is in this directory.
	ExpectCwd string `json:"expect_cwd,omitempty"`
	// Stay goes on waiting when the command waits for input; otherwise the answer
	// comes then.
	Stay bool `json:"stay,omitempty"`
	// Quiet leaves the output out of the answer.
	Quiet bool `json:"quiet,omitempty"`
}

// WaitRequest asks to be told when a console has come to something.
type WaitRequest struct {
	// For is "done" (the default: the command ended, or it cannot go on without
	// input), "input", "text" or "idle" (nothing was printed for Quiet).
	For     string        `json:"for,omitempty"`
	Command int           `json:"command,omitempty"` // 0: the latest
	Text    string        `json:"text,omitempty"`    // in what is printed from now on or is on the screen
	Wait    time.Duration `json:"wait_ns,omitempty"`
	// From sends the output from this byte of the command on; negative: none.
	From int64 `json:"from"`
	Stay bool  `json:"stay,omitempty"`
}

// SendRequest types into a running command.
type SendRequest struct {
	Text string   `json:"text,omitempty"`
	Keys []string `json:"keys,omitempty"` // by name: see Key
	// Answer is one of Agent.Answers, instead of a text and keys.
	Answer string `json:"answer,omitempty"`
	// Only refuses it unless the command waits for input or draws on the whole screen.
	Only bool   `json:"only_if_waiting,omitempty"`
	By   string `json:"by,omitempty"`
	// Secret says that a person types, who may answer a prompt for a secret.
	Secret bool `json:"secret,omitempty"`
}

// ReadRequest asks for lines of a command's output.
type ReadRequest struct {
	Command int    // 0: the latest
	From    int64  // line, counted from 1; negative: from the end
	Lines   int64  // at most; 0: all
	Grep    string // a regular expression (RE2) for lines
}

// piece is a line of a streamed answer: output, or what ends it.
type piece struct {
	Output string  `json:"output,omitempty"`
	Raw    []byte  `json:"raw,omitempty"` // output that is not UTF-8
	Done   *Answer `json:"done,omitempty"`
}

func pieceOf(b []byte) piece {
	if utf8.Valid(b) {
		return piece{Output: string(b)}
	}
	return piece{Raw: b}
}

// Answer is what a wait came to.
type Answer struct {
	Why     string   `json:"why"` // done, waiting, matched, idle, time, exited
	Status  Status   `json:"status"`
	Command *Command `json:"command,omitempty"`
	// Dropped is how many bytes of the output's beginning are no longer kept.
	Dropped int64 `json:"dropped,omitempty"`
}

// Fault is a request that was refused; nothing was done.
type Fault struct {
	Code    string  `json:"code"` // see the constants
	Message string  `json:"message"`
	Status  *Status `json:"status,omitempty"`
	Output  string  `json:"output,omitempty"` // what a program printed that did not start
}

// Codes of faults.
const (
	FaultBusy       = "busy"
	FaultTyping     = "typing"
	FaultCwd        = "cwd"
	FaultExited     = "exited"
	FaultNotWaiting = "not_waiting"
	FaultSecret     = "secret"
	FaultUnknown    = "unknown"
	FaultRequest    = "request"
	FaultTaken      = "taken"
	FaultStart      = "start"
	FaultMissing    = "missing"
)

func (f *Fault) Error() string {
	if f.Output != "" {
		return f.Message + "; it printed:\n" + f.Output
	}
	return f.Message
}

func fault(code, format string, args ...any) *Fault {
	return &Fault{Code: code, Message: fmt.Sprintf(format, args...)}
}

// envelope is how a fault travels.
type envelope struct {
	Error *Fault `json:"error"`
}

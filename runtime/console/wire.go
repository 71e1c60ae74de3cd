package console

import (
	"fmt"
	"time"
	"unicode/utf8"

	"example.org/ripple/runtime/console/place"
	"example.org/ripple/runtime/sandbox"
	"example.org/ripple/runtime/session"
)

// APIVersion is the version of the wire format. Existing fields stay; new fields are optional.
const APIVersion = 1

// State is the state of a console.
type State string

// The states of a console.
const (
	Starting      State = "starting"           // the program has not reached its first prompt
	Idle          State = "idle"               // the program accepts a command
	Typing        State = "typing"             // a user types at the prompt
	Running       State = "running"            // a command runs
	WaitingInput  State = "waiting_for_input"  // a command reads the terminal and does nothing else
	WaitingSecret State = "waiting_for_secret" // a command reads the terminal without echo
	Fullscreen    State = "fullscreen"         // a command draws on the whole screen
	Stopped       State = "stopped"            // the program, or its foreground job, is stopped, also at its prompt; only SIGCONT resumes it
	Exited        State = "exited"             // the program ended; its results can be read
	Unresponsive  State = "unresponsive"       // the host is alive but does not respond: it is stopped, the machine is very busy, or its socket was removed
	Dead          State = "dead"               // the host was killed; its results can be read
)

// Spec describes a console to start.
type Spec = place.Spec

// DefaultAdapter returns the name of the adapter used if none is given.
func DefaultAdapter() string { return place.DefaultAdapter() }

// StoppedProcess identifies a stopped process of a console's program.
type StoppedProcess = session.Process

// AdapterRef identifies the adapter of a console.
type AdapterRef struct {
	Adapter string `json:"adapter"`
	Origin  string `json:"origin,omitempty"` // origin of the adapter: embedded, or user, project or file with its path
	Digest  string `json:"digest,omitempty"` // of the encoded adapter that the console got: see schema.Digest; "": the host found it
}

// Status is a snapshot of a console.
type Status struct {
	API     int    `json:"api"`     // APIVersion of the host
	Version string `json:"version"` // version of the ripple that hosts it
	Name    string `json:"name"`
	AdapterRef
	State   State  `json:"state"`
	Cwd     string `json:"cwd,omitempty"`
	Mode    string `json:"mode,omitempty"`
	HostPID int    `json:"host_pid"`
	Socket  string `json:"socket,omitempty"` // path of the host's socket
	PID     int    `json:"pid,omitempty"`    // ID of the program's process
	// Stopped is the process that only SIGCONT resumes, in the state Stopped; it may be a child of the
	// program.
	Stopped *StoppedProcess `json:"stopped,omitempty"`
	Terminal
	Started time.Time `json:"started"`
	// Age is how long the host has been running, independent of the system clock.
	Age time.Duration `json:"age_ns,omitempty"`
	// Command is the latest command; nil if there was none.
	Command *Command `json:"command,omitempty"`
	// Agent describes the screen of a coding agent; nil if the program is not one.
	Agent *Agent `json:"agent,omitempty"`
	// Exit describes how the program ended; ExitCode is its exit code, or 128+n if signal n ended
	// it.
	Exit     string `json:"exit,omitempty"`
	ExitCode *int   `json:"exit_code,omitempty"`
	// DeadSince is the machine's uptime when the killed host was first noticed.
	DeadSince time.Duration `json:"seen_dead_ns,omitempty"`
	// Sandbox describes what the kernel denies the program; nil if it is not confined.
	Sandbox *sandbox.Enforced `json:"sandbox,omitempty"`
	// Notice is a message for the user or client.
	Notice string `json:"notice,omitempty"`
	// Untyped is how many lines of a SendRequest's input were not typed, as Notice says.
	Untyped int `json:"untyped_lines,omitempty"`
}

// Reusable returns an error if a console cannot be used instead of a new one: with another adapter
// than want, whose name and origin are compared unless they are empty, or with a program that may
// write elsewhere than below sandbox ("": it may).
//
// Errors: *Fault: FaultExited if its program has ended, FaultNameInUse if it is not such a console.
func (s Status) Reusable(want AdapterRef, sandbox string) error {
	var f *Fault
	switch {
	case s.State == Exited || s.State == Dead:
		f = newFault(FaultExited, "%s: %s", s.Name, s.Exit)
	case want.Adapter != "" && want.Adapter != s.Adapter:
		f = newFault(FaultNameInUse, "the console %s runs %s, not %s", s.Name, s.Adapter, want.Adapter)
	case want.Origin != "" && want.Origin != s.Origin:
		f = newFault(FaultNameInUse, "the console %s runs %s of another origin (%s, not %s)", s.Name, s.Adapter, s.Origin, want.Origin)
	case sandbox != "" && (s.Sandbox == nil || s.Sandbox.Dir != sandbox):
		f = newFault(FaultNameInUse, "the console %s has no sandbox that allows writes only below %s", s.Name, sandbox)
	default:
		return nil
	}
	f.Status = &s
	return f
}

// Terminal describes a console's terminal and its users.
type Terminal struct {
	Cols  int    `json:"cols,omitempty"`
	Rows  int    `json:"rows,omitempty"`
	Title string `json:"title,omitempty"`
	Users int    `json:"people,omitempty"` // attached terminals that may type
	// Held is the number of typed bytes that the program has not been given, because the running
	// command does not read.
	Held int `json:"held,omitempty"`
	// Queued is the number of calls that wait for their turn.
	Queued int `json:"queued,omitempty"`
	// ShownIn names the consoles in whose terminals this console is attached.
	ShownIn []string `json:"shown_in,omitempty"`
}

// Command is one command of a console.
type Command struct {
	ID       int        `json:"id"`           // counted from 1
	Code     string     `json:"code"`         // the beginning of a long command
	By       string     `json:"by,omitempty"` // sender
	Started  time.Time  `json:"started"`
	Ended    *time.Time `json:"ended,omitempty"` // nil while the command runs
	ExitCode *int       `json:"exit_code"`       // nil while the command runs, or if the program reports none
	Error    bool       `json:"error"`
	// CompletedBy is how the end was detected: see session.CompletedBy.
	CompletedBy string         `json:"completed_by,omitempty"`
	Duration    time.Duration  `json:"duration_ns"`
	Cwd         string         `json:"cwd,omitempty"`
	Mode        string         `json:"mode,omitempty"`
	Level       *int           `json:"level,omitempty"`
	Captures    map[string]any `json:"captures,omitempty"`
	Screen      bool           `json:"screen,omitempty"`
	OutOfBand   string         `json:"out_of_band,omitempty"`
	// PromptElsewhere: see session.Result.
	PromptElsewhere bool `json:"prompt_elsewhere,omitempty"`
	// Fault: see session.Result.
	Fault   string `json:"fault,omitempty"`
	Failure string `json:"failure,omitempty"` // reason why the command could not be completed
	// Incomplete reports that the code is incomplete, as Failure says: nothing of it ran, and the next
	// command can be sent.
	Incomplete bool  `json:"incomplete,omitempty"`
	Bytes      int64 `json:"bytes"` // output so far
	Lines      int64 `json:"lines"` // lines of output, including an unfinished one
	// Lost is the number of further output bytes that could not be written, for the reason LostReason.
	// The first of them are missing in line LostFrom, or after it.
	Lost       int64  `json:"lost,omitempty"`
	LostReason string `json:"lost_why,omitempty"`
	LostFrom   int64  `json:"lost_from,omitempty"`
	// From is the offset of the output in the console's record; the record before offset Kept has
	// been dropped.
	From int64 `json:"from"`
}

// Running reports whether the command has not ended.
func (c *Command) Running() bool { return c != nil && c.Ended == nil }

// ExecRequest asks to run a command.
type ExecRequest struct {
	Code string `json:"code"`
	By   string `json:"by,omitempty"` // the sender, as other clients see it
	// Wait bounds how long the answer waits for the end of the command, which continues in any
	// case; 0 means unbounded.
	Wait time.Duration `json:"wait_ns,omitempty"`
	// ExpectCwd refuses the command unless the program is in this directory.
	ExpectCwd string `json:"expect_cwd,omitempty"`
	// KeepWaiting continues to wait when the command waits for input; by default the answer is sent then.
	KeepWaiting bool `json:"stay,omitempty"`
	// Queue waits for the command's turn while the clients of earlier commands wait for them.
	// Without Queue, or if no client waits for the running command, the request is refused with
	// FaultBusy; if Wait ends first, with FaultQueued.
	Queue bool `json:"queue,omitempty"`
	// Quiet leaves the output out of the answer.
	Quiet bool `json:"quiet,omitempty"`
}

// WaitRequest asks to be notified when a console reaches a state.
type WaitRequest struct {
	// For is "done" (the default: the command ended, or needs input to continue), "input", "text"
	// or "idle" (nothing printed for a while).
	For     string        `json:"for,omitempty"`
	Command int           `json:"command,omitempty"` // 0: the latest
	Text    string        `json:"text,omitempty"`    // text to find in new output or on the screen
	Wait    time.Duration `json:"wait_ns,omitempty"`
	// From sends the command's output from this offset on, in bytes; negative: no output.
	From        int64 `json:"from"`
	KeepWaiting bool  `json:"stay,omitempty"`
	// Reported is a state that the client knows: with For "done", a command in this state is waited for until
	// the state is another one.
	Reported State `json:"reported,omitempty"`
}

// SendRequest types input into a running command.
type SendRequest struct {
	Text string `json:"text,omitempty"`
	// Keys are key names ("enter", "up", "f5") or single characters, after any modifiers: "C-" or
	// "ctrl+" (Control), "M-" or "alt+" (Alt), "S-" or "shift+" (Shift). Where xterm sends a key
	// without its modifier, so does a console: "S-enter" is "enter", and "C-tab" is "tab". The error
	// for another name lists the names that exist.
	Keys []string `json:"keys,omitempty"`
	// Answer is one of Agent.Answers, sent instead of Text and Keys.
	Answer string `json:"answer,omitempty"`
	// OnlyIfWaiting refuses the request unless the command waits for input, may do so as another user
	// while the terminal echoes, or draws on the whole screen. Of several lines each one after the first is typed when the
	// command reads again; Status.Untyped is the number of the others.
	OnlyIfWaiting bool   `json:"only_if_waiting,omitempty"`
	By            string `json:"by,omitempty"` // the sender, as other clients see it
	// Secret states that a user types, who may answer a prompt for a secret.
	Secret bool `json:"secret,omitempty"`
	// Wait bounds Client.SendAndWait: the time until the program accepts the input, and then the wait for the
	// command. It must be positive there; Client.Send ignores it.
	Wait time.Duration `json:"wait_ns,omitempty"`
}

// ReadRequest asks for lines of a command's output.
type ReadRequest struct {
	Command int    // 0: the latest
	From    int64  // first line, counted from 1; negative: from the end
	Lines   int64  // maximum number of lines; 0: all
	Grep    string // a regular expression (RE2) that lines must match
	Column  int64  // offset of the first byte shown of each line, from 0
	Byte    int64  // offset in the output: earlier output is left out, and lines are counted from there
}

// piece is a line of a streamed answer: output, or its end.
type piece struct {
	Output string      `json:"output,omitempty"`
	Raw    []byte      `json:"raw,omitempty"` // output that is not UTF-8
	Done   *WaitResult `json:"done,omitempty"`
	// Gap reports a gap in the output: Bytes bytes from offset At on are no longer kept.
	Gap *Gap `json:"gap,omitempty"`
	// Queued is the number of calls before this one, which waits for its turn.
	Queued *int   `json:"queued,omitempty"`
	Error  *Fault `json:"error,omitempty"` // refusal of a queued call
	// State is set in the status with which a host of an earlier version answers SendAndWait.
	State State `json:"state,omitempty"`
}

func pieceOf(b []byte) piece {
	if utf8.Valid(b) {
		return piece{Output: string(b)}
	}
	return piece{Raw: b}
}

// WaitResult is the result of a wait.
type WaitResult struct {
	Reason  string   `json:"why"` // done, waiting, matched, idle, time, exited
	Status  Status   `json:"status"`
	Command *Command `json:"command,omitempty"`
	// Dropped is the number of output bytes that are no longer kept, from the byte DroppedAt on.
	Dropped   int64 `json:"dropped,omitempty"`
	DroppedAt int64 `json:"dropped_at,omitempty"`
}

// Gap is a gap in a command's output, in bytes.
type Gap struct {
	At    int64 `json:"at"`
	Bytes int64 `json:"bytes"`
}

// GapNoter is implemented by output writers that want to be informed of gaps.
type GapNoter interface{ NoteGap(Gap) }

// CommandStatus returns the console's status as of the end of the answer's command: another client's command
// may already be running.
func (a WaitResult) CommandStatus() Status {
	s, c := a.Status, a.Command
	if a.Reason == "exited" {
		s.State = Exited
	} else if c != nil && !c.Running() && s.State != Exited && s.State != Dead {
		s.State, s.Command, s.Stopped = Idle, c, nil
		if c.Cwd != "" {
			s.Cwd, s.Mode = c.Cwd, c.Mode
		}
	}
	return s
}

// Fault is a refused request; nothing was done.
type Fault struct {
	Code    string  `json:"code"` // one of the Fault constants
	Message string  `json:"message"`
	Status  *Status `json:"status,omitempty"`
	Output  string  `json:"output,omitempty"` // output of a program that did not start
}

// Codes of faults.
const (
	FaultBusy           = "busy"
	FaultQueued         = "queued" // the wait ended before the call's turn
	FaultTyping         = "typing"
	FaultCwdMismatch    = "cwd"
	FaultExited         = "exited"
	FaultNotWaiting     = "not_waiting"
	FaultProcessesLeft  = "left"
	FaultSecret         = "secret"
	FaultStopped        = "stopped"
	FaultUnknown        = "unknown"
	FaultBadRequest     = "request"
	FaultNameInUse      = "taken"
	FaultStartFailed    = "start"
	FaultProgramMissing = "missing"
	// FaultUnresponsive reports that the host is alive but does not respond. The request is not
	// carried out later.
	FaultUnresponsive = "unresponsive"
)

func (f *Fault) Error() string {
	if f.Output != "" {
		return f.Message + "; it printed:\n" + f.Output
	}
	return f.Message
}

func newFault(code, format string, args ...any) *Fault {
	return &Fault{Code: code, Message: fmt.Sprintf(format, args...)}
}

// envelope is the wire form of a fault.
type envelope struct {
	Error *Fault `json:"error"`
}

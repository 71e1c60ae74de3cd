package session

import (
	"time"

	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/terminal"
)

// Options configures a session; the zero value is useful.
type Options struct {
	From string   // directory of the user who starts the program: see [launch.Request]; empty: the caller's
	Dir  string   // working directory; empty: that of the user
	Env  []string // KEY=value, over the adapter's own
	Cols int      // 0: the adapter's
	Rows int

	Executable string // path or name; empty: found by the adapter's rules

	// Args are the arguments at the end of the program's command line, such as the program to debug
	// for a debugger. nil: the adapter's default.
	Args []string

	// Banner and Reason are shown to a user when the program starts, by the adapter's
	// init.banner_injection; an adapter without one shows neither.
	Banner string
	Reason string

	// CommandPrefix returns words to put before the program's own command line: another program that
	// prepares its process and then executes the program. Its argument is the session's private
	// directory, which the program may write to. nil: none.
	CommandPrefix func(temp string) []string

	// Attended makes Open wait for the first prompt until its context ends, even if the program has
	// waited for other input for five seconds: a user may be answering it.
	Attended bool

	// OnQuestion is called in Open, at most once, when Attended makes it wait although the program has waited
	// for other input for five seconds. nil: it is not reported.
	OnQuestion func()

	// Output receives the running command's output as it becomes final: whole lines at once, an
	// unfinished line when the program is found to wait for input (State, WaitState) or the command
	// ends. Calls do not overlap; nothing is read from the program during a call.
	Output func([]byte)

	// OutOfBand receives the program's output between commands, in whole lines as they arrive;
	// results then contain none of it. nil: it is part of the next result. It is not called for an
	// adapter that merges this text into the output.
	OutOfBand func([]byte)

	// OnTerminal receives the program's terminal before a byte is read from it, so that others can
	// view and follow it; it is called again when the program is restarted. It must not read from
	// or close the terminal. If it is set, the code of Eval is shown on the terminal even if the
	// program does not echo it, and code that is sent in a file is shown instead of the line that
	// runs the file.
	OnTerminal func(*terminal.Terminal)

	// OnTyped receives each command that a user typed (Session.Type), before the command's output
	// goes to Output. It must not wait for the command's end.
	OnTyped func(*TypedCommand)

	// Observer receives all events as they happen; a PieceObserver also receives the classification
	// of the output.
	Observer Observer

	// Window is how many bytes of one command's output are kept in memory; if the command prints
	// more, the whole output goes to a private file. 0: 4 MiB. Negative: nothing is kept, for
	// callers that get all output through Output.
	Window int

	// SpillDir is the directory of that file; empty: the session's private directory, which is
	// removed on Close.
	SpillDir string

	// FaultDir is the directory for reports of ripple's own panics (Result.Fault), which remain after
	// Close; empty: the system's directory for temporary files.
	FaultDir string

	// OwnsOrphans says that nothing else in this process starts programs. Then every orphan that the
	// process adopted (proctree.SetSubreaper, proctree.Guard) belongs to this session, and Close ends
	// it too.
	OwnsOrphans bool

	// Restart lets Eval restart the program if it has ended or was idle for too long and
	// lifecycle.restart_on allows that. The command during which it ended is still reported as
	// ErrExited.
	Restart bool

	began time.Time // start of the session, from which an Observer's times count
}

// Observer receives events in the order in which they happen, from one goroutine at a time. It must
// return quickly.
type Observer interface {
	Observe(Event)
}

// PieceObserver is an Observer that also receives the classification of each stretch of the
// program's output: in order as it arrives, and again when a classification changes. Calls of ObservePiece
// do not overlap. It must return quickly and not call the Session.
type PieceObserver interface {
	Observer
	ObservePiece(Piece)
}

// ObserverFunc is a function that implements Observer.
type ObserverFunc func(Event)

// Observe calls f.
func (f ObserverFunc) Observe(e Event) { f(e) }

// Event is one observation.
type Event struct {
	At   time.Duration // since the session was opened
	Kind EventKind
	Data []byte // EventRead, EventWrite: valid during the call only
	Text string // a description for a timeline ("phase running", "marker D;0")
}

// EventKind is the kind of an event.
type EventKind string

const (
	EventRead   EventKind = "read"   // raw bytes from the program
	EventWrite  EventKind = "write"  // raw bytes to the program
	EventPhase  EventKind = "phase"  // the session changed phase
	EventMarker EventKind = "marker" // a trusted marker or prompt was recognized
	EventForged EventKind = "forged" // a marker without the nonce: left in the output
	EventSignal EventKind = "signal" // an interrupt or a signal was sent
	EventTimer  EventKind = "timer"  // a timer fired
	EventProbe  EventKind = "probe"  // the kernel was asked whether the program waits
	EventExit   EventKind = "exit"   // the program ended
	EventResize EventKind = "resize"
)

// Phase is a phase of a session's life.
type Phase string

const (
	PhaseStarting Phase = "starting" // until the first prompt
	PhaseReady    Phase = "ready"
	PhaseRunning  Phase = "running"
	PhaseClosed   Phase = "closed" // closed by Close, or the program ended
)

// Waiting reports whether the running program waits for input.
type Waiting string

const (
	WaitingNone   Waiting = ""
	WaitingInput  Waiting = "waiting_for_input"
	WaitingSecret Waiting = "waiting_for_secret"
)

// EchoHint says that the kernel does not report what the running program waits for, because it
// belongs to another user, like a program started by sudo or su, and what is known about it
// nevertheless.
type EchoHint string

const (
	EchoHintNone EchoHint = ""
	EchoHintOn   EchoHint = "echoes" // the terminal echoes input: the program is not asking for a secret
	EchoHintOff  EchoHint = "silent" // it does not: the program may be asking for a secret, even if Waiting does not say so
)

// Process identifies a process of the program.
type Process = pty.Process

// State is a snapshot of a session.
type State struct {
	Phase   Phase
	Mode    string
	Level   *int
	Cwd     string
	Waiting Waiting
	// Stopped is the stopped process of the program or its foreground job, also while the program is
	// at its prompt: only SIGCONT resumes it. nil means that there is none. If Waiting is
	// WaitingSecret, it was stopped while it asked for a secret.
	Stopped    *Process
	NeedsInput bool // it waits for nothing else: without input it will wait forever
	// WaitsElsewhere says that another process than the program waits, or that the program waits in
	// another place than at its prompt: if it is also silent, it most likely asks a question.
	WaitsElsewhere bool
	EchoHint       EchoHint
	PID            int
	Partial        string      // output of the running command so far, at most the window
	Typing         bool        // a user edits a line at the prompt, or the next line of an unfinished command
	TypingUser     int         // the user who types the line, as given to Session.Type; 0: none
	Held           map[int]int // bytes per user of input (Session.Type) that the program has not received; nil: none
	// LateSecrets are the users who have begun a secret whose question is over. Their keys are dropped up to the end of the
	// line, or until the command ends or reads single keys.
	LateSecrets    []int
	MissingService string // the service that the program needs and did not find at its start, by ready.needs
}

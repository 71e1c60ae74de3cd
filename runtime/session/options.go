package session

import (
	"time"

	"ripple/runtime/terminal"
)

// Options are a caller's wishes for one session; the zero value is useful.
type Options struct {
	Dir  string   // working directory; empty: the caller's
	Env  []string // KEY=value, over the adapter's own
	Cols int      // 0: the adapter's
	Rows int

	Executable string // path or name; empty: found by the adapter's rules

	// Args end the program's command line, such as the program that a debugger
	// is to debug. nil: what the adapter has in their place.
	Args []string

	// Banner and Reason are shown to a person when the program starts, by the
	// adapter's init.banner_injection; an adapter without one shows neither.
	Banner string
	Reason string

	// Through gives the words that go before the program's own command line: another
	// program that prepares its process and then becomes it. It is told of the
	// session's private directory, which the program may write to. nil: none.
	Through func(temp string) []string

	// Patient has Open wait for the first prompt until its context ends, even when
	// the program has waited at something else for five seconds: a person may be
	// answering it.
	Patient bool

	// Output receives the running command's output as it becomes final: whole
	// lines at once, an unfinished line when the program is found waiting for
	// input (State, WaitState) or the command ends. Calls do not overlap; while
	// one lasts nothing is read from the program.
	Output func([]byte)

	// OutOfBand receives what the program prints between commands, in whole lines
	// as they come; results then have none of it. nil: it is in the next result.
	// Not for an adapter that merges it into the output.
	OutOfBand func([]byte)

	// Terminal is told of the terminal that the program runs on, before a byte was
	// read from it, for others to look at and to follow; and again when the program
	// is started anew. It must not read or close it.
	Terminal func(*terminal.Terminal)

	// Typed is told of each command that a person typed (Session.Type), before its
	// output goes to Output. It must not wait for its end.
	Typed func(*Typed)

	// Observer sees everything that happens, as it happens; a PieceObserver also what it
	// is taken for.
	Observer Observer

	// Window is how many bytes of one command's output stay in memory; when it
	// prints more, the whole goes to a private file. 0: 4 MiB. Negative: nothing
	// is kept, for callers that take everything through Output.
	Window int

	// SpillDir is where that file goes; empty: the session's private directory,
	// which is removed on Close.
	SpillDir string

	// Sole says that this session is the only thing in this process that starts
	// programs. Then every orphan that the process adopted (proctree.Subreaper,
	// proctree.Guard) is this session's, and Close ends it too.
	Sole bool

	// Restart lets Eval start the program anew when it has ended or was idle for
	// too long and lifecycle.restart_on allows that. The command during which it
	// ended is reported as ErrExited all the same.
	Restart bool

	began time.Time // of the session: what an Observer's times count from
}

// Observer is told about bytes and transitions in the order in which they
// happen, from one goroutine at a time. It must return quickly.
type Observer interface {
	Observe(Event)
}

// PieceObserver is an Observer that is also told what each stretch of what the program
// prints is taken for: in order as it comes, and again when a stretch turns out to be
// something else. Calls of Take do not overlap. It must return quickly and not call the Session.
type PieceObserver interface {
	Observer
	Take(Piece)
}

// ObserverFunc lets a function observe.
type ObserverFunc func(Event)

// Observe calls f.
func (f ObserverFunc) Observe(e Event) { f(e) }

// Event is one observation.
type Event struct {
	At   time.Duration // since the session was opened
	Kind EventKind
	Data []byte // EventRead, EventWrite: valid during the call only
	Text string // what happened, for a timeline ("phase running", "marker D;0")
}

// EventKind tells observations apart.
type EventKind string

const (
	EventRead   EventKind = "read"   // raw bytes from the program
	EventWrite  EventKind = "write"  // raw bytes to the program
	EventPhase  EventKind = "phase"  // the session changed phase
	EventMarker EventKind = "marker" // a trusted marker or prompt was recognised
	EventForged EventKind = "forged" // a marker without the nonce: left in the output
	EventSignal EventKind = "signal" // an interrupt or a signal was sent
	EventTimer  EventKind = "timer"  // a timer ran out
	EventProbe  EventKind = "probe"  // the kernel was asked whether the program waits
	EventExit   EventKind = "exit"   // the program ended
	EventResize EventKind = "resize"
)

// Phase is where a session is in its life.
type Phase string

const (
	PhaseStarting Phase = "starting" // until the first prompt
	PhaseReady    Phase = "ready"
	PhaseRunning  Phase = "running"
	PhaseClosed   Phase = "closed" // closed by us, or the program ended
)

// Waiting says whether the running program wants input.
type Waiting string

const (
	WaitingNo     Waiting = ""
	WaitingInput  Waiting = "waiting_for_input"
	WaitingSecret Waiting = "waiting_for_secret"
)

// State is a snapshot of a session.
type State struct {
	Phase   Phase
	Mode    string
	Level   *int
	Cwd     string
	Waiting Waiting
	Stuck   bool // it waits for nothing else: without input it will wait for ever
	PID     int
	Partial string      // output of the running command so far, at most the window
	Typing  bool        // a person edits a line at the prompt
	Held    map[int]int // bytes that persons have typed (Session.Type) and the program has not been given; nil: none
	Needs   string      // what the program talks to and did not find at its start, by ready.needs
}

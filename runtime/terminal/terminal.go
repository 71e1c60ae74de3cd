// Package terminal runs a program on a pseudo-terminal: it starts the program, reads its
// output, queues its input, answers its terminal queries, and ends it together with all
// processes that it started.
//
// Call Start, then Run in a separate goroutine, Write for input, and Close:
//
//	t, err := terminal.Start(pty.Command{…}, terminal.Options{})
//	…
//	go t.Run(func(b []byte) { … })
//	_, err = t.Write([]byte("ls\n"))
//	…
//	err = t.Close(ctx)
//
// Other readers may follow the program at the same time. WithScreen shows the current screen;
// Subscribe delivers that screen and then the output that follows. Show adds text that the
// program did not print. Output is kept in one
// bounded ring that all readers share, so a slow reader costs nothing: it loses what has
// left the ring, and receives the current screen again. Only the function passed to Run
// delays the program.
//
// The screen is created when it is first read, and painted when it is read or when bytes
// are about to leave the ring.
//
// All methods are safe for concurrent use. Only Run and Close wait for the program.
package terminal

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"example.org/ripple/runtime/internal/fault"
	"example.org/ripple/runtime/proctree"
	"example.org/ripple/runtime/pty"
	"example.org/ripple/schema"
)

// Options configures a Terminal; the zero value is useful.
type Options struct {
	// Replies lists the queries that are answered while the terminal is not in canonical mode. The
	// replies contain no byte that the program chose.
	Replies []schema.TTYReply
	// JudgeQueries returns a function that decides whether the sender of a query waits for the answer, which would
	// otherwise become input of the next reader. taken is the number of bytes of output read. It is called before the latest of
	// them are passed on, and again while a query is undecided. A query that is older than an abandoned one must be abandoned,
	// too. If it is nil, senders always wait.
	JudgeQueries func(taken int64) func(Query) QueryVerdict

	// Pause is how long to wait between pieces of input that queue up.
	Pause time.Duration
	// OnRead receives output that the screen and the subscribers already have, before the function that
	// Run calls does. OnWrite receives input as the terminal takes it. Each is called in order, by one
	// goroutine at a time. OnWrite must not call the Terminal.
	OnRead, OnWrite func([]byte)

	// HiddenText is a text of at least 16 bytes that subscribers see as NULs. The screen and
	// the replies to cursor queries do not include it. Empty means none.
	HiddenText string

	// Screen says that the screen will be read: then it is exact, however much was printed before
	// the first reader, and the reply to a cursor query has the real position. Otherwise the screen
	// is created from the content of the ring when it is first read, and that reply is 1;1.
	Screen  bool
	History int // lines kept above the screen; 0: 1,000
	Ring    int // bytes of output kept for late readers; 0: 64 KiB

	// OnFault receives each panic of the code that paints the screen or looks for queries. The program
	// continues: a panic costs the content of the screen, or the queries so far. It must not call
	// the Terminal. nil: panics are not reported.
	OnFault func(Fault)

	// OwnsOrphans says that this process starts no other programs: see proctree.Tree.
	OwnsOrphans bool
}

// Fault describes a panic of ripple's own code that was stopped.
type Fault struct {
	Doing string // what was being done: "painting the screen"
	Panic string
	Stack string // of the goroutine, up to the panic
	Bytes []byte // the output that was being interpreted
}

// Report returns the fault as a text of several lines for a bug report; the bytes in it are escaped.
func (f Fault) Report() string { return fault.Fault(f).Report() }

const (
	defaultHistory = 1000
	defaultRing    = 64 << 10
)

// Terminal is a started program on its terminal.
type Terminal struct {
	Program
	options Options
	input   input
	answers *answers
	judging judging
	tree    tree

	started atomic.Bool   // Run has started, or Close replaced it
	done    chan struct{} // closed when Run has ended, or will never start
	closing sync.Once
	failure error // of Close

	// Under mu: the output and its readers.
	mu      sync.Mutex
	out     ring
	taken   int64 // bytes read from the program
	mask    mask
	echo    mask // hides what Show replaces
	curtain curtain
	picture picture
	viewers []*Subscription
	size    sizes
	news    chan struct{} // closed by the next output; nil: no goroutine waits
	over    bool          // nothing more will be printed
}

// Start starts a program. Errors: pty.ErrUnsupported, and errors of the operating system.
func Start(c pty.Command, o Options) (*Terminal, error) {
	tty, err := pty.Start(c)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", c.Path, err)
	}
	return New(tty, c.Size, o), nil
}

// New returns the terminal of a program that was started with this size, and whose output has not
// been read.
func New(tty *pty.PTY, size pty.Size, o Options) *Terminal {
	if o.History == 0 {
		o.History = defaultHistory
	}
	if o.Ring == 0 {
		o.Ring = defaultRing
	}
	done := make(chan struct{})
	t := &Terminal{
		Program: Program{tty}, options: o, done: done,
		input: input{tty: tty, pause: o.Pause, wrote: o.OnWrite, done: done},
		mask:  mask{text: []byte(o.HiddenText)},
		out:   ring{limit: max(o.Ring, readSize)}, size: sizes{own: size, now: size},
	}
	told := func(f fault.Fault) {
		if o.OnFault != nil {
			o.OnFault(Fault(f))
		}
	}
	t.picture = picture{out: &t.out, history: o.History, exact: o.Screen, size: size, fault: told}
	t.answers = newAnswers(o.Replies, t.picture.cursorAt)
	t.answers.clusters, t.answers.fault = t.picture.clustersAt, told
	t.tree.Tree = proctree.New(tty.PID(), tty.Name())
	t.tree.OwnsOrphans = o.OwnsOrphans
	return t
}

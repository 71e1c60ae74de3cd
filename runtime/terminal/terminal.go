// Package terminal runs a program on a terminal of ours: it starts it, reads
// what it prints, queues what it is to get, answers what it asks the terminal,
// and ends it with everything that it started.
//
// The main path is Start, then Run in a goroutine of its own, Write for input,
// Close:
//
//	t, err := terminal.Start(pty.Command{…}, terminal.Options{})
//	…
//	go t.Run(func(b []byte) { … })
//	_, err = t.Write([]byte("ls\n"))
//	…
//	err = t.Close(ctx)
//
// Others may look at the same time. Look shows the screen as it is now;
// Subscribe delivers that screen and then what the program prints. What was
// printed is kept in one bounded ring that all of them read from, so that one
// who does not read costs nothing: he loses what has left the ring and gets the
// screen anew. Only the function given to Run holds the program up.
//
// The screen is made when somebody first looks, and painted when somebody looks
// or bytes are about to leave the ring.
//
// All methods may be called from different goroutines at once. None waits for
// the program but Run and Close.
package terminal

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"ripple/runtime/proctree"
	"ripple/runtime/pty"
	"ripple/schema"
)

// Options are what Start may be told; the zero value is useful.
type Options struct {
	// Replies are the queries that are answered, while the terminal is not in
	// its line mode, by replies that hold no byte that the program chose.
	Replies []schema.TTYReply
	// Gone says, by what was printed after a query, that whoever sent it does
	// not wait for the answer any more: it would be the beginning of the next
	// one's input. It is called before that output is passed on. nil: he waits.
	Gone func(since []byte) bool

	// Pause is how long to wait between pieces of input that queue up.
	Pause time.Duration
	// Read and Wrote are told of output before anything is made of it, and of
	// input as the terminal takes it, each in order and by one goroutine at a
	// time. Wrote must not call the Terminal.
	Read, Wrote func([]byte)

	// Screen says that somebody will look: then the screen is exact, however
	// much was printed before he does, and the reply to a query for the cursor
	// says where it is. Otherwise the screen is made of what the ring holds at
	// the first look, and that reply says 1;1.
	Screen  bool
	History int // lines kept above the screen; 0: 1,000
	Ring    int // bytes of output kept for late readers; 0: 64 KiB

	// Sole says that this process starts nothing else: see proctree.Tree.
	Sole bool
}

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
	tree    tree

	started atomic.Bool   // Run, or Close in its place
	done    chan struct{} // closed when Run is over, or will never be
	closing sync.Once
	failure error // of Close

	// Under mu: what was printed, and who looks at it.
	mu      sync.Mutex
	out     ring
	picture picture
	viewers []*Subscription
	size    sizes
	news    chan struct{} // closed by what is printed next; nil: nobody waits
	over    bool          // nothing more will be printed
}

// Start starts a program. Errors: pty.ErrUnsupported, and what the system
// refuses.
func Start(c pty.Command, o Options) (*Terminal, error) {
	tty, err := pty.Start(c)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", c.Path, err)
	}
	return New(tty, c.Size, o), nil
}

// New is the terminal of a program that was started with this size, and of which
// nothing has been read.
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
		input: input{tty: tty, pause: o.Pause, wrote: o.Wrote, done: done},
		out:   ring{limit: max(o.Ring, readSize)}, size: sizes{own: size, now: size},
	}
	t.picture = picture{out: &t.out, history: o.History, exact: o.Screen, size: size}
	t.answers = newAnswers(o.Replies, t.picture.cursorAt)
	t.tree.Tree = proctree.New(tty.PID(), tty.Name())
	t.tree.Sole = o.Sole
	return t
}

package pty

import "runtime"

// ReadyState says what the kernel knows about the foreground program.
type ReadyState uint8

// The states of a foreground program.
const (
	Unknown ReadyState = iota // no answer: blocked, but not clearly on the terminal
	Busy                      // a thread runs or waits for a disk
	Waiting                   // it waits for input on the terminal
)

func (s ReadyState) String() string {
	return [...]string{"unknown", "busy", "waiting"}[s%3]
}

// Readiness is the answer to "does the program wait for input?".
type Readiness struct {
	State   ReadyState
	Leader  bool  // the foreground group is the started program's own
	PID     int   // the process that decided; 0: none
	Listens bool  // one of its threads waits for input on the terminal, whatever the others do
	Read    bool  // in a read of the terminal itself, not in a poll
	Only    bool  // Waiting, and by a process of one thread for the terminal alone: nothing but input wakes it, signals apart
	Timed   bool  // Unknown, and a thread waits for input and for time: a prompt, or a look for keys in mid-work
	Place   Place // where the process that waits, or listens, does so
}

// Place is where in a program a thread is blocked: a system call with its first three
// arguments, and how deep the stack is. A program with no more than a shell's way of
// reading commands waits for each of them in the same place, and for what a command
// reads in another. The zero Place is not known.
type Place struct {
	PID, Call int
	Args      [3]uint64
	Stack     uint64
}

// Tells says whether this system answers Readiness with anything but Unknown.
const Tells = runtime.GOOS == "linux"

// Readiness asks the kernel whether the foreground program waits for input on
// this terminal. Waiting alone does not tell a prompt from a question; together
// with a prompt at the end of the output it is proof that the prompt is real.
// Programs that block alike idle and busy, and systems other than Linux, answer
// Unknown. It costs a few small file reads for each thread of the group.
func (p *PTY) Readiness() Readiness { return p.readiness() }

// Holds tells whether a descriptor of the started program, 0 for its standard input,
// is this terminal. Where only that program knows (not on Linux), it is.
func (p *PTY) Holds(fd int) bool { return p.holds(fd) }

// Has tells whether a descriptor of the started program is open, as far as is known.
func (p *PTY) Has(fd int) bool { return p.has(fd) }

// Turn is another number when the thread that Readiness last found waiting has been
// awake since the call before, or is another one. 0: not known.
func (p *PTY) WaitID() uint64 { return p.waitID() }

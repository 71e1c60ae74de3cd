package pty

import "runtime"

// ReadyState is the kernel's knowledge of the foreground program.
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
	Size    int   // if Read: the largest number of bytes that this read returns; 0: unknown
	Only    bool  // Waiting, for nothing but the terminal, in a process whose other threads wait for this one or for signals: except for signals, only input wakes it
	Notices bool  // like Only, but a notice without data may also wake it: an eventfd, inotify or named pipe that it polls, as fish does
	Timed   bool  // Unknown, and a thread waits for input with a timeout: at a prompt, or while it checks for keys during work
	Place   Place // where the process waits or listens
	Polls   Place // where it waits with a timeout, if Timed
	Hidden  bool  // Unknown: the group sleeps, and the kernel does not report in which call, because it belongs to another user, as under sudo
}

// Place is where in a program a thread is blocked: a system call with its first three arguments,
// and the depth of the stack. A program that reads commands in one place only, like a shell, always
// waits for a command there, and for input of a command elsewhere. The zero Place is unknown.
type Place struct {
	PID, Call int
	Args      [3]uint64
	Stack     uint64
}

// Tells reports whether this system has answers of Readiness other than Unknown.
const Tells = runtime.GOOS == "linux"

// Readiness asks the kernel whether the foreground program waits for input on this
// terminal. Waiting alone does not distinguish a prompt from a question; together with a
// prompt at the end of the output it is evidence that the prompt is real. Programs that
// block in the same way whether idle or busy, and systems other than Linux, return
// Unknown. It costs a few small file reads for each thread of the group.
func (p *PTY) Readiness() Readiness { return p.readiness() }

// Holds reports whether a descriptor of the started program, 0 for its standard input, is
// this terminal. Where only that program knows (on systems other than Linux), it returns
// true.
func (p *PTY) Holds(fd int) bool { return p.holds(fd) }

// Has reports whether a descriptor of the started program is open, as far as is known.
func (p *PTY) Has(fd int) bool { return p.has(fd) }

// WaitID returns a number that changes when the thread that Readiness last found waiting has been
// awake since the previous call, or is another thread. 0: unknown.
func (p *PTY) WaitID() uint64 { return p.waitID() }

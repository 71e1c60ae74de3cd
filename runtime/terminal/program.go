package terminal

import (
	"os"
	"time"

	"example.org/ripple/runtime/pty"
)

// Program provides the state of the program and its terminal; see package pty.
type Program struct{ tty *pty.PTY }

// PID returns the program's process id.
func (p *Program) PID() int { return p.tty.PID() }

// Exited returns a channel that is closed when the program has ended; its last output may still
// follow.
func (p *Program) Exited() <-chan struct{} { return p.tty.Exited() }

// ExitStatus is valid once Exited is closed. It returns the exit code, or 128+n and the name of the
// signal n that ended the program. -1: unknown.
func (p *Program) ExitStatus() (code int, signal string) { return p.tty.ExitStatus() }

// Modes returns the terminal's current input and output modes.
func (p *Program) Modes() (pty.Modes, error) { return p.tty.Modes() }

// ModesChanged reports whether the modes are no longer those that the terminal had when the program was started.
func (p *Program) ModesChanged() bool { return p.tty.ModesChanged() }

// RestoreModes gives the terminal the modes that it had when the program was started. Errors: os.ErrClosed, and errors of the
// operating system.
func (p *Program) RestoreModes() error { return p.tty.RestoreModes() }

// MakeCooked makes the terminal echo input and edit lines, whatever modes the program has set. undo
// restores the previous modes, unless the program has changed them meanwhile.
func (p *Program) MakeCooked() (undo func(), err error) { return pty.Cook(p.tty) }

// Interrupts reports whether the terminal turns Ctrl-C into a signal now.
func (p *Program) Interrupts() bool { return p.tty.Interrupts() }

// Readiness asks the kernel whether the foreground program waits for input.
func (p *Program) Readiness() pty.Readiness { return p.tty.Readiness() }

// WaitID returns a number that changes when the program has been awake since the previous call, or
// waits in another thread; 0 means unknown.
func (p *Program) WaitID() uint64 { return p.tty.WaitID() }

// Readable reports whether there is output after the first taken bytes, in the terminal or
// on its way to the function that Run calls.
func (p *Program) Readable(taken int64) bool { return p.tty.Readable(taken) }

// IsTerminal reports whether a descriptor of the program is this terminal.
func (p *Program) IsTerminal(fd int) bool { return p.tty.Holds(fd) }

// Stopped returns the process that is stopped, of the program or its foreground job: only SIGCONT
// resumes it. The zero Process means that there is none.
func (p *Program) Stopped() pty.Process { return pty.Stopped(p.tty) }

// Work returns the CPU time that the program itself has used, and whether it runs now. Zero means
// that neither is known.
func (p *Program) Work() (used time.Duration, runs bool) { return pty.Work(p.tty) }

// Forked reports whether a child of the program has used less than limit of CPU time, and runs now.
func (p *Program) Forked(limit time.Duration) bool { return pty.Forked(p.tty, limit) }

// Children returns the process IDs of the children of the program; nil may mean that they are not known.
func (p *Program) Children() []int { return pty.Children(p.tty) }

// Copied reports whether the process in the foreground is a copy of the program that has used less than limit of CPU time: a
// job before its exec.
func (p *Program) Copied(limit time.Duration) bool { return pty.Copied(p.tty, limit) }

// HasFD reports whether a descriptor of the program is open.
func (p *Program) HasFD(fd int) bool { return p.tty.Has(fd) }

// Foreground returns the id of the process group that receives signals of keys like Ctrl-C; 0 if it
// is unknown.
func (t *Terminal) Foreground() int {
	group, err := t.tty.Foreground()
	if err != nil {
		return 0
	}
	return group
}

// Signal sends a signal to the foreground process group.
func (p *Program) Signal(sig os.Signal) error { return p.tty.Signal(sig) }

package terminal

import (
	"os"

	"ripple/runtime/pty"
)

// Program is what is known of the program and its terminal; see package pty.
type Program struct{ tty *pty.PTY }

// PID is the program's process id.
func (p *Program) PID() int { return p.tty.PID() }

// Exited is closed when the program has ended; its last output may still come.
func (p *Program) Exited() <-chan struct{} { return p.tty.Exited() }

// ExitStatus is valid once Exited is closed: the exit code, or 128+n and the
// name of the signal n that ended the program. -1: unknown.
func (p *Program) ExitStatus() (code int, signal string) { return p.tty.ExitStatus() }

// Modes are what the terminal does now with input and output.
func (p *Program) Modes() (pty.Modes, error) { return p.tty.Modes() }

// Cook makes the terminal echo input and edit lines, whatever the program has it do.
// undo puts back what was, unless the program has changed it meanwhile.
func (p *Program) Cook() (undo func(), err error) { return pty.Cook(p.tty) }

// Interrupts tells whether the terminal turns Ctrl-C into a signal now.
func (p *Program) Interrupts() bool { return p.tty.Interrupts() }

// Readiness asks the kernel whether the foreground program waits for input.
func (p *Program) Readiness() pty.Readiness { return p.tty.Readiness() }

// WaitID tells one wait of the program that Readiness found from the next.
func (p *Program) WaitID() uint64 { return p.tty.WaitID() }

// Readable tells whether there is output after the first taken bytes, in the
// terminal or on its way to the function that Run calls.
func (p *Program) Readable(taken int64) bool { return p.tty.Readable(taken) }

// Holds tells whether a descriptor of the program is this terminal.
func (p *Program) Holds(fd int) bool { return p.tty.Holds(fd) }

// Has tells whether a descriptor of the program is open.
func (p *Program) Has(fd int) bool { return p.tty.Has(fd) }

// Foreground is the id of the process group that gets what a key like Ctrl-C means; 0
// when that cannot be known.
func (t *Terminal) Foreground() int {
	group, err := t.tty.Foreground()
	if err != nil {
		return 0
	}
	return group
}

// Signal sends a signal to the foreground process group.
func (p *Program) Signal(sig os.Signal) error { return p.tty.Signal(sig) }

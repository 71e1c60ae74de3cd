package terminal

import (
	"os"
	"syscall"

	"ripple/runtime/pty"
)

// What is known of the program and its terminal; see package pty.

// PID is the program's process id.
func (t *Terminal) PID() int { return t.tty.PID() }

// Exited is closed when the program has ended; its last output may still come.
func (t *Terminal) Exited() <-chan struct{} { return t.tty.Exited() }

// Done is closed when Run is over: nothing more will be printed.
func (t *Terminal) Done() <-chan struct{} { return t.done }

// ExitStatus is valid once Exited is closed: the exit code, or 128+n and the
// name of the signal n that ended the program. -1: unknown.
func (t *Terminal) ExitStatus() (code int, signal string) { return t.tty.ExitStatus() }

// Flags tells whether the terminal echoes input and edits lines now.
func (t *Terminal) Flags() (echo, canonical bool, err error) { return t.tty.Flags() }

// Echo is what the terminal will show of input that is written to it now.
func (t *Terminal) Echo(input []byte) []byte { return t.tty.Echo(input) }

// Shown is what the terminal makes now of text that a program prints.
func (t *Terminal) Shown(text []byte) []byte { return t.tty.Shown(text) }

// Readiness asks the kernel whether the foreground program waits for input.
func (t *Terminal) Readiness() pty.Readiness { return t.tty.Readiness() }

// Turn tells one wait of the program that Readiness found from the next.
func (t *Terminal) Turn() uint64 { return t.tty.Turn() }

// Readable tells whether there is output after the first taken bytes, in the
// terminal or on its way to the function that Run calls.
func (t *Terminal) Readable(taken int64) bool { return t.tty.Readable(taken) }

// Holds tells whether a descriptor of the program is this terminal.
func (t *Terminal) Holds(fd int) bool { return t.tty.Holds(fd) }

// Has tells whether a descriptor of the program is open.
func (t *Terminal) Has(fd int) bool { return t.tty.Has(fd) }

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
func (t *Terminal) Signal(sig os.Signal) error { return t.tty.Signal(sig) }

// Interrupt forgets what is queued and types key, the program's way to be
// interrupted. Where the terminal would turn Ctrl-C into a signal, the signal is
// sent directly: the key would throw away output that was not read yet.
func (t *Terminal) Interrupt(key string) {
	t.Discard()
	if key == "\x03" && t.tty.Interrupts() && t.tty.Signal(syscall.SIGINT) == nil {
		if t.options.Wrote != nil {
			t.input.mu.Lock()
			defer t.input.mu.Unlock()
			t.options.Wrote([]byte(key)) // what its user would have typed
		}
		return
	}
	_, _ = t.Write([]byte(key)) // it has ended: there is nothing to interrupt
}

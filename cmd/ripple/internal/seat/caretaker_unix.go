//go:build unix

package seat

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"example.org/ripple/cmd/ripple/internal/ui"
)

// caretaker is a process that gives a person's terminal back when the one that is attached
// cannot: it was killed, or the Go runtime ended it.
type caretaker struct {
	cmd    *exec.Cmd
	words  io.WriteCloser
	before unix.Termios
}

// charge is what a caretaker is told first.
type charge struct {
	Before unix.Termios `json:"before"` // the terminal as it is to be
	Raw    unix.Termios `json:"raw"`    // and as it is while somebody is attached
}

// newCaretaker starts one for a terminal; nil: none can be started. It is in a session of
// its own: what is done to our job, or to the terminal, does not reach it, and it may set
// the terminal's modes.
func newCaretaker(tty *os.File) *caretaker {
	before, err := unix.IoctlGetTermios(int(tty.Fd()), getTermios)
	if err != nil {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	cmd := exec.Command(self, "console", "caretaker")
	cmd.Dir, cmd.Stdout, cmd.SysProcAttr = "/", tty, &syscall.SysProcAttr{Setsid: true}
	words, err := cmd.StdinPipe()
	if err != nil || cmd.Start() != nil {
		return nil
	}
	return &caretaker{cmd, words, *before}
}

// Watch looks after a terminal that a process of ours will take which may be killed with
// all that it has started, its own caretaker too. Before stop the terminal is as it was, or
// it is given back.
func Watch(tty *os.File) (stop func()) {
	c := newCaretaker(tty)
	if c == nil {
		return func() {}
	}
	_ = json.NewEncoder(c.words).Encode(charge{c.before, rawOf(c.before)}) // it may be gone
	return func() {
		if now, err := unix.IoctlGetTermios(int(tty.Fd()), getTermios); err == nil && *now == c.before {
			c.relieve()
			return
		}
		_ = c.words.Close() // as our own end would
		_ = c.cmd.Wait()    // it says nothing
	}
}

// rawOf are the modes that term.MakeRaw makes of others: cfmakeraw(3).
func rawOf(m unix.Termios) unix.Termios {
	m.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	m.Oflag &^= unix.OPOST
	m.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	m.Cflag &^= unix.CSIZE | unix.PARENB
	m.Cflag |= unix.CS8
	m.Cc[unix.VMIN], m.Cc[unix.VTIME] = 1, 0
	return m
}

// charge leaves the terminal, which we have set by now, to the caretaker from our death on.
func (c *caretaker) charge(tty *os.File) {
	raw, err := unix.IoctlGetTermios(int(tty.Fd()), getTermios)
	if c != nil && err == nil {
		_ = json.NewEncoder(c.words).Encode(charge{c.before, *raw}) // it may be gone
	}
}

// relieve ends the caretaker: the terminal is as it was, or has never been ours.
func (c *caretaker) relieve() {
	if c == nil {
		return
	}
	_, _ = c.words.Write([]byte("{}")) // it may be gone
	_ = c.words.Close()
	_ = c.cmd.Wait() // it says nothing
}

// Caretaker is the process.
func Caretaker(a *ui.App) *cobra.Command {
	return &cobra.Command{
		Use:    "caretaker",
		Hidden: true,
		Args:   ui.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			tty, ok := a.Stdout.(*os.File)
			if !ok || !ui.IsTerminal(tty) {
				return ui.UsageError("", "a caretaker is started by ripple itself, for a terminal")
			}
			var told charge
			words := json.NewDecoder(a.In)
			if words.Decode(&told) != nil {
				return nil // nothing was done to the terminal
			}
			if err := words.Decode(&struct{}{}); !errors.Is(err, io.EOF) {
				return nil // who was attached has done it
			}
			now, err := unix.IoctlGetTermios(int(tty.Fd()), getTermios)
			if err == nil && *now == told.Raw { // otherwise somebody else uses it already
				_ = unix.IoctlSetTermios(int(tty.Fd()), setTermios, &told.Before) // it may be gone
			}
			bounded(func() { unset(tty) })
			return nil
		},
	}
}

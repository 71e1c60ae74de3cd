//go:build unix

package attached

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

// supervisor is a process that restores the user's terminal if the attached process cannot,
// because it was killed or the Go runtime ended it.
type supervisor struct {
	cmd    *exec.Cmd
	words  io.WriteCloser
	before unix.Termios
}

// orders is the first message to a supervisor: the modes that it may have to restore.
type orders struct {
	Before unix.Termios `json:"before"` // the modes to restore
	Raw    unix.Termios `json:"raw"`    // the modes while a user is attached
}

// newSupervisor starts a supervisor for a terminal, or returns nil if it cannot. The supervisor
// is in a session of its own, so that signals to our job or from the terminal do not reach it,
// and it may set the terminal's modes.
func newSupervisor(tty *os.File) *supervisor {
	before, err := unix.IoctlGetTermios(int(tty.Fd()), getTermios)
	if err != nil {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	cmd := exec.Command(self, "console", "supervisor")
	cmd.Dir, cmd.Stdout, cmd.SysProcAttr = "/", tty, &syscall.SysProcAttr{Setsid: true}
	words, err := cmd.StdinPipe()
	if err != nil || cmd.Start() != nil {
		return nil
	}
	return &supervisor{cmd, words, *before}
}

// Supervise watches a terminal that one of our processes is going to use, because that process
// may be killed with everything that it started, its own supervisor included. stop restores the
// terminal unless it has its old modes.
func Supervise(tty *os.File) (stop func()) {
	c := newSupervisor(tty)
	if c == nil {
		return func() {}
	}
	_ = json.NewEncoder(c.words).Encode(orders{c.before, rawOf(c.before)}) // it may be gone
	return func() {
		if now, err := unix.IoctlGetTermios(int(tty.Fd()), getTermios); err == nil && *now == c.before {
			c.dismiss()
			return
		}
		_ = c.words.Close() // as our own end would
		_ = c.cmd.Wait()    // its exit code means nothing
	}
}

// rawOf returns the modes that term.MakeRaw derives from m: cfmakeraw(3).
func rawOf(m unix.Termios) unix.Termios {
	m.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	m.Oflag &^= unix.OPOST
	m.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	m.Cflag &^= unix.CSIZE | unix.PARENB
	m.Cflag |= unix.CS8
	m.Cc[unix.VMIN], m.Cc[unix.VTIME] = 1, 0
	return m
}

// arm has the supervisor restore the terminal, whose modes are set by now, when this process
// dies.
func (c *supervisor) arm(tty *os.File) {
	raw, err := unix.IoctlGetTermios(int(tty.Fd()), getTermios)
	if c != nil && err == nil {
		_ = json.NewEncoder(c.words).Encode(orders{c.before, *raw}) // it may be gone
	}
}

// dismiss ends the supervisor, because the terminal has its old modes.
func (c *supervisor) dismiss() {
	if c == nil {
		return
	}
	_, _ = c.words.Write([]byte("{}")) // it may be gone
	_ = c.words.Close()
	_ = c.cmd.Wait() // its exit code means nothing
}

// SupervisorCommand returns the hidden command that is the supervisor process.
func SupervisorCommand(a *ui.App) *cobra.Command {
	return &cobra.Command{
		Use:    "supervisor",
		Hidden: true,
		Args:   ui.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			tty, ok := a.Stdout.(*os.File)
			if !ok || !ui.IsTerminal(tty) {
				return ui.UsageError("", "the supervisor is started by ripple itself, for a terminal")
			}
			var told orders
			words := json.NewDecoder(a.In)
			if words.Decode(&told) != nil {
				return nil // nothing was done to the terminal
			}
			if err := words.Decode(&struct{}{}); !errors.Is(err, io.EOF) {
				return nil // the attached process has restored it
			}
			now, err := unix.IoctlGetTermios(int(tty.Fd()), getTermios)
			if err == nil && *now == told.Raw { // otherwise another process uses it already
				_ = unix.IoctlSetTermios(int(tty.Fd()), setTermios, &told.Before) // it may be gone
			}
			bounded(func() { unset(tty) })
			return nil
		},
	}
}

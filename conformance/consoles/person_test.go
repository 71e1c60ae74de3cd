//go:build linux

package consoles

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// person is a user at a real terminal, tmux, which reports its contents and modes.
type person struct {
	*place
	socket string
}

// person opens a terminal that runs a shell command.
func (p *place) person(cols, rows int, command string) *person {
	p.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		p.Skip("tmux is not installed")
	}
	u := &person{place: p, socket: p.path(fmt.Sprintf("tmux%d", places.Add(1)))}
	path, err := ripple()
	require.NoError(p, err)
	command = strings.ReplaceAll(command, "RIPPLE", path)
	u.tmux("-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(cols), "-y", fmt.Sprint(rows), "-c", p.path("work"), "exec sh -c "+quoted(command))
	p.Cleanup(func() { _ = exec.Command("tmux", "-S", u.socket, "kill-server").Run() }) // it ends with its last terminal
	return u
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// tmux runs a command of tmux.
func (u *person) tmux(args ...string) string {
	u.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", u.socket}, args...)...)
	cmd.Env = u.env
	out, err := cmd.CombinedOutput()
	require.NoError(u, err, "%q: %s", args, out)
	return string(out)
}

// types types text, and keys by their names in tmux.
func (u *person) types(text string, keys ...string) {
	u.Helper()
	if text != "" {
		u.tmux("send-keys", "-l", text)
	}
	if len(keys) > 0 {
		u.tmux(append([]string{"send-keys"}, keys...)...)
	}
}

// screen returns the contents of the terminal.
func (u *person) screen() string {
	u.Helper()
	return strings.TrimRight(u.tmux("capture-pane", "-p"), "\n") + "\n"
}

// sees waits until the terminal shows a text.
func (u *person) sees(text string) {
	u.Helper()
	u.eventually(func() bool { return strings.Contains(u.screen(), text) }, func() string { return fmt.Sprintf("%q is not on the screen:\n%s", text, u.screen()) })
}

// seesTheConsole waits until the terminal shows the output of peek.
func (u *person) seesTheConsole() {
	u.Helper()
	peek := func() string { return strings.TrimRight(u.ok("console", "peek", "main"), "\n") + "\n" }
	u.eventually(func() bool { return u.screen() == peek() }, func() string { return u.screen() + "is not\n" + peek() })
}

// modes are the terminal's modes that programs set, and its line settings.
type modes struct {
	Alternate, Cursor, Mouse, MouseSGR, CursorKeys, Keypad, Insert, Wrap string
	Line                                                                 unix.Termios
}

// modes returns the current modes of the terminal.
func (u *person) modes() (m modes) {
	u.Helper()
	text := u.tmux("display-message", "-p", "#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{mouse_sgr_flag} #{keypad_cursor_flag} #{keypad_flag} #{insert_flag} #{wrap_flag} #{pane_tty}")
	var tty string
	_, err := fmt.Sscan(text, &m.Alternate, &m.Cursor, &m.Mouse, &m.MouseSGR, &m.CursorKeys, &m.Keypad, &m.Insert, &m.Wrap, &tty)
	require.NoError(u, err, text)
	f, err := os.OpenFile(tty, os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(u, err)
	line, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	require.NoError(u, err)
	require.NoError(u, f.Close())
	m.Line = *line
	m.Line.Iflag &^= unix.IUTF8 // tmux sets it some time after the start
	return m
}

// pasteIsBracketed reports whether bracketed paste is enabled. The running program has to show its
// input, like cat -v.
func (u *person) pasteIsBracketed() bool {
	u.Helper()
	u.tmux("set-buffer", "pasted")
	u.tmux("paste-buffer", "-p")
	u.types("", "Enter")
	u.sees("pasted")
	return strings.Contains(u.screen(), "[200~")
}

// client returns the ID of the process attached to the only console.
func (u *person) client() (pid int) {
	u.Helper()
	find := func() bool {
		pid = 0
		for _, p := range u.left() {
			cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p)) // it may have ended
			if strings.Contains(string(cmdline), "\x00console\x00attach\x00") {
				pid = p
			}
		}
		return pid != 0
	}
	u.eventually(find, func() string { return "nobody is attached: " + describe(u.left()) })
	return pid
}

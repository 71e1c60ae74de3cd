//go:build linux

package consoles

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// setModes is a program that sets as many terminal modes as possible, and waits.
const setModes = `printf '\e[?1049h\e[H\e[2J\e[?25l\e[?1000h\e[?1003h\e[?1006h\e[?2004h\e[?1h\e=\e[4h\e[?7l\e[>1u\e]2;a title\aON THE OTH\105R SCREEN'; read -n 1`

// anyExitCode is the exit code of a killed client: the shell may report it before the terminal has been
// restored.
const anyExitCode = -1

// After any end of an attachment, the terminal is restored: its modes, its line settings, its
// screen. A client that attaches while the modes are set sets them.
func TestTheTerminalIsRestored(t *testing.T) {
	t.Parallel()
	signal := func(s syscall.Signal) func(*person) {
		return func(u *person) { require.NoError(u, syscall.Kill(u.client(), s)) }
	}
	type ending struct {
		name string
		end  func(u *person)
		code int
	}
	for _, tt := range testkit.FirstOfEach(t, [][]ending{
		{{"detached", func(u *person) { u.types("", `C-\`, "C-d") }, 0}},
		{
			{"the program ends", func(u *person) { u.types("x"); u.types("exit 3", "Enter") }, 3},
			{"the program is killed", func(u *person) { require.NoError(u, syscall.Kill(u.status("main").PID, syscall.SIGKILL)) }, 137},
		},
		{
			{"closed by another", func(u *person) { u.ok("console", "close", "main") }, 0},
			{"closed by force", func(u *person) { u.ok("console", "close", "main", "--kill") }, 0},
		},
		{{"the host is killed", func(u *person) { require.NoError(u, syscall.Kill(u.status("main").Host, syscall.SIGKILL)) }, 1}},
		{
			{"SIGHUP", signal(syscall.SIGHUP), 130},
			{"SIGTERM", signal(syscall.SIGTERM), 130},
			{"SIGINT", signal(syscall.SIGINT), 130},
			{"SIGQUIT", signal(syscall.SIGQUIT), 130},
		},
		{
			{"SIGKILL", signal(syscall.SIGKILL), anyExitCode},
			{"a signal that ends the Go runtime", signal(syscall.SIGABRT), anyExitCode},
		},
	}) {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			p.start("main")
			p.ok("console", "resize", "main", "100", "30")
			p.exec("main", setModes, "--timeout", "100ms")
			u := p.person(100, 30, "read x; RIPPLE console attach main; echo it exited with $?; exec cat -v")
			before := u.modes()
			u.types("", "Enter")
			u.sees("ON THE OTHER SCREEN")
			set := u.modes()
			assert.Equal(t, []string{"1", "0", "1", "1", "1", "1", "1", "0"}, []string{set.Alternate, set.Cursor, set.Mouse, set.MouseSGR, set.CursorKeys, set.Keypad, set.Insert, set.Wrap})
			assert.NotEqual(t, before.Line, set.Line)
			tt.end(u)
			u.eventually(func() bool { return u.modes() == before }, func() string { return fmt.Sprintf("%+v\nis not\n%+v\n%s", u.modes(), before, u.screen()) })
			if tt.code != anyExitCode {
				u.sees(fmt.Sprint("it exited with ", tt.code))
			}
			assert.False(t, u.pasteIsBracketed(), u.screen())
			assert.NotContains(t, u.screen(), "ON THE OTHER SCREEN")
		})
	}
}

// Closing a terminal ends the attached client, and nothing else.
func TestATerminalIsClosed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start("main")
	u := p.person(100, 30, "exec RIPPLE console attach main")
	u.sees("work")
	u.types("echo he''re", "Enter")
	u.sees("here")
	before := len(p.left())
	u.tmux("kill-server")
	p.eventually(func() bool { return len(p.left()) < before-2 }, func() string { return describe(p.left()) })
	assert.Equal(t, "still\n", p.exec("main", "echo still").out)
	p.ok("console", "close", "main")
	p.requireNothingLeft()
}

// A user runs a pager and an editor as without a console, in a terminal that is resized, and after
// attaching from another terminal.
func TestAUserRunsAnEditor(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start("main", "--env", "PAGER=less", "--env", "LESS=", "--env", "EXINIT=")
	u := p.person(100, 30, "exec RIPPLE console attach main")
	u.sees("work")
	u.types("seq 1 500 | less", "Enter")
	u.sees("\n29\n:")
	p.until("main", "fullscreen")
	u.types(" ")
	u.sees("30\n31\n")
	u.types("/^444$", "Enter")
	u.sees("444\n445\n")
	u.seesTheConsole()
	u.types("q")
	u.sees("seq 1 500 | less\n")
	p.until("main", "idle")

	u.types("vim -u NONE -i NONE -n file", "Enter")
	u.sees("~\n~")
	u.types("itwo words")
	u.types("", "Escape")
	u.tmux("resize-window", "-x", "70", "-y", "15")
	p.eventually(func() bool { s := p.status("main"); return s.Cols == 70 && s.Rows == 15 }, func() string { return fmt.Sprintf("%+v", p.status("main")) })
	u.editorHas("lines=15")
	u.editorHas("columns=70")
	u.types(":redraw!", "Enter")
	u.sees("two words\n~")
	u.types("", `C-\`, "C-d")
	v := p.person(90, 40, "exec RIPPLE console attach main")
	v.sees("two words\n~")
	v.types("A and more") // the terminal in which the user types determines the size
	p.eventually(func() bool { s := p.status("main"); return s.Cols == 90 && s.Rows == 40 }, func() string { return fmt.Sprintf("%+v", p.status("main")) })
	// vim may leave text undrawn that it reads just after a resize, until the next key, on any
	// terminal.
	v.types("", "Escape")
	v.editorHas("lines=40")
	v.types(":redraw!", "Enter")
	v.sees("two words and more\n~")
	v.seesTheConsole()
	v.types(":wq", "Enter")
	p.until("main", "idle")
	text, err := os.ReadFile(p.path("work/file"))
	require.NoError(t, err)
	assert.Equal(t, "two words and more\n", string(text))
}

// editorHas asks vim for its size until it has noticed the size of the terminal.
func (u *person) editorHas(size string) {
	u.Helper()
	u.eventually(func() bool {
		u.types(":set lines? columns?", "Enter")
		return strings.Contains(u.screen(), size)
	}, func() string { return size + " is not what it has:\n" + u.screen() })
}

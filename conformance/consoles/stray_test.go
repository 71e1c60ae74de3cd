//go:build linux

package consoles

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// rawTerminal is a terminal with a size, whose output is read only on request.
type rawTerminal struct {
	*place
	tty  *os.File
	cmd  *exec.Cmd
	seen []byte
}

func (p *place) attached(cols, rows uint16) *rawTerminal {
	p.Helper()
	s := &rawTerminal{place: p, cmd: p.command("console", "attach", "main")}
	var err error
	s.tty, err = pty.StartWithSize(s.cmd, &pty.Winsize{Cols: cols, Rows: rows})
	require.NoError(p, err)
	p.Cleanup(func() {
		_ = s.cmd.Process.Kill() // it should have ended
		_ = s.tty.Close()
		_ = s.cmd.Wait() // its exit status does not matter
	})
	return s
}

// reads reads until a text has arrived.
func (s *rawTerminal) reads(text string) {
	s.Helper()
	require.NoError(s, s.tty.SetReadDeadline(time.Now().Add(timeout)))
	buf := make([]byte, 64<<10)
	for searched := 0; !bytes.Contains(s.seen[searched:], []byte(text)); {
		searched = max(0, len(s.seen)-len(text))
		n, err := s.tty.Read(buf)
		s.seen = append(s.seen, buf[:n]...)
		require.NoError(s, err, "%q has not come: …%q", text, s.seen[max(0, len(s.seen)-500):])
	}
}

func (s *rawTerminal) types(text string) {
	s.Helper()
	_, err := s.tty.WriteString(text)
	require.NoError(s, err)
}

// A tiny terminal does not affect others (mngr#2516): it does not change the console's size until
// its user types, and the console is never smaller than a program can use.
func TestATinyTerminal(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start("main")
	p.exec("main", "stty size")
	assert.Equal(t, "40 120\n", p.ok("console", "read", "main"), "its own size")
	u := p.person(100, 30, "exec RIPPLE console attach main")
	u.sees("work")
	u.types("stty size", "Enter")
	u.sees("\n30 100\n")
	s := p.attached(2, 1)
	s.reads("\x1b[?25h")
	assert.Equal(t, "30 100\n", p.exec("main", "stty size").out)
	s.types("stty size\r")
	p.eventually(func() bool { return p.ok("console", "read", "main") == "5 20\n" }, func() string { return p.ok("console", "read", "main") })
	u.sees("5 20\n")
	u.types("stty size", "Enter")
	p.eventually(func() bool { return p.ok("console", "read", "main") == "30 100\n" }, func() string { return p.ok("console", "read", "main") })
	s.types("\x1c\x04")
	s.reads("detached")
	u.seesTheConsole()
}

// A client that attaches later gets the modes that the program has set, and the screen.
func TestALaterClientGetsTheModes(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start("main")
	p.exec("main", setModes, "--timeout", "100ms")
	for range 2 {
		s := p.attached(120, 40)
		s.reads("ON THE OTHER SCREEN")
		s.reads("\x1b[?2004h")
		s.types("\x1c\x04")
		s.reads("detached")
		_, shown, _ := bytes.Cut(s.seen, []byte("\x1b[?1047h")) // after the modes are reset
		for _, mode := range []string{"\x1b[?1003h", "\x1b[?1006h", "\x1b[?1h", "\x1b[?25l", "\x1b[?7l", "\x1b[4h", "\x1b]2;a title", "\x1b="} {
			assert.Contains(t, string(shown), mode)
		}
		assert.Regexp(t, `\x1b\[=1u`, string(shown), "the kitty keyboard protocol")
	}
}

// A terminal that does not read does not delay others, and is repainted instead of getting all
// missed output.
func TestATerminalThatIsNotRead(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start("main")
	s := p.attached(120, 40)
	s.reads("work")
	before := len(s.seen)
	lines := testkit.Times(t, 1_000_000, 2_000_000) // 7 MB, 15 MB
	r := p.exec("main", fmt.Sprintf("seq 1 %d; echo the e''nd", lines))
	require.True(t, strings.HasSuffix(r.out, fmt.Sprint(lines, "\nthe end\n")), "%+v", r.err)
	s.reads("the end")
	assert.Less(t, len(s.seen)-before, 4<<20, "bytes that it was sent")
	s.types("echo and ba''ck\r")
	s.reads("and back")
	s.types("\x1c\x04")
	s.reads("detached")
}

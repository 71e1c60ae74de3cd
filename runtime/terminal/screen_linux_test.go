package terminal

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/pty"
)

// user is a user at a terminal of their own, which displays the program's terminal.
type user struct {
	t   *testing.T
	sub *Subscription
	own *vt.Screen
}

// attach returns a user who follows the terminal from now on.
func attach(t *testing.T, term *started) *user {
	return &user{t: t, sub: term.Subscribe()}
}

func (p *user) text() string { return string(p.own.AppendText(nil)) }

// sees waits until want is, or is not, on the user's screen.
func (p *user) sees(want string, there bool) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience(20*time.Second))
	defer cancel()
	for p.own == nil || strings.Contains(p.text(), want) != there {
		piece, err := p.sub.Next(ctx)
		if err != nil {
			p.t.Fatalf("waiting for %q (%v): %v; the user sees\n%s\nthe screen is\n%s", want, there, err, p.text(), text(p.sub.t))
		}
		if piece.Snapshot {
			p.own = vt.New(vt.Options{Cols: piece.Cols, Rows: piece.Rows, History: 100})
		}
		p.own.Write(piece.Bytes)
	}
}

func (p *user) types(keys string) {
	p.t.Helper()
	require.NoError(p.t, p.sub.Type([]byte(keys)))
}

// Two users at full-screen programs: one follows from the start, one joins in the middle; both see
// the same, including cursor and modes, and both can work.
func TestUsersAtFullScreenPrograms(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	var lines strings.Builder
	for i := range 300 {
		fmt.Fprintf(&lines, "line %d\n", i+1)
	}
	require.NoError(t, os.WriteFile(file, []byte(lines.String()), 0o600))
	for _, tt := range []struct {
		name  string
		argv  []string
		first string // text that it displays
		keys  string // input of the second user
		then  string // text that it displays then
		quit  string
	}{
		{"less", []string{"less", file}, "line 20", "G", "line 300", "q"},
		{"vim", []string{"vim", "-u", "NONE", "-N", "-n", file}, "line 20", "GiHELLO\x1b", "HELLOline 300", ":q!\r"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := exec.LookPath(tt.argv[0]); err != nil {
				t.Skip(err)
			}
			t.Setenv("TERM", "xterm-256color")
			s := start(t, Options{Screen: true, History: 100, Replies: both}, pty.Command{Echo: true, Canonical: true, Size: pty.Size{Cols: 80, Rows: 24}}, tt.argv...)
			one := attach(t, s)
			one.sees(tt.first, true)
			two := attach(t, s)
			two.sees(tt.first, true)
			require.Eventually(t, func() bool { return s.Readiness().Listens }, testkit.Patience(20*time.Second), time.Millisecond,
				"a program that is still starting ignores a new size")
			require.NoError(t, two.sub.Resize(100, 30))
			two.types("\x0c") // less may lose a key that arrives together with a new size
			two.sees("line 28", true)
			two.types(tt.keys)
			two.sees(tt.then, true)
			one.sees(tt.then, true)
			cols, rows := one.own.Size()
			assert.Equal(t, []int{100, 30}, []int{cols, rows}, "the user who typed leads")
			three := attach(t, s)
			three.sees(tt.then, true)
			assert.Equal(t, two.own.Alternate(), three.own.Alternate())
			assert.Equal(t, two.own.Modes(), three.own.Modes())
			three.types(tt.quit)
			s.ends()
			assert.Equal(t, ansi(s.Terminal), ansiOfRest(t, three))
			assert.False(t, three.own.Alternate(), "it has restored the main screen")
		})
	}
}

// ansiOfRest follows to the end and returns the user's screen at that time.
func ansiOfRest(t *testing.T, p *user) string {
	for {
		piece, err := p.sub.Next(context.Background())
		if err != nil {
			return string(p.own.AppendANSI(nil))
		}
		require.False(t, piece.Snapshot)
		p.own.Write(piece.Bytes)
	}
}

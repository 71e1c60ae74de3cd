//go:build linux

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/Netflix/go-expect"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/proctree"
)

// turnBefore starts a turn on the scripted agent's screen on a terminal.
func turnBefore(t *testing.T) *terminal {
	t.Helper()
	scenario := filepath.Join(t.TempDir(), "scenario.yaml")
	require.NoError(t, os.WriteFile(scenario, []byte(`turns:
  - steps:
      - text: I ask.
      - deny: {tool: Write, detail: notes.txt}
      - text: I went on.
`), 0o600))
	path, err := binary()
	require.NoError(t, err)
	return withEnviron(t, append(os.Environ(), "RIPPLE_SCENARIO="+scenario), path, "agent", "run", "--adapter", "rehearsal", "--screen", "write it")
}

// resize changes the size of the terminal.
func (c *terminal) resize(cols, rows uint16) error {
	return unix.IoctlSetWinsize(int(c.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: cols, Row: rows})
}

// A user sees the agent's own screen, in the size of the terminal, and answers its question. After
// the turn the terminal is restored, and shows the answer.
func TestAUserAtTheAgentsScreen(t *testing.T) {
	t.Parallel()
	c := turnBefore(t)
	c.expect("Allow Write?")
	require.True(t, c.silent())
	for _, size := range []struct{ cols, rows uint16 }{{61, 20}, {47, 18}} {
		require.NoError(t, c.resize(size.cols, size.rows))
		rule := strings.Repeat("─", int(size.cols))
		seen := c.expect(rule)
		for strings.Contains(seen, rule+"─") {
			seen = c.expect(rule)
		}
	}
	c.send("1")
	rest, code := c.exit()
	assert.Equal(t, 0, code)
	assert.Contains(t, rest, "I ask.\r\nWrite: allowed\r\nI went on.\r\n")
	assert.Contains(t, rest, "ripple: to continue: --resume")
}

// After any end of a turn, the terminal echoes and edits input again.
func TestTheUsersTerminalIsRestored(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		end  func(c *terminal)
		code int
	}{
		"Ctrl-C at the end of the turn": {func(c *terminal) {
			c.send("2")
			seen, err := c.Expect(expect.String("enter sends", "to continue: --resume")) // the last screen may not be drawn
			require.NoError(c.t, err, seen)
			_, _ = c.Send("\x03\x03") // the turn may have ended
		}, -2},
		"SIGTERM": {func(c *terminal) { _ = c.cmd.Process.Signal(syscall.SIGTERM) }, 130},
		"kill -9": {func(c *terminal) { _ = c.cmd.Process.Kill() }, -1},
		"kill -9 of the process that draws": {func(c *terminal) {
			below := proctree.Descendants(c.cmd.Process.Pid)
			keeper := slices.IndexFunc(below, func(p proctree.Process) bool { return p.Name == "reaper" })
			require.GreaterOrEqual(c.t, keeper, 0)
			inner := slices.IndexFunc(below, func(p proctree.Process) bool { return parentOf(c.t, p.PID) == below[keeper].PID })
			require.GreaterOrEqual(c.t, inner, 0)
			require.NoError(c.t, syscall.Kill(below[inner].PID, syscall.SIGKILL))
		}, -2},
		"kill -9 of all": {func(c *terminal) { _ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) }, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := turnBefore(t)
			c.expect("Allow Write?")
			require.Eventually(t, c.silent, testkit.Patience(30*time.Second), time.Millisecond)
			tt.end(c)
			require.Eventually(t, c.isRestored, testkit.Patience(30*time.Second), time.Millisecond)
			_, code := c.exit()
			if tt.code != -2 { // either is right: the turn may have ended before
				assert.Equal(t, tt.code, code)
			}
		})
	}
}

//go:build linux

package main

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/ripple/internal/testkit"
)

// consoleOf starts a console in its own directories and returns a function that runs `ripple
// console` in them.
func consoleOf(t *testing.T) func(args ...string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rc") // the path of a socket must be short
	require.NoError(t, err)
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("XDG_STATE_HOME", dir)
	path, err := binary()
	require.NoError(t, err)
	run := func(args ...string) string {
		out, _ := exec.Command(path, append([]string{"console"}, args...)...).CombinedOutput() // the caller checks the text
		return string(out)
	}
	t.Cleanup(func() {
		run("close", "--all", "--kill")
		assert.NoError(t, os.RemoveAll(dir))
	})
	require.Equal(t, "work\n", run("start", "bash", "--name", "work", "--cwd", "/usr"))
	return run
}

// isRestored reports whether the terminal is restored: it echoes and edits input.
func (c *terminal) isRestored() bool { return !c.silent() }

// A user attaches, types, changes the directory and detaches; other clients see it.
func TestAttach(t *testing.T) {
	run := consoleOf(t)
	c := onTerminal(t, "console", "attach", "work")
	c.expect("/usr")
	c.send("half a li")
	c.expect("half a li")
	assert.Contains(t, run("exec", "work", "true"), "a person is typing at its prompt")
	c.send("\x15cd /etc\r")
	c.expect("/etc")
	require.Eventually(t, func() bool { return strings.Contains(run("list"), "idle") }, testkit.Patience(30*time.Second), time.Millisecond)
	assert.Contains(t, run("list"), "#1 cd /etc")
	assert.Contains(t, run("exec", "work", "--expect-cwd", "/usr", "pwd"), "the program is in /etc, not in /usr")
	assert.Equal(t, "/etc\n", run("exec", "work", "--expect-cwd", "/etc", "pwd"))
	c.send("\x1c")
	c.send("\x04")
	rest, code := c.exit()
	assert.Equal(t, 0, code)
	assert.Contains(t, rest, "\x1b[?2004l", "modes set by a program are undone")
	assert.Contains(t, rest, "detached from work")
}

// After any end, the terminal echoes and edits input again.
func TestAttachEnds(t *testing.T) {
	for name, tt := range map[string]struct {
		end  func(c *terminal, run func(...string) string)
		code int
	}{
		"the program ends":  {func(c *terminal, _ func(...string) string) { c.send("exit 3\r") }, 3},
		"closed by another": {func(_ *terminal, run func(...string) string) { run("exec", "work", "(exit 0)"); run("close", "work") }, 0},
		"SIGTERM":           {func(c *terminal, _ func(...string) string) { _ = c.cmd.Process.Signal(syscall.SIGTERM) }, 130},
	} {
		t.Run(name, func(t *testing.T) {
			run := consoleOf(t)
			c := onTerminal(t, "console", "attach", "work")
			c.expect("/usr")
			require.Eventually(t, c.silent, testkit.Patience(30*time.Second), time.Millisecond)
			tt.end(c, run)
			c.expect("\x1b[?1049l")
			require.Eventually(t, c.isRestored, testkit.Patience(30*time.Second), time.Millisecond)
			_, code := c.exit()
			assert.Equal(t, tt.code, code)
		})
	}
}

// A typed secret appears in no log, record or list.
func TestAttachSecret(t *testing.T) {
	run := consoleOf(t)
	c := onTerminal(t, "console", "attach", "work")
	c.expect("/usr")
	c.send("read -rsp 'pass: ' x; echo \"${#x} letters\"\r")
	require.Eventually(t, func() bool { return strings.Contains(run("list"), "waiting_for_secret") }, testkit.Patience(30*time.Second), time.Millisecond)
	c.send("s3cr3t-w0rd\r")
	c.expect("11 letters")
	require.Eventually(t, func() bool { return strings.Contains(run("list"), "idle") }, testkit.Patience(30*time.Second), time.Millisecond)
	found, _ := exec.Command("grep", "-r", "s3cr3t-w0rd", os.Getenv("XDG_STATE_HOME")).Output() // exit code 1: no match
	assert.Empty(t, string(found))
	assert.NotContains(t, run("logs", "work")+run("list", "--json")+run("read", "work"), "s3cr3t-w0rd")
	c.send("\x1c\x04")
	_, code := c.exit()
	assert.Equal(t, 0, code)
}

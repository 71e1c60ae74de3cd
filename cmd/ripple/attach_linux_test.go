//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/console"
)

// testConsoles are the consoles of a user with directories of its own.
type testConsoles struct {
	t       *testing.T
	state   string
	environ []string
}

// consoleOf starts a console of bash, called work, in its own directories.
func consoleOf(t *testing.T) *testConsoles {
	t.Helper()
	dir, err := os.MkdirTemp("", "rc") // the path of a socket must be short
	require.NoError(t, err)
	own := &testConsoles{t, dir, append(os.Environ(), "XDG_RUNTIME_DIR="+dir, "XDG_STATE_HOME="+dir)}
	t.Cleanup(func() {
		own.run("close", "--all", "--kill")
		assert.NoError(t, os.RemoveAll(dir))
	})
	require.Equal(t, "work\n", own.run("start", "bash", "--name", "work", "--cwd", "/usr"))
	return own
}

// run runs `ripple console`.
func (c *testConsoles) run(args ...string) string {
	c.t.Helper()
	path, err := binary()
	require.NoError(c.t, err)
	cmd := exec.Command(path, append([]string{"console"}, args...)...)
	cmd.Env = c.environ
	out, _ := cmd.CombinedOutput() // the caller checks the text
	return string(out)
}

// status returns what the host of a console reports, without a process of ripple: tests ask until it reports what they wait for.
func (c *testConsoles) status(name string) console.Status {
	c.t.Helper()
	all, err := console.List(c.t.Context(), func(variable string) string {
		if strings.HasPrefix(variable, "XDG_") {
			return c.state
		}
		return os.Getenv(variable)
	})
	require.NoError(c.t, err)
	at := slices.IndexFunc(all, func(s console.Status) bool { return s.Name == name })
	require.GreaterOrEqual(c.t, at, 0, name)
	return all[at]
}

// until waits until a console has a state.
func (c *testConsoles) until(name string, state console.State) {
	c.t.Helper()
	require.Eventually(c.t, func() bool { return c.status(name).State == state }, testkit.Patience(30*time.Second), 5*time.Millisecond)
}

// attach runs `ripple console attach` on a terminal.
func (c *testConsoles) attach(args ...string) *terminal {
	c.t.Helper()
	path, err := binary()
	require.NoError(c.t, err)
	return withEnviron(c.t, c.environ, path, append([]string{"console", "attach"}, args...)...)
}

// isRestored reports whether the terminal is restored: it echoes and edits input.
func (c *terminal) isRestored() bool { return !c.silent() }

// A user attaches, types, changes the directory and detaches; other clients see it.
func TestAttach(t *testing.T) {
	t.Parallel()
	own := consoleOf(t)
	c := own.attach("work")
	c.expect("/usr")
	c.send("half a li")
	c.expect("half a li")
	assert.Contains(t, own.run("exec", "work", "true"), "a user is typing at its prompt")
	c.send("\x15cd /etc\r")
	c.expect("/etc")
	own.until("work", console.Idle)
	assert.Contains(t, own.run("list"), "#1 cd /etc")
	assert.Contains(t, own.run("exec", "work", "--expect-cwd", "/usr", "pwd"), "the program is in /etc, not in /usr")
	assert.Equal(t, "/etc\n", own.run("exec", "work", "--expect-cwd", "/etc", "pwd"))
	c.send("\x1c")
	c.send("\x04")
	rest, code := c.exit()
	assert.Equal(t, 0, code)
	assert.Contains(t, rest, "\x1b[?2004l", "modes set by a program are undone")
	assert.Contains(t, rest, "detached from work")
}

// A user who detaches learns that lines are lost that no program has read.
func TestDetachingDropsHeldLines(t *testing.T) {
	t.Parallel()
	own := consoleOf(t)
	c := own.attach("work")
	c.expect("/usr")
	c.send("sleep 1000\r")
	own.until("work", console.Running)
	c.send("echo A\recho B\r")
	c.expect("[keys held")
	c.send("\x1c\x04")
	rest, code := c.exit()
	assert.Zero(t, code)
	assert.Contains(t, rest, "ripple: dropped: what you typed while the console did not take it")
	assert.Contains(t, rest, "detached from work")
}

// After any end, the terminal echoes and edits input again.
func TestAttachEnds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		end  func(c *terminal, own *testConsoles)
		code int
	}{
		"the program ends":  {func(c *terminal, _ *testConsoles) { c.send("exit 3\r") }, 3},
		"closed by another": {func(_ *terminal, own *testConsoles) { own.run("exec", "work", "(exit 0)"); own.run("close", "work") }, 0},
		"SIGTERM":           {func(c *terminal, _ *testConsoles) { _ = c.cmd.Process.Signal(syscall.SIGTERM) }, 130},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			own := consoleOf(t)
			c := own.attach("work")
			c.expect("/usr")
			require.Eventually(t, c.silent, testkit.Patience(30*time.Second), time.Millisecond)
			tt.end(c, own)
			c.expect("\x1b[?1049l")
			require.Eventually(t, c.isRestored, testkit.Patience(30*time.Second), time.Millisecond)
			_, code := c.exit()
			assert.Equal(t, tt.code, code)
		})
	}
}

// A typed secret appears in no log, record or list.
func TestAttachSecret(t *testing.T) {
	t.Parallel()
	own := consoleOf(t)
	c := own.attach("work")
	c.expect("/usr")
	c.send("read -rsp 'pass: ' x; echo \"${#x} letters\"\r")
	own.until("work", console.WaitingSecret)
	c.send("s3cr3t-w0rd\r")
	c.expect("11 letters")
	own.until("work", console.Idle)
	found, _ := exec.Command("grep", "-r", "s3cr3t-w0rd", own.state).Output() // exit code 1: no match
	assert.Empty(t, string(found))
	assert.NotContains(t, own.run("logs", "work")+own.run("list", "--json")+own.run("read", "work"), "s3cr3t-w0rd")
	c.send("\x1c\x04")
	_, code := c.exit()
	assert.Equal(t, 0, code)
}

// A console is not attached to its own terminal, in it or in a console that it shows.
func TestAConsoleIsNotAttachedToItself(t *testing.T) {
	t.Parallel()
	own := consoleOf(t)
	require.Equal(t, "inner\n", own.run("start", "bash", "--name", "inner"))
	path, err := binary()
	require.NoError(t, err)
	c := own.attach("work")
	c.editsLines()
	c.send(path + " console attach work\r")
	c.expect("this terminal is the console's own: it would show itself")
	c.editsLines()
	c.send(path + " console attach inner\r")
	c.editsLines() // of the inner console
	c.send(path + " console attach work\r")
	c.expect("it would show itself")
	assert.Contains(t, own.run("read", "inner", "--command", "1"), "this terminal is that of the console inner, which work shows")
}

// The title shows that the host does not respond, and the keys that detach work then.
func TestAttachedToAStoppedHost(t *testing.T) {
	t.Parallel()
	own := consoleOf(t)
	c := own.attach("work")
	c.expect("/usr")
	host := own.status("work").HostPID
	require.NotZero(t, host)
	require.NoError(t, syscall.Kill(host, syscall.SIGSTOP))
	t.Cleanup(func() { _ = syscall.Kill(host, syscall.SIGCONT) })
	c.expect("\x1b]2;[console work does not respond]\x1b\\\a")
	require.NoError(t, syscall.Kill(host, syscall.SIGCONT))
	c.expect("\x1b]2;\x1b\\")
	require.NoError(t, syscall.Kill(host, syscall.SIGSTOP))
	c.expect("does not respond")
	c.send("x\r\x1c\x04")
	rest, code := c.exit()
	assert.Zero(t, code)
	assert.Contains(t, rest, "detached from work")
}

// A program whose startup file asks something does not reach its first prompt by waiting: start returns after five seconds, with the question.
func TestAQuestionAtTheStart(t *testing.T) {
	t.Parallel()
	own := consoleOf(t)
	home := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(home, ".bashrc"), []byte("read -p 'key? ' k\n"), 0o600))
	began := time.Now()
	out := own.run("start", "bash", "--name", "asks", "--env", "HOME="+home)
	assert.Less(t, time.Since(began), 29*time.Second)
	assert.Contains(t, out, `the program has not reached its first prompt; its last line is "key?"`)
	c := own.attach("asks")
	c.expect("key? ")
	c.send("x\r")
	assert.Equal(t, "x\n", own.run("exec", "asks", "echo $k"))
}

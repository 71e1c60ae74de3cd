//go:build linux

package main

import (
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"testing"
	"time"

	expect "github.com/Netflix/go-expect"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/testkit"
)

// terminal is the binary running on a terminal.
type terminal struct {
	*expect.Console
	t   *testing.T
	cmd *exec.Cmd
}

func onTerminal(t *testing.T, args ...string) *terminal {
	t.Helper()
	path, err := binary()
	require.NoError(t, err)
	return binaryOnTerminal(t, path, args...)
}

func binaryOnTerminal(t *testing.T, path string, args ...string) *terminal {
	t.Helper()
	return withEnviron(t, os.Environ(), path, args...)
}

// withEnviron runs a program on a terminal, in an environment with a home of its own.
func withEnviron(t *testing.T, environ []string, path string, args ...string) *terminal {
	t.Helper()
	console, err := expect.NewConsole(expect.WithDefaultTimeout(testkit.Patience(30 * time.Second)))
	require.NoError(t, err)
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = console.Tty(), console.Tty(), console.Tty()
	cmd.Env = append(environ[:len(environ):len(environ)], "HOME="+t.TempDir(), "TERM=xterm-256color", "NO_COLOR=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, cmd.Start())
	require.NoError(t, console.Tty().Close()) // so that the program's end is the end of output
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it should have ended
		_ = console.Close()    // the tty was closed before
	})
	return &terminal{console, t, cmd}
}

func (c *terminal) expect(text string) string {
	c.t.Helper()
	seen, err := c.ExpectString(text)
	require.NoErrorf(c.t, err, "waiting for %q, got %q", text, seen)
	return seen
}

func (c *terminal) send(text string) {
	c.t.Helper()
	_, err := c.Send(text)
	require.NoError(c.t, err)
}

// silent reports whether echo is off.
func (c *terminal) silent() bool {
	state, err := unix.IoctlGetTermios(int(c.Fd()), unix.TCGETS)
	return err == nil && state.Lflag&unix.ECHO == 0
}

// exit reads to the end and returns the output and the exit code.
func (c *terminal) exit() (string, int) {
	c.t.Helper()
	rest, _ := c.Expect(expect.EOF, expect.PTSClosed) // the end itself may be an error
	_ = c.cmd.Wait()                                  // the state contains the exit code
	return rest, c.cmd.ProcessState.ExitCode()
}

func TestCtrlCInterruptsTheCommand(t *testing.T) {
	t.Parallel()
	c := onTerminal(t, "exec", "bash", "echo started; while :; do :; done")
	c.expect("started")
	c.send("\x03")
	_, code := c.exit()
	assert.Equal(t, 130, code)
}

func TestSecondCtrlCEnds(t *testing.T) {
	t.Parallel()
	c := onTerminal(t, "exec", "bash", "trap '' INT; echo started; while :; do :; done")
	c.expect("started")
	c.send("\x03")
	c.expect("continues in spite of the interrupt; to end the session: Ctrl-C again")
	c.send("\x03")
	_, code := c.exit()
	assert.Equal(t, ui.ExitInterrupted, code)
}

func TestTypedLinesGoToTheProgram(t *testing.T) {
	t.Parallel()
	c := onTerminal(t, "exec", "bash", `read -r name; echo "hello $name"; read -r -s secret; echo "${#secret} letters"`)
	c.expect("the program waits for input: type it and press Enter")
	c.send("world\n")
	c.expect("hello world")
	c.expect("waits for a secret")
	require.Eventually(t, c.silent, testkit.Patience(30*time.Second), time.Millisecond)
	c.send("hush\n")
	seen := c.expect("4 letters")
	assert.NotContains(t, seen, "hush", "a secret is not echoed")
	_, code := c.exit()
	assert.Equal(t, 0, code)
}

// Input that the program has not read does not reach the shell after ripple.
func TestUnreadInputIsDropped(t *testing.T) {
	t.Parallel()
	path, err := binary()
	require.NoError(t, err)
	c := binaryOnTerminal(t, "/bin/sh", "-c", path+` exec --timeout 2s bash 'read -r -s secret; sleep 100'; echo "the shell"; read -r left; echo "left <$left>"`)
	c.expect("waits for a secret")
	require.Eventually(t, c.silent, testkit.Patience(30*time.Second), time.Millisecond)
	c.send("hush")
	c.expect("did not end within")
	c.expect("the shell") // ripple has ended, and dropped the pending input
	c.send("\n")
	rest, code := c.exit()
	assert.Contains(t, rest, "left <>")
	assert.Zero(t, code)
}

func TestEndOfInputIsTyped(t *testing.T) {
	t.Parallel()
	c := onTerminal(t, "exec", "bash", `cat; echo "after"`)
	c.expect("waits for input")
	c.send("one\n")
	c.expect("one\r\none") // the terminal's echo, and the program's output
	c.send("\x04")
	c.expect("after")
	_, code := c.exit()
	assert.Equal(t, 0, code)
}

func TestProgressIsOneLine(t *testing.T) {
	t.Parallel()
	c := onTerminal(t, "adapter", "test", "bash", "--filter", "^arithmetic$")
	c.expect("\r\x1b[Kbash 1/1 arithmetic")
	rest, code := c.exit()
	assert.Equal(t, 0, code)
	assert.Regexp(t, regexp.MustCompile(`\r\x1b\[K(\r\x1b\[K)*[^\r]*bash`), rest, "the line is erased before the report")
}

func TestErrorsHaveColorOnATerminal(t *testing.T) {
	t.Parallel()
	c := onTerminal(t, "adapter", "show", "nonexistent")
	seen, code := c.exit()
	assert.Equal(t, ui.ExitUsage, code)
	assert.Contains(t, seen, ui.Red)
}

//go:build linux

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	expect "github.com/Netflix/go-expect"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/adapters"
	scripts "example.org/ripple/integration-scripts"
	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/console"
	"example.org/ripple/runtime/contract"
	"example.org/ripple/runtime/registry"
)

const (
	keyUp, keyDown, keyLeft, keyHome = "\x1b[A", "\x1b[B", "\x1b[D", "\x1b[H"
)

// editsLines waits until a line can be edited: then the terminal distinguishes pasted text.
func (c *terminal) editsLines() {
	c.t.Helper()
	c.expect("\x1b[?2004h")
}

// ran waits until a console has run a command and returns its output; code is the
// command's first line.
func (c *testConsoles) ran(name string, command int, code string) string {
	c.t.Helper()
	require.EventuallyWithT(c.t, func(t *assert.CollectT) {
		status := c.status(name)
		assert.Equal(t, console.Idle, status.State)
		require.NotNil(t, status.Command)
		assert.Equal(t, command, status.Command.ID)
		first, _, _ := strings.Cut(status.Command.Code, "\n")
		assert.Equal(t, code, first)
	}, testkit.Patience(30*time.Second), 5*time.Millisecond)
	return c.run("read", name, "--command", fmt.Sprint(command))
}

// serverOf starts the server that an adapter's tests need, if any, and returns the environment of its clients.
func serverOf(t *testing.T, adapter string) []string {
	t.Helper()
	all, err := registry.Open(registry.Sources{Embedded: adapters.FS, Scripts: []fs.FS{scripts.FS}})
	require.NoError(t, err)
	entry, err := all.Find(adapter)
	require.NoError(t, err)
	needs := entry.Adapter.Ready.Needs
	if needs == nil || needs.Server == nil {
		return nil
	}
	server, err := contract.StartServer(t.Context(), needs.Server)
	if errors.Is(err, contract.ErrNoServer) {
		t.Skip(err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, server.End()) })
	return server.Env
}

// A user edits lines in front of any program, and commands of other clients stay unaffected.
func TestAUserEditsLines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ adapter, typed, edits, line, output, code, result string }{
		{"bash", "eco 漢 字x", keyLeft + "\x7f" + keyHome + "\x06\x06h\x05 end\x17fin", "echo 漢 x fin", "漢 x fin\n", "echo x", "x\n"},
		{"zsh", "echo helo", keyLeft + "l", "echo hello", "hello\n", "echo x", "x\n"},
		{"fish", "echo helo", keyLeft + "l", "echo hello", "hello\n", "echo x", "x\n"},
		{"python", "print('helo')", keyLeft + keyLeft + keyLeft + "l", "print('hello')", "hello\n", "1+1", "2\n"},
		{"ipython", "print('helo')", keyLeft + keyLeft + keyLeft + "l", "print('hello')", "hello\n", "print(2)", "2\n"},
		{"node", "'helo'", keyLeft + keyLeft + "l", "'hello'", "'hello'\n", "1+1", "2\n"},
		{"psql", `\echo helo`, keyLeft + "l", `\echo hello`, "hello\n", `\echo x`, "x\n"},
		{"sqlite3", "select 'helo';", keyLeft + keyLeft + keyLeft + "l", "select 'hello';", "hello\n", "select 2;", "2\n"},
	} {
		t.Run(tt.adapter, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(tt.adapter); tt.adapter == "ipython" && err != nil {
				t.Skip(err)
			}
			environ := serverOf(t, tt.adapter)
			own := consoleOf(t)
			own.environ = append(own.environ, environ...)
			require.Equal(t, "p\n", own.run("start", tt.adapter, "--name", "p"))
			c := own.attach("p")
			c.editsLines()
			rounds := 3
			if tt.adapter != "bash" {
				rounds = testkit.Times(t, 1, rounds)
			}
			for n := range rounds {
				c.send(tt.typed)
				c.expect(tt.typed)
				own.until("p", console.Typing)
				assert.Contains(t, own.run("exec", "p", tt.code), "a user is typing at its prompt")
				c.send(tt.edits)
				c.expect(tt.line + "\x1b[J")
				c.send("\r")
				c.expect(strings.TrimSuffix(tt.output, "\n") + "\r\n")
				c.editsLines()
				assert.Equal(t, tt.output, own.ran("p", 2*n+1, tt.line))
				assert.Equal(t, tt.result, own.run("exec", "p", tt.code))
				c.expect(strings.TrimSuffix(tt.result, "\n") + "\r\n")
			}
			c.send(keyUp + keyUp)
			c.expect(tt.line)
			c.send("\x1c\x04")
			rest, code := c.exit()
			assert.Equal(t, 0, code)
			assert.Contains(t, rest, "\x1b[?2004l")
			assert.Equal(t, tt.result, own.run("exec", "p", tt.code), "the unfinished line is gone")
		})
	}
}

// Output during editing is shown before the line, which is not lost.
func TestALineSurvivesOthersOutput(t *testing.T) {
	t.Parallel()
	own := consoleOf(t)
	c := own.attach("work")
	c.editsLines()
	file := t.TempDir() + "/" + strings.Repeat("long-name-", 12) // the command is longer than a row, and than its form in a list
	c.send("(until test -e " + file + "; do sleep 0.01; done; echo from behind) &\r")
	own.ran("work", 1, "(until test -e "+file+"; do sleep 0.01; done; echo from behind) &")
	c.send("echo unfnished" + strings.Repeat(keyLeft, 6))
	c.expect("echo unfnished\x1b[J")
	require.NoError(t, writeEmpty(file))
	seen := c.expect("from behind\r\n")
	assert.Regexp(t, `\x1b\[\d+G\x1b\[J[^\n]*$`, strings.TrimSuffix(seen, "from behind\r\n"), "the line is taken away before it")
	c.expect("echo unfnished\x1b[J") // and shown again
	c.send("i\r")
	c.expect("unfinished\r\n")
	assert.Equal(t, "unfinished\n", own.ran("work", 2, "echo unfinished"))
}

// Keys typed while a command runs are edited once the prompt appears.
func TestKeysTypedAheadAreEdited(t *testing.T) {
	t.Parallel()
	own := consoleOf(t)
	c := own.attach("work")
	c.editsLines()
	file := t.TempDir() + "/go"
	c.send("until test -e " + file + "; do sleep 0.01; done\r")
	own.until("work", console.Running)
	c.send("echo heo" + keyLeft + "ll")
	c.expect("keys held")
	require.NoError(t, writeEmpty(file))
	c.expect("echo hello\x1b[J")
	c.send("\r")
	assert.Equal(t, "hello\n", own.ran("work", 2, "echo hello"))
}

// Programs that read keys, and those that ask for a secret, get them unedited.
func TestProgramsThatReadKeysGetThemUnedited(t *testing.T) {
	t.Parallel()
	own := consoleOf(t)
	c := own.attach("work")
	c.editsLines()
	c.send("read -rsn 3 x; printf %q $x; echo .\r")
	own.until("work", console.WaitingInput)
	c.send(keyUp)
	c.expect(`$'\E[A'.`)
	c.editsLines()
	c.send("cat\r")
	own.until("work", console.WaitingInput)
	c.send("ab" + keyLeft + "\r")
	c.expect("ab\x1b[D\r\n") // echoed by cat
	c.send("\x04")
	c.editsLines()
}

// --raw disables editing.
func TestAttachRaw(t *testing.T) {
	t.Parallel()
	own := consoleOf(t)
	c := own.attach("--raw", "work")
	c.expect("/usr")
	c.send("echo a" + keyUp)
	c.expect("echo a^[[A")
	c.send("\x1c\x04")
	rest, err := c.Expect(expect.EOF, expect.PTSClosed)
	assert.Contains(t, rest, "detached", "%v", err)
}

func writeEmpty(file string) error { return os.WriteFile(file, nil, 0o600) }

// Lines are available at another console of the adapter, except those that begin with a blank and
// those typed without echo.
func TestLinesAreRemembered(t *testing.T) {
	t.Parallel()
	own := consoleOf(t)
	c := own.attach("work")
	c.editsLines()
	for i, line := range []string{"echo first", "echo second", " echo h1dden"} {
		c.send(line + "\r")
		own.ran("work", i+1, strings.TrimSpace(line))
	}
	c.send("read -rs x\r")
	own.until("work", console.WaitingSecret)
	c.send("s3cr3t\r")
	own.ran("work", 4, "read -rs x")
	c.send("\x1c\x04")
	_, code := c.exit()
	require.Equal(t, 0, code)
	require.Equal(t, "other\n", own.run("start", "bash", "--name", "other"))
	kept, err := os.ReadFile(own.state + "/ripple/history/bash")
	require.NoError(t, err)
	assert.Equal(t, "echo first\necho second\nread -rs x\n", string(kept))
	c = own.attach("other")
	c.editsLines()
	c.send(keyUp + keyUp + keyUp + keyDown)
	c.expect("echo second\x1b[J")
	c.send("\x03\x12fir")
	c.expect("(search) fir: echo first")
	c.send("\r")
	assert.Equal(t, "first\n", own.ran("other", 1, "echo first"))
}

// Tab completes words on the screen, and file names in a shell.
func TestTabCompletes(t *testing.T) {
	t.Parallel()
	own := consoleOf(t)
	dir := t.TempDir()
	require.NoError(t, writeEmpty(dir+"/a-file-of-some-name"))
	c := own.attach("work")
	c.editsLines()
	to := "PS1='$ '; cd " + dir // a prompt with the directory may leave too few columns for the line
	c.send(to + "\r")
	own.ran("work", 1, to)
	c.editsLines()
	c.send("echo a-f\t")
	c.expect("echo a-file-of-some-name\x1b[J")
	c.send("\r")
	assert.Equal(t, "a-file-of-some-name\n", own.ran("work", 2, "echo a-file-of-some-name"))
	c.editsLines()
	c.send("echo wonder-one wonder-two\r")
	own.ran("work", 3, "echo wonder-one wonder-two")
	c.editsLines()
	c.send("echo wond\t")
	c.expect("echo wonder-\x1b[J")
	c.send("\t")
	c.expect("\x1b[J\r\nwonder-one  wonder-two")
	c.send("t\t")
	c.expect("echo wonder-two\x1b[J")
	c.send("\r")
	assert.Equal(t, "wonder-two\n", own.ran("work", 4, "echo wonder-two"))
	require.Equal(t, "py\n", own.run("start", "python", "--name", "py"))
	c.send("\x1c\x04")
	_, code := c.exit()
	require.Equal(t, 0, code)
	c = own.attach("py")
	c.editsLines()
	c.send("something = 42\r")
	c.editsLines()
	c.send("som\t\r")
	assert.Equal(t, "42\n", own.ran("py", 2, "something"))
}

// Continuation lines of a command are edited, too, and prompts are shown without the markers that
// ripple has added.
func TestFurtherLinesAreEdited(t *testing.T) {
	t.Parallel()
	own := consoleOf(t)
	require.Equal(t, "sql\n", own.run("start", "sqlite3", "--name", "sql"))
	c := own.attach("sql")
	c.editsLines()
	c.send("select\r")
	seen := c.expect("select\r\n")
	c.editsLines()
	c.send("1" + keyLeft + "2\r")
	c.editsLines()
	c.send(";\r")
	seen += c.expect("21\r\n")
	seen += c.expect("> ")
	assert.NotRegexp(t, "[0-9a-f]{16}", seen)
	assert.Equal(t, "21\n", own.ran("sql", 1, "select"))
	assert.NotRegexp(t, "[0-9a-f]{16}", own.run("peek", "sql"))
}

//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

const triedAdapter = `schema: 1
name: mini
version: 1.0.0
description: a shell with a fixed prompt
family: shell
process: {command_template: '"{shell_path}" -i', executable: sh, env: {PS1: 'mini> ', ENV: ''}}
init: {strategy: regex}
prompt: {strategy: regex, primary: 'PATTERN'}
output:
  input_echo_strategy: deterministic_byte_match
`

// triedFile writes the adapter with a pattern, like most editors do, and returns its path.
func triedFile(t *testing.T, dir, pattern string) string {
	t.Helper()
	file := filepath.Join(dir, "mini.yaml")
	require.NoError(t, os.WriteFile(file+".new", []byte(strings.Replace(triedAdapter, "PATTERN", pattern, 1)), 0o600))
	require.NoError(t, os.Rename(file+".new", file))
	return file
}

// A user types at the program's own prompt, annotated with the interpretation of each part. A wrong
// pattern is visible, and can be fixed while the program runs.
func TestTryAtATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := onTerminal(t, "adapter", "try", triedFile(t, dir, "^mini>$"))
	c.expect(`the program waits for input at "mini> ", not at its first prompt (`)
	triedFile(t, dir, "^mini> $")
	c.expect("ended: prompt.primary")
	c.send("echo $((6*7))\r")
	c.expect("42")
	c.expect("output")
	c.expect("3 bytes of output")
	triedFile(t, dir, "[")
	c.expect("prompt.primary")
	triedFile(t, dir, "^mini> $")
	c.expect("ended: prompt.primary")
	c.send("\x1c\x04")
	_, code := c.exit()
	assert.Equal(t, 0, code)
}

// After any end, the terminal echoes and edits input again.
func TestTryRestoresTheTerminal(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		end  func(c *terminal)
		code int
	}{
		"he leaves":        {func(c *terminal) { c.send("\x1c\x04") }, 0},
		"the program ends": {func(c *terminal) { c.send("exit 3\r") }, 0},
		"in mid-command":   {func(c *terminal) { c.send("sleep 60\r"); c.expect("runs: "); c.send("\x1c\x04") }, 0},
		"SIGTERM":          {func(c *terminal) { _ = c.cmd.Process.Signal(syscall.SIGTERM) }, 130},
		"kill -9":          {func(c *terminal) { _ = c.cmd.Process.Kill() }, -1},
		"kill -9 of all":   {func(c *terminal) { _ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) }, -1},
	} {
		t.Run(name, func(t *testing.T) {
			c := onTerminal(t, "adapter", "try", triedFile(t, t.TempDir(), "^mini> $"))
			c.expect("ended: prompt.primary")
			require.True(t, c.silent())
			tt.end(c)
			c.expect("\x1b[?1049l")
			require.Eventually(t, c.isRestored, testkit.Patience(30*time.Second), time.Millisecond)
			_, code := c.exit()
			assert.Equal(t, tt.code, code)
		})
	}
}

// At any size no row is wider than the terminal, and the program has its own part.
func TestTryInAnotherSize(t *testing.T) {
	t.Parallel()
	c := onTerminal(t, "adapter", "try", triedFile(t, t.TempDir(), "^mini> $"))
	c.expect("ended: prompt.primary")
	require.NoError(t, c.resize(140, 30))
	c.expect("← prompt.primary")
	c.send("stty size\r")
	c.expect("28 84")
	require.NoError(t, c.resize(70, 20))
	c.expect("\x1b[1;54H") // drawn in that size, so the signal has arrived
	c.send("stty size\r")
	c.expect("18 53")
	c.send("\x1c\x04")
	_, code := c.exit()
	assert.Equal(t, 0, code)
}

// Typed commands become tests; input to a running command, such as a secret, is not recorded.
func TestRecordAtATerminal(t *testing.T) {
	t.Parallel()
	file := triedFile(t, t.TempDir(), "^mini> $")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append(text, "  error_pattern: 'not found'\n"...), 0o600))
	c := onTerminal(t, "adapter", "record", file)
	c.expect("ended: prompt.primary")
	c.send("x=20\r")
	c.expect("recorded: x=20 ")
	c.send("stty -echo; read s; stty echo\r")
	c.expect("the program reads a secret")
	c.send("s3cr3t-w0rd\r")
	c.expect("not recorded: stty")
	c.send("echo $((x+1))\r")
	c.expect("recorded: echo $((x+1)) ")
	c.send("\x1c\x04")
	c.expect("mini: 2 passed")
	rest, code := c.exit()
	assert.Equal(t, 0, code)
	assert.Contains(t, rest, "2 tests recorded")
	text, err = os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(text), "  - name: 'typed: echo $((x+1))'\n    eval: 'echo $((x+1))'\n    expect: '^21$'\n")
	assert.NotContains(t, string(text), "s3cr3t")
	assert.NotContains(t, string(text), "stty")
}

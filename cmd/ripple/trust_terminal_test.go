//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
)

// In a project with an adapter and a check, a user other than root sees all of it before anything
// runs. Any answer but yes means no, and ripple asks again after a change.
func TestTrustIsAskedForOnATerminal(t *testing.T) {
	t.Parallel()
	p := asOtherUser(t)
	home := p.homeOf(t)
	project, ran := filepath.Join(home, "project"), filepath.Join(home, "ran")
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(home, name)
		for dir := filepath.Dir(path); dir != home; dir = filepath.Dir(dir) {
			require.NoError(t, os.MkdirAll(dir, 0o700))
			require.NoError(t, os.Chown(dir, p.uid, p.gid))
		}
		require.NoError(t, os.WriteFile(path, []byte(text), mode))
		require.NoError(t, os.Chown(path, p.uid, p.gid))
	}
	adapter := strings.ReplaceAll(named("mini", "small"), "EVIL", filepath.Join(home, "shell"))
	write("shell", "#!/bin/sh\n: >"+ran+"\nexec sh -i\n", 0o700)
	write("project/.ripple/adapters/mini.yaml", adapter, 0o600)
	write("project/ripple.yml", "loop: {verify: [make test]}\n", 0o600)
	start := func() *terminal { return p.onTerminalIn(t, project, "exec", "mini", "echo he''llo") }
	refused := func(c *terminal) {
		t.Helper()
		rest, code := c.exit()
		assert.Equal(t, ui.ExitUsage, code)
		assert.Contains(t, rest, "not approved: nothing was run")
		assert.NoFileExists(t, ran)
	}

	rest, code := p.onTerminalIn(t, project, "__complete", "run", "--adapter", "mini", "--permission-mode", "").exit()
	assert.Zero(t, code, rest)
	assert.NotContains(t, rest, "[y/N]", "Tab asks nothing")

	for _, no := range []string{"n\n", "\n", "x\n", "\x04"} {
		c := start()
		seen := c.expect("trust this project, with 2 items above? [y/N] ")
		for _, text := range []string{".ripple/adapters/mini.yaml", "starts: " + filepath.Join(home, "shell"), "ripple.yml", "make test"} {
			assert.Contains(t, seen, text)
		}
		c.send(no)
		refused(c)
	}

	c := start()
	c.expect("[y/N] ")
	c.send("y\n")
	rest, code = c.exit()
	assert.Zero(t, code, rest)
	assert.Contains(t, rest, "mini is this project's adapter: .ripple/adapters/mini.yaml")
	assert.Contains(t, rest, "hello")
	assert.FileExists(t, ran)

	rest, code = start().exit()
	assert.Zero(t, code, rest)
	assert.Contains(t, rest, "hello")
	assert.NotContains(t, rest, "[y/N]", "it was agreed to")

	require.NoError(t, os.Remove(ran))
	write("project/.ripple/adapters/mini.yaml", strings.Replace(adapter, "PS2: 'more> '", "PS2: 'more> ', ENV: ./startup", 1), 0o600)
	c = start()
	seen := c.expect("trust this project, with 1 item above? [y/N] ")
	assert.Contains(t, seen, "(changed since it was approved)")
	assert.Contains(t, seen, "ENV")
	assert.NotContains(t, seen, "make test", "that has not changed")
	c.send("n\n")
	refused(c)
}

// "mcp config --write" shows the change and asks: only yes writes the file.
func TestAClientsFileIsWrittenOnlyIfAgreed(t *testing.T) {
	t.Parallel()
	p := asOtherUser(t)
	file := filepath.Join(p.homeOf(t), ".cursor/mcp.json")
	for _, answer := range []string{"n\n", "\n", "\x04", "y\n"} {
		c := p.onTerminal(t, "mcp", "config", "cursor", "--write")
		assert.Contains(t, c.expect("[y/N] "), `+    "ripple": `)
		assert.NoFileExists(t, file)
		c.send(answer)
		rest, code := c.exit()
		if answer == "y\n" {
			assert.Zero(t, code, rest)
			assert.Contains(t, rest, "written: "+file)
			assert.FileExists(t, file)
			continue
		}
		assert.Equal(t, ui.ExitUsage, code, rest)
		assert.Contains(t, rest, "not confirmed: nothing was written")
		assert.NoFileExists(t, file)
	}
}

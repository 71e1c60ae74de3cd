//go:build unix

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

// write writes a file of the project.
func (h *hostile) write(name, text string) {
	h.t.Helper()
	path := filepath.Join(h.dir, name)
	require.NoError(h.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(h.t, os.WriteFile(path, []byte(text), 0o600))
}

// A .ralphrc that nobody approved cannot make a command show variables of the environment, and messages about one that was
// approved do not show them either.
func TestAForeignFileShowsNoVariables(t *testing.T) {
	t.Parallel()
	h := newHostile(t, nil)
	h.environ = append(h.environ, "SECRET_TOKEN=s4711key")
	for _, line := range []string{
		"PLATFORM_DRIVER=$SECRET_TOKEN", "PLATFORM_DRIVER=./$SECRET_TOKEN", "FALLBACK=$SECRET_TOKEN", "FALLBACK=./$SECRET_TOKEN", "VERIFY=$SECRET_TOKEN",
		"PROJECT_NAME=$SECRET_TOKEN", "WORKTREE=$SECRET_TOKEN", "COMPLETION_PROMISE=$SECRET_TOKEN", "ALLOWED_TOOLS=$SECRET_TOKEN", "MAX_TURNS=$SECRET_TOKEN",
	} {
		h.write(".ralphrc", line+"\n")
		for _, args := range []string{"run --prompt x", "run --prompt x --adapter rehearsal", "run --prompt x --dry-run --adapter rehearsal", "run --prompt x --dry-run", "hats", "trust --show"} {
			out, _ := h.run(strings.Fields(args)...)
			assert.NotContains(t, out, "s4711key", "%s: %s", line, args)
		}
	}
	h.write(".ralphrc", "VERIFY=$SECRET_TOKEN\n")
	out, code := h.run(strings.Fields("run --prompt x --dry-run --adapter rehearsal")...)
	assert.Zero(t, code, out)
	assert.Regexp(t, `(?m)^  VERIFY +\$SECRET_TOKEN `, out)
	assert.Contains(t, out, "variables of the environment have no values here")
	for line, want := range map[string]string{
		"PLATFORM_DRIVER=$SECRET_TOKEN":   "PLATFORM_DRIVER: no agent has the name $SECRET_TOKEN with its variables",
		"PLATFORM_DRIVER=./$SECRET_TOKEN": "PLATFORM_DRIVER: ./$SECRET_TOKEN is a path",
		"FALLBACK=$SECRET_TOKEN":          "FALLBACK: no agent has the name $SECRET_TOKEN with its variables",
		"VERIFY=$SECRET_TOKEN":            "$SECRET_TOKEN",
	} {
		h.write(".ralphrc", line+"\n")
		args := strings.Fields("run --prompt x --dry-run --trust")
		if !strings.HasPrefix(line, "PLATFORM_DRIVER") {
			args = append(args, "--adapter", "rehearsal")
		}
		out, _ := h.run(args...)
		assert.Contains(t, out, want)
		assert.NotContains(t, out, "s4711key", line)
	}

	require.NoError(t, os.Remove(filepath.Join(h.dir, ".ralphrc")))
	out, code = h.run(strings.Fields("run --prompt x --adapter rehearsal --max-turns 1")...)
	require.Equal(t, ui.ExitLimit, code, out)
	h.write(".ralphrc", "PROJECT_NAME=$SECRET_TOKEN\n")
	for _, args := range []string{"run --resume --max-turns 2", "run --resume --max-turns 2 --dry-run", "run --resume --max-turns 2 --trust"} {
		out, code := h.run(strings.Fields(args)...)
		assert.NotContains(t, out, "s4711key", args)
		if strings.HasSuffix(args, "2") {
			assert.Equal(t, ui.ExitUsage, code, "it asks first: %s", out)
		} else {
			assert.Contains(t, out, `PROJECT_NAME is "$SECRET_TOKEN" now`)
		}
	}
}

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
)

// Texts and file names of a project reach a terminal without control characters, also through a pipe.
func TestTextOfAProjectIsHarmless(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such names of files here")
	}
	text, err := os.ReadFile("../../adapters/dash.yaml")
	require.NoError(t, err)
	t.Setenv("HOME", t.TempDir())
	project := filepath.Join(t.TempDir(), "p\x1b]0;PWNED\a")
	require.NoError(t, os.Mkdir(project, 0o700))
	t.Chdir(project)
	dir := filepath.Join(".ripple", "adapters")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	evil := strings.NewReplacer("name: dash", "name: evil").Replace(string(text))
	lines := strings.Split(evil, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "description:") {
			lines[i] = `description: "evil \e]0;PWNED\a \u202e"`
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "evil.yaml"), []byte(strings.Join(lines, "\n")), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "z\x1b]52;c;cHduZWQ=\a.yaml"), []byte("name: z\n"), 0o600))
	require.NoError(t, os.Mkdir(".ralph", 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(".ralph", "PROMPT.md"), []byte("do \x1b]0;PWNED\a \u202e"), 0o600))
	require.NoError(t, os.WriteFile("ripple.yml", []byte(`loop: {verify: ["v \e]0;PWNED\a \u202e"]}`), 0o600))
	for _, args := range [][]string{
		{"adapter", "show", "evil"},
		{"adapter", "lint", "evil"},
		{"adapter", "lint", "--all"},
		{"adapter", "list"},
		{"doctor", "evil"},
		{"run", "--dry-run", "--adapter", "rehearsal"},
		{"box", "--explain"},
		{"__complete", "exec", ""},
		{"__complete", "adapter", "show", ""},
	} {
		var out bytes.Buffer
		a := ui.NewApp(strings.NewReader(""), &out, &out, func(error) {})
		root := newRoot(a)
		root.SetArgs(args)
		root.SetOut(&out)
		root.SetErr(&out)
		cmd, err := root.ExecuteContextC(t.Context())
		a.End(cmd, err)
		assert.NotContains(t, out.String(), "\x1b]", args)
		assert.NotContains(t, out.String(), "\a", args)
		assert.NotContains(t, out.String(), "\u202e", args)
	}
}

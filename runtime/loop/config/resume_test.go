package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A resumed run keeps the settings that it started with; only flags change them.
func TestResumeKeepsTheSettingsOfTheRun(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, ProjectFile), []byte("loop: {max_turns: 9, verify: ['true'], commit: true}\n"), 0o600))
	env := func(name string) string { return map[string]string{"RIPPLE_MAX_COST": "7"}[name] }
	began := map[string]Source{
		"VERIFY":   {"loop.verify", "make test", "ripple.yml:1:2"},
		"WORKTREE": {"WORKTREE", "side", "--worktree"},
	}
	c, notes, err := Loader{Project: dir, Flags: map[string]string{"max-turns": "4"}, Env: env}.Resume(began)
	require.NoError(t, err)
	assert.Equal(t, []any{[]string{"make test"}, "side", 4, 0.0, false}, []any{c.Verify, c.Worktree, c.MaxTurns, c.MaxCost, c.Commit})
	assert.True(t, c.Bound("WORKTREE"), "as it was")
	said := strings.Join(notes, "\n")
	for _, want := range []string{`MAX_COST is "7" now (environment)`, `VERIFY is "true" now`, `COMMIT is "true" now`} {
		assert.Contains(t, said, want)
	}
	assert.NotContains(t, said, "MAX_TURNS")
	assert.NotContains(t, said, "WORKTREE")
}

// A record may come from anyone.
func TestResumeRefusesImpossibleSettings(t *testing.T) {
	for name, s := range map[string]Source{
		"LD_PRELOAD":             {"LD_PRELOAD", "x", "--x"},
		"CLAUDE_TIMEOUT_MINUTES": {"CLAUDE_TIMEOUT_MINUTES", "1", "environment"}, // recorded by its own name
		"MAX_TURNS":              {"MAX_TURNS", "-1", "--max-turns"},
		"VERIFY":                 {"VERIFY", strings.Repeat("x", maxBeganValue+1), "--verify"},
		"ON_QUESTION":            {"ON_QUESTION", "a\x00b", "--on-question"},
		"COMMIT":                 {"COMMIT", "true", "\x1b[2J"},
		"ALLOW":                  {"ALLOW", "Bash(", "--allow"},
	} {
		_, _, err := Loader{Project: t.TempDir(), Env: func(string) string { return "" }}.Resume(map[string]Source{name: s})
		assert.Error(t, err, name)
	}
}

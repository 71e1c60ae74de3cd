//go:build manual

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every visible command has a page, which is reproducible.
func TestManual(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1767322800")
	root, all := tree(t)
	dir := t.TempDir()
	require.NoError(t, writeManual(root, dir))
	for _, cmd := range all {
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
		page, err := os.ReadFile(filepath.Join(dir, "man", name))
		if assert.NoError(t, err) {
			assert.Contains(t, string(page), `.TH "RIPPLE" "1" "Jan 2026"`, name)
		}
	}
	first, err := os.ReadFile(filepath.Join(dir, "man", "ripple.1"))
	require.NoError(t, err)
	_, also, _ := strings.Cut(string(first), ".SH SEE ALSO\n")
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() || cmd.IsAdditionalHelpTopicCommand() {
			assert.Equal(t, 1, strings.Count(also, `\fBripple-`+cmd.Name()+`(1)\fP`), cmd.Name())
		}
	}
	for _, name := range []string{"ripple.bash", "_ripple", "ripple.fish", "ripple.ps1"} {
		assert.FileExists(t, filepath.Join(dir, "completions", name))
	}
}

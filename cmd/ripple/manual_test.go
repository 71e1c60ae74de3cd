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
			assert.NotRegexp(t, `\\fI.*`, string(page), "%s: no help text has emphasis", name)
			assert.NotRegexp(t, `\\\\[_*].*`, string(page), "%s: no escape is printed", name)
		}
	}
	run, err := os.ReadFile(filepath.Join(dir, "man", "ripple-run.1"))
	require.NoError(t, err)
	assert.Contains(t, string(run), "those listed from MAX_TURNS on have the prefix RIPPLE_: RIPPLE_MAX_TURNS.")
	first, err := os.ReadFile(filepath.Join(dir, "man", "ripple.1"))
	require.NoError(t, err)
	_, also, _ := strings.Cut(string(first), ".SH SEE ALSO\n")
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() || cmd.IsAdditionalHelpTopicCommand() {
			assert.Equal(t, 1, strings.Count(also, `\fBripple-`+cmd.Name()+`(1)\fP`), cmd.Name())
		}
	}
	codes, err := os.ReadFile(filepath.Join(dir, "man", "ripple-exit-codes.1"))
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(codes), ".EX\n")
	table, _, _ = strings.Cut(table, ".EE\n") // what is between them keeps its lines
	for _, code := range []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "130", "141"} {
		assert.Regexp(t, `(?m)^ *`+code+` {2,}\S`, table, "the table has a line for each code")
	}
	for _, name := range []string{"ripple.bash", "_ripple", "ripple.fish", "ripple.ps1"} {
		assert.FileExists(t, filepath.Join(dir, "completions", name))
	}
}

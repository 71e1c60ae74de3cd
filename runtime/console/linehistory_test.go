//go:build unix

package console

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLineHistoryIsKept(t *testing.T) {
	state := t.TempDir()
	getenv := func(name string) string { return map[string]string{"XDG_STATE_HOME": state}[name] }
	h := historyOf(getenv, "bash").open()
	assert.Empty(t, h.Lines)
	h.Add("echo one", false)
	h.Add(" echo hidden", false)
	h.Add("echo 漢字", false)
	assert.Equal(t, []string{"echo one", "echo 漢字"}, historyOf(getenv, "bash").open().Lines)
	assert.Empty(t, historyOf(getenv, "zsh").open().Lines, "each adapter has its own")
	file := filepath.Join(state, "ripple", "history", "bash")
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoError(t, os.Chmod(file, 0o644))
	h.Add("echo two", false)
	info, err = os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	assert.Empty(t, historyOf(getenv, "../bash").file)
}

func TestALongLineHistoryLosesItsBeginning(t *testing.T) {
	state := t.TempDir()
	getenv := func(name string) string { return map[string]string{"XDG_STATE_HOME": state}[name] }
	h := historyOf(getenv, "bash")
	h.add("first")
	require.NoError(t, os.WriteFile(h.file, []byte(strings.Repeat("a line of a history\n", maxHistory/8)), 0o600))
	lines := h.open().Lines
	assert.Equal(t, "a line of a history", lines[0])
	info, err := os.Stat(h.file)
	require.NoError(t, err)
	assert.LessOrEqual(t, info.Size(), int64(maxHistory))
}

// A project may bring the history: lines with characters that a terminal acts on are not offered, since they would be typed, too.
func TestLinesWithControlCharactersAreNotOffered(t *testing.T) {
	h := historyOf(func(name string) string { return map[string]string{"XDG_STATE_HOME": t.TempDir()}[name] }, "bash")
	require.NoError(t, os.MkdirAll(filepath.Dir(h.file), 0o700))
	require.NoError(t, os.WriteFile(h.file, []byte("echo a\x1b]0;x\x07\nb\u009bm\nc\rd\ne\x00\x7f\nf\tg\n\u202eh\n"), 0o600))
	assert.Equal(t, []string{"f\tg", "\u202eh"}, h.open().Lines)
}

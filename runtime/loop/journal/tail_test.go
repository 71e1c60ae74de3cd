package journal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/layout"
)

// A file of events grows, is truncated by a resumed run, and grows again.
func TestTail(t *testing.T) {
	path := filepath.Join(storeOf(t).Path(""), layout.EventsFile)
	tail := NewTail(filepath.Dir(filepath.Dir(path)))
	after := func(content string) string {
		t.Helper()
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		lines, err := tail.lines()
		require.NoError(t, err)
		var list []string
		for _, l := range lines {
			list = append(list, string(l))
		}
		return strings.Join(list, " ")
	}
	assert.Equal(t, "", after(""))
	assert.Equal(t, "a b", after("a\nb\nc"))
	assert.Equal(t, "cd", after("a\nb\ncd\n"))
	assert.Equal(t, "", after("a\nb\ncd\n"))
	assert.Equal(t, "a", after("a\n"), "shorter: from the start")
	assert.Equal(t, "x yz", after("a\nx\nyz\n"))
	assert.Equal(t, "a x1 longer", after("a\nx1\nlonger\n"), "cut off and longer than before")
	require.NoError(t, os.Remove(path))
	_, err := tail.lines()
	assert.ErrorIs(t, err, os.ErrNotExist)
}

package ui

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A replaced file keeps its permissions, a link stays a link, and nothing else remains in the
// directory.
func TestReplaceFile(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(file, []byte("old"), 0o640))
	if runtime.GOOS != "windows" { // needs a privilege on Windows
		require.NoError(t, os.Symlink("file", link))
		require.NoError(t, ReplaceFile(link, []byte("by the link")))
		target, err := os.Readlink(link)
		require.NoError(t, err)
		assert.Equal(t, "file", target)
		require.NoError(t, os.Remove(link))
	}
	require.NoError(t, ReplaceFile(file, []byte("new")))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "new", string(text))
	info, err := os.Stat(file)
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		assert.Equal(t, os.FileMode(0o640), info.Mode().Perm())
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
	assert.ErrorIs(t, ReplaceFile(filepath.Join(dir, "none"), nil), os.ErrNotExist)
}

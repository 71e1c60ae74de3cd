//go:build unix

package ui

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A recording is private, even in an existing file that others could read.
func TestCreatePrivate(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old")
	require.NoError(t, os.WriteFile(old, []byte("old"), 0o644))
	for _, path := range []string{old, filepath.Join(dir, "new")} {
		f, err := CreatePrivate(path)
		require.NoError(t, err)
		info, err := f.Stat()
		require.NoError(t, err)
		assert.Equal(t, fs.FileMode(0o600), info.Mode().Perm(), path)
		assert.Zero(t, info.Size(), path)
		require.NoError(t, f.Close())
	}
	f, err := CreatePrivate(os.DevNull)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	_, err = CreatePrivate(dir)
	assert.Error(t, err)
}

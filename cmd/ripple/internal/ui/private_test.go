//go:build unix

package ui

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
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

// A recording below the current directory replaces no file elsewhere to which a foreign project has a
// link, and a pipe in its place is not waited for.
func TestCreatePrivateInAForeignProject(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	outside := filepath.Join(top, "outside")
	require.NoError(t, os.WriteFile(outside, []byte("text"), 0o600))
	project := filepath.Join(top, "project")
	require.NoError(t, os.Mkdir(project, 0o700))
	t.Chdir(project)
	for name, target := range map[string]string{"link": "../outside", "dangling": "../new", "up": "..", "chain": "second", "second": "dangling", "behind": "up/new", "loop": "loop"} {
		require.NoError(t, os.Symlink(target, name))
	}
	_, err = CreatePrivate("loop")
	require.ErrorIs(t, err, syscall.ELOOP)
	for _, path := range []string{"link", "dangling", "up/outside", "up/new", "chain", "behind"} {
		var refused *OutsideError
		_, err := CreatePrivate(path)
		require.ErrorAs(t, err, &refused, path)
	}
	var refused *OutsideError
	require.ErrorAs(t, WritePrivate("up/outside", nil), &refused)
	text, err := os.ReadFile(outside)
	require.NoError(t, err)
	assert.Equal(t, "text", string(text))
	assert.NoFileExists(t, filepath.Join(top, "new"))
	require.NoError(t, os.Symlink("inside", "first"))
	f, err := CreatePrivate("first")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	assert.FileExists(t, "inside")
	require.NoError(t, syscall.Mkfifo("pipe", 0o600))
	_, err = CreatePrivate("pipe")
	assert.ErrorIs(t, err, syscall.ENXIO)
}

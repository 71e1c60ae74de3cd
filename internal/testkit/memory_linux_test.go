package testkit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A process removes the files of tests that were killed, and no others.
func TestAbandonedDirectoriesAreRemoved(t *testing.T) {
	parent := t.TempDir()
	for _, name := range []string{"rt1/" + inUse, "rt1/a/b", "rt2/" + inUse, "rt3/file", "other/" + inUse} {
		require.NoError(t, os.MkdirAll(filepath.Join(parent, filepath.Dir(name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(parent, name), nil, 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(parent, "rt4"), nil, 0o600))
	used := flock.New(filepath.Join(parent, "rt2", inUse))
	require.NoError(t, used.Lock())
	defer used.Close()

	removeAbandoned(parent)
	left, err := filepath.Glob(filepath.Join(parent, "*"))
	require.NoError(t, err)
	assert.Equal(t, []string{parent + "/other", parent + "/rt2", parent + "/rt3", parent + "/rt4"}, left)
}

func TestTemporaryFilesAreInMemory(t *testing.T) {
	t.Setenv("TMPDIR", "")
	t.Setenv("GOTMPDIR", "")
	if !hasRoom() {
		t.Skip("memory has no room")
	}
	remove := inMemory()
	dir := os.TempDir()
	assert.Equal(t, memory, filepath.Dir(dir))
	removeAbandoned(memory)
	assert.DirExists(t, dir)
	inMemory()()
	assert.Equal(t, dir, os.TempDir(), "a directory that the environment names is used")
	remove()
	assert.NoDirExists(t, dir)
}

func TestInterpreterPrecedesItsScript(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "python3"), []byte("#!/bin/sh\necho /real\n"), 0o700))
	t.Setenv("PATH", other+":"+dir+":/bin")
	precede("python3")
	assert.Equal(t, other+":/real:"+dir+":/bin", os.Getenv("PATH"))

	require.NoError(t, os.WriteFile(filepath.Join(other, "python3"), []byte("\x7fELF"), 0o700))
	precede("python3")
	assert.Equal(t, other+":/real:"+dir+":/bin", os.Getenv("PATH"))
}

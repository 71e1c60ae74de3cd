package testkit

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A process removes the files of processes that were killed, and no others.
func TestAbandonedDirectoriesAreRemoved(t *testing.T) {
	parent := t.TempDir()
	used, err := os.MkdirTemp(parent, memoryMark)
	require.NoError(t, err)
	lock, err := locked(used, syscall.LOCK_EX)
	require.NoError(t, err)
	defer lock.Close()
	abandoned, err := os.MkdirTemp(parent, memoryMark)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(abandoned, "file"), nil, 0o600))

	removeAbandoned(parent)
	assert.NoDirExists(t, abandoned)
	assert.DirExists(t, used)
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

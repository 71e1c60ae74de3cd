package scratch_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/dirid"
	"example.org/ripple/runtime/internal/scratch"
)

// The test binary is also the owner that is killed.
func TestMain(m *testing.M) {
	if parent, is := os.LookupEnv("SCRATCH_OWNER"); is {
		d, err := scratch.New(parent, "1")
		if err != nil {
			panic(err)
		}
		if err := os.WriteFile(filepath.Join(d.Path, "code"), []byte("secret"), 0o600); err != nil {
			panic(err)
		}
		fmt.Println(d.Path)
		_, _ = io.Copy(io.Discard, os.Stdin) // until the test ends it
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// owner is a process with a directory of its own.
func owner(t *testing.T, parent string) (dir string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "SCRATCH_OWNER="+parent)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	kill = func() { _ = cmd.Process.Kill(); _ = cmd.Wait(); _ = in.Close() } // the second time it is gone
	t.Cleanup(kill)
	return line[:len(line)-1], kill
}

func skipWithoutLocks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no lock ends with its owner here")
	}
}

func TestADeadOwnersDirectoryGoes(t *testing.T) {
	skipWithoutLocks(t)
	parent := t.TempDir()
	dir, kill := owner(t, parent)
	scratch.Sweep(parent, 0)
	require.FileExists(t, filepath.Join(dir, "code"), "its owner lives")
	kill()
	scratch.Sweep(parent, time.Hour)
	require.DirExists(t, dir, "it is not that old")
	scratch.Sweep(parent, 0)
	require.NoDirExists(t, dir)
}

// A program that can write in the parent, such as an agent whose tree contains TMPDIR, puts another directory in place of
// the private one: nothing in that directory is removed.
func TestAReplacedDirectoryIsNotRemoved(t *testing.T) {
	for name, replace := range map[string]func(path, other string) error{
		"a link":            func(path, other string) error { return os.Symlink(other, path) },
		"another directory": func(path, other string) error { return os.Rename(other, path) },
		"a link, with the owner": func(path, other string) error {
			if err := os.Link(filepath.Join(path+".old", ".ripple-owner"), filepath.Join(other, ".ripple-owner")); err != nil {
				return err
			}
			return os.Symlink(other, path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			d, err := scratch.New(parent, "turn")
			require.NoError(t, err)
			other := filepath.Join(parent, "other")
			require.NoError(t, os.MkdirAll(filepath.Join(other, "sub"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(other, "sub", "file"), []byte("precious"), 0o600))
			require.NoError(t, os.Rename(d.Path, d.Path+".old"))
			require.NoError(t, replace(d.Path, other))
			d.Remove()
			assert.FileExists(t, filepath.Join(d.Path, "sub", "file"))
		})
	}
}

func TestOwnDirectory(t *testing.T) {
	parent := t.TempDir()
	d, err := scratch.New(parent, "turn")
	require.NoError(t, err)
	info, err := os.Stat(d.Path)
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	}
	assert.Regexp(t, `^ripple-turn-\d+$`, filepath.Base(d.Path))
	require.NoError(t, os.MkdirAll(filepath.Join(d.Path, "a", "b"), 0o700))
	scratch.Sweep(parent, 0)
	require.DirExists(t, d.Path, "we live")
	d.Remove()
	d.Remove()
	(*scratch.Dir)(nil).Remove()
	left, err := os.ReadDir(parent)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// A directory that somebody removed is made again, as private and as owned as before; whatever has
// taken its name is neither used nor removed.
func TestARemovedDirectoryIsMadeAgain(t *testing.T) {
	parent := t.TempDir()
	d, err := scratch.New(parent, "1")
	require.NoError(t, err)
	defer d.Remove()
	require.NoError(t, os.WriteFile(filepath.Join(d.Path, "work"), nil, 0o600))
	require.NoError(t, d.Restore())
	require.FileExists(t, filepath.Join(d.Path, "work"), "it was there")
	for range 2 {
		require.NoError(t, os.RemoveAll(d.Path))
		require.NoError(t, d.Restore())
		scratch.Sweep(parent, 0)
		info, err := os.Stat(d.Path)
		require.NoError(t, err, "we live")
		if runtime.GOOS != "windows" {
			assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
		}
	}
	skipWithoutLocks(t)
	elsewhere := t.TempDir()
	for name, take := range map[string]func() error{
		"a file":                func() error { return os.WriteFile(d.Path, nil, 0o600) },
		"a link":                func() error { return os.Symlink(elsewhere, d.Path) },
		"a directory of others": func() error { return errors.Join(os.Mkdir(d.Path, 0o700), os.Chmod(d.Path, 0o777)) },
	} {
		require.NoError(t, os.RemoveAll(d.Path))
		require.NoError(t, take(), name)
		require.ErrorContains(t, d.Restore(), d.Path+" was replaced", name)
		_, err := os.Lstat(d.Path)
		require.NoError(t, err, name)
	}
	require.NoError(t, os.RemoveAll(d.Path))
}

// A process that was killed before it signed its directory, or after it took the signature away, leaves nothing.
func TestADirectoryWithoutASignatureGoes(t *testing.T) {
	skipWithoutLocks(t)
	for name, files := range map[string][]string{"ripple-1-1": nil, "ripple-1-2": {".ripple-owner"}} {
		parent := t.TempDir()
		dir := filepath.Join(parent, name)
		require.NoError(t, os.Mkdir(dir, 0o700|os.ModeSticky))
		for _, file := range files {
			require.NoError(t, os.WriteFile(filepath.Join(dir, file), nil, 0o600))
		}
		scratch.Sweep(parent, time.Hour)
		require.DirExists(t, dir, "it is not that old")
		scratch.Sweep(parent, 0)
		assert.NoDirExists(t, dir)
	}
}

// A sweep may come between any two steps of New: the directory that New returns is there.
func TestNewWhileOthersSweep(t *testing.T) {
	parent := t.TempDir()
	done := make(chan struct{})
	var sweepers sync.WaitGroup
	for range 2 {
		sweepers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					scratch.Sweep(parent, 0)
				}
			}
		})
	}
	for range 100 {
		d, err := scratch.New(parent, "1")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(d.Path, "work"), nil, 0o600))
		d.Remove()
		require.NoDirExists(t, d.Path)
	}
	close(done)
	sweepers.Wait()
}

// A directory that only looks like one of ripple's is left alone.
func TestNothingElseGoes(t *testing.T) {
	skipWithoutLocks(t)
	old := time.Now().Add(-1000 * time.Hour)
	const ownerFile = ".ripple-owner"
	sign := func(t *testing.T, dir, name, of string) { // as New signs a directory of that name and time
		id, err := dirid.Of(of)
		require.NoError(t, err)
		text := "Private directory of a running ripple, removed when that has ended: " + name + ", " + id + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, ownerFile), []byte(text), 0o600))
	}
	for _, tt := range []struct {
		name, dir string
		make      func(t *testing.T, dir string)
		goes      bool
	}{
		{"one of a dead process", "ripple-1-1", func(t *testing.T, dir string) { sign(t, dir, "ripple-1-1", dir) }, true},
		{"a name with words", "ripple-2024-thesis", func(t *testing.T, dir string) { sign(t, dir, filepath.Base(dir), dir) }, false},
		{"one word", "ripple-tools", func(t *testing.T, dir string) { sign(t, dir, filepath.Base(dir), dir) }, false},
		{"no owner file", "ripple-1-1", func(*testing.T, string) {}, false},
		{"the mode of a new one", "ripple-2-2", func(t *testing.T, dir string) {
			require.NoError(t, os.Chmod(dir, 0o700|os.ModeSticky))
		}, false},
		{"an empty owner file", "ripple-1-1", func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, ownerFile), nil, 0o600))
		}, false},
		{"another name", "ripple-1-2", func(t *testing.T, dir string) { sign(t, dir, "ripple-1-1", dir) }, false},
		{"a copy", "ripple-1-1", func(t *testing.T, dir string) { sign(t, dir, "ripple-1-1", "/") }, false},
		{"an owner file of old versions", "ripple-1-1", func(t *testing.T, dir string) {
			text := "Private directory of a running ripple, removed when that has ended: ripple-1-1\n"
			require.NoError(t, os.WriteFile(filepath.Join(dir, ownerFile), []byte(text), 0o600))
		}, false},
		{"a repository", "ripple-1-1", func(t *testing.T, dir string) {
			require.NoError(t, os.Mkdir(filepath.Join(dir, ".git"), 0o700))
			sign(t, dir, "ripple-1-1", dir)
		}, false},
		{"open to all", "ripple-1-1", func(t *testing.T, dir string) {
			sign(t, dir, "ripple-1-1", dir)
			require.NoError(t, os.Chmod(dir, 0o755))
		}, false},
		{"a link", "ripple-1-1", func(t *testing.T, dir string) {
			real := t.TempDir()
			sign(t, real, "ripple-1-1", dir)
			require.NoError(t, os.Symlink(filepath.Join(real, ownerFile), filepath.Join(dir, ownerFile)))
		}, false},
		{"another program's name", "other-1-2", func(t *testing.T, dir string) { sign(t, dir, "other-1-2", dir) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, tt.dir)
			require.NoError(t, os.Mkdir(dir, 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "work"), []byte("x"), 0o600))
			tt.make(t, dir)
			require.NoError(t, os.Chtimes(dir, old, old))
			scratch.Sweep(parent, 0)
			if tt.goes {
				assert.NoDirExists(t, dir)
				return
			}
			assert.FileExists(t, filepath.Join(dir, "work"))
		})
	}
	t.Run("an empty directory", func(t *testing.T) {
		parent := t.TempDir()
		dir := filepath.Join(parent, "ripple-1-1")
		require.NoError(t, os.Mkdir(dir, 0o700))
		scratch.Sweep(parent, 0)
		assert.DirExists(t, dir)
	})
	t.Run("a link to a directory", func(t *testing.T) {
		parent, real := t.TempDir(), t.TempDir()
		sign(t, real, "ripple-1-1", real)
		require.NoError(t, os.Symlink(real, filepath.Join(parent, "ripple-1-1")))
		scratch.Sweep(parent, 0)
		assert.FileExists(t, filepath.Join(real, ownerFile))
	})
}

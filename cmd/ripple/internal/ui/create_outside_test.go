package ui

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// A path in a project leads to no file outside of it; any other path, and links within the project, lead where they say.
func TestNoLinkLeadsOut(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making a link needs a privilege there")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	project, outside := filepath.Join(top, "project"), filepath.Join(top, "outside")
	require.NoError(t, os.MkdirAll(filepath.Join(project, "real"), 0o700))
	require.NoError(t, os.Mkdir(outside, 0o700))
	t.Chdir(project)
	for name, target := range map[string]string{"up": "../outside", "absolute": outside, "missing": "../nowhere", "within": "real"} {
		require.NoError(t, os.Symlink(target, name))
	}
	require.NoError(t, os.Symlink("../../outside", filepath.Join("real", "up")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "new"), "dangling"))

	for path, target := range map[string]string{
		"up/f": outside, "up/deep/er/f": outside, "absolute/f": outside, "within/up/f": outside, "missing/f": filepath.Join(top, "nowhere"),
	} {
		var refused *OutsideError
		require.ErrorAs(t, CreateFile(path, nil, 0o666), &refused, path)
		assert.Equal(t, OutsideError{path, project, target}, *refused)
		assert.ErrorAs(t, Outside(path), &refused, path)
	}
	assert.ErrorIs(t, CreateFile("dangling", nil, 0o666), os.ErrExist)
	for _, path := range []string{"f", "within/f", "new/er/f", "../outside/f", filepath.Join(outside, "g")} {
		require.NoError(t, Outside(path), path)
		require.NoError(t, CreateFile(path, []byte("text"), 0o666), path)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, "text", string(text))
		assert.ErrorIs(t, CreateFile(path, nil, 0o666), os.ErrExist)
	}
	assert.FileExists(t, filepath.Join("real", "f"))
	assert.NoDirExists(t, filepath.Join(top, "nowhere"))
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Len(t, entries, 2)
}

// In a repository the same holds from each directory, and for paths that begin at the root.
func TestNoLinkLeadsOutOfARepository(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making a link needs a privilege there")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	project, outside := filepath.Join(top, "project"), filepath.Join(top, "outside")
	require.NoError(t, os.MkdirAll(filepath.Join(project, "sub"), 0o700))
	require.NoError(t, os.Mkdir(outside, 0o700))
	t.Chdir(project)
	testkit.CopyRepository(t, project)
	require.NoError(t, os.Symlink("../outside", "up"))
	require.NoError(t, os.Symlink("../outside/new", "dangling"))
	require.NoError(t, os.Symlink(filepath.Join(project, "sub"), "inside"))
	require.NoError(t, os.Symlink(filepath.Join(project, "sub"), filepath.Join(top, "entered")))
	for from, relative := range map[string]string{".": ".", "sub": "..", "../outside": "../project", "../entered": "..", "..": "project"} {
		t.Chdir(filepath.Join(project, from))
		at := []string{project, relative}
		if from == ".." {
			at = append(at, "entered/..")
		}
		for _, dir := range at {
			var refused *OutsideError
			path := dir + "/up/f"
			require.ErrorAs(t, CreateFile(path, nil, 0o666), &refused, path)
			assert.Equal(t, OutsideError{path, project, outside}, *refused)
			require.ErrorAs(t, WritePrivate(path, nil), &refused, path)
			for _, path := range []string{path, dir + "/dangling"} {
				_, err := CreatePrivate(path)
				require.ErrorAs(t, err, &refused, path)
			}
			for _, in := range []string{"sub", "inside"} {
				f, err := CreatePrivate(dir + "/" + in + "/f")
				require.NoError(t, err)
				require.NoError(t, f.Close())
				require.NoError(t, WritePrivate(dir+"/"+in+"/g", nil))
				require.NoError(t, CreateFile(dir+"/"+in+"/new", nil, 0o666))
				require.NoError(t, os.Remove(filepath.Join(project, "sub", "new")))
			}
		}
	}
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Empty(t, entries)
}

// A directory whose path without links is too long for the system has the same limit.
func TestNoLinkLeadsOutOfALongPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making a link needs a privilege there")
	}
	top := t.TempDir()
	docs := testkit.TooLongPath(t, top)
	t.Chdir(docs)
	require.NoError(t, os.Symlink(strings.Repeat("../", 21)+"new", "f"))
	_, err := CreatePrivate("f")
	require.Error(t, err)
	assert.NoFileExists(t, filepath.Join(top, "new"))
	f, err := CreatePrivate("g")
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

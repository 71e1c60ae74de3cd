package box

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Files for a repository are created in the directory that was checked, whatever has its path meanwhile.
func TestFilesInAReplacedDirectory(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	git, outside := filepath.Join(dir, "git"), filepath.Join(dir, "outside")
	require.NoError(t, os.Mkdir(git, 0o755))
	require.NoError(t, os.Mkdir(outside, 0o755))
	root, err := openDir(git)
	require.NoError(t, err)
	defer root.Close()
	require.NoError(t, os.Rename(git, git+".checked"))
	require.NoError(t, os.Symlink(outside, git))
	require.NoError(t, create(root, "made", "text"))
	assert.FileExists(t, git+".checked/made")
	_, err = openDir(git)
	assert.ErrorIs(t, err, ErrPolicy)
	_, err = openDir(git + "/below")
	assert.ErrorIs(t, err, ErrPolicy)
	assert.NoError(t, (&running{}).pin(git+"/below"), "there is no repository")
	require.NoError(t, os.Mkdir(outside+"/repository", 0o755))
	assert.ErrorIs(t, (&running{}).pin(git+"/repository"), ErrPolicy)
	assert.ErrorIs(t, layout{}.guard(git+"/repository"), ErrPolicy)
	left, err := os.ReadDir(outside + "/repository")
	require.NoError(t, err)
	assert.Empty(t, left)
}

// Boxes of the same working tree may start at the same time: each finds what the others create.
func TestBoxesGuardARepositoryAtOnce(t *testing.T) {
	for range 50 {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		require.NoError(t, err)
		errs := make(chan error, 8)
		for range 8 {
			go func() { errs <- layout{}.guard(dir) }()
		}
		for range 8 {
			require.NoError(t, <-errs)
		}
		text, err := os.ReadFile(filepath.Join(dir, "commondir"))
		require.NoError(t, err)
		assert.Equal(t, onlyItself, string(text))
		assert.FileExists(t, filepath.Join(dir, "config"), "a program could create it")
	}
}

// The file that pins a repository is removed also if the disk was full and it could not be written.
func TestPinsAreRemoved(t *testing.T) {
	dir := t.TempDir()
	for text, removed := range map[string]bool{"": true, ".": true, onlyItself: true, "..\n": false} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, pinFile), []byte(text), 0o644))
		root, err := os.OpenRoot(dir)
		require.NoError(t, err)
		f, err := lockedFile(root, pinFile)
		require.NoError(t, err)
		(&running{pins: []pin{{f, root}}}).release()
		_, err = os.Lstat(filepath.Join(dir, pinFile))
		assert.Equal(t, removed, os.IsNotExist(err), text)
	}
}

// A file that is read-only in the box, because git reads settings from it or runs it, must not have another name, which may be in the
// writable working tree: an archive, or a program in no box, can make one.
func TestOtherNamesOfGitsFiles(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, refused := range map[string]bool{
		".git/config": true, ".git/info/attributes": true, ".git/hooks/pre-commit": true, ".git/modules/s/config": true, ".git/modules/s/hooks/pre-push": true,
		"settings": true, ".git/hooks/pre-push.sample": false, ".git/HEAD": false, "a.txt": false,
	} {
		dir := filepath.Join(base, strings.ReplaceAll(name, "/", "_"))
		for _, below := range []string{"objects", "refs", "hooks", "info", "modules/s/objects", "modules/s/refs", "modules/s/hooks"} {
			require.NoError(t, os.MkdirAll(filepath.Join(dir, ".git", below), 0o755))
		}
		files := map[string]string{name: ""}
		maps.Copy(files, map[string]string{
			"settings": "", ".git/HEAD": "ref: refs/heads/main\n", ".git/config": "[include]\n\tpath = ../settings\n", ".git/modules/s/HEAD": "ref: refs/heads/main\n",
		})
		for file, text := range files {
			require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644))
		}
		require.NoError(t, os.Link(filepath.Join(dir, name), filepath.Join(dir, "other")))
		_, err := newLayout(&Policy{Dir: dir, Home: base + "/home"}, t.TempDir(), t.TempDir())
		if refused {
			assert.ErrorIs(t, err, ErrPolicy, name)
			assert.ErrorContains(t, err, "another name", name)
		} else {
			assert.NoError(t, err, name)
		}
	}
}

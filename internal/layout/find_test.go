package layout

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFind(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{".git", ".ralph/agent/x-worktree/sub", "a/b", "other/.ralph", "nested/.git", "nested/c"} {
		require.NoError(t, os.MkdirAll(filepath.Join(top, dir), 0o755))
	}
	for _, repository := range []string{".git", "nested/.git"} {
		require.NoError(t, os.WriteFile(filepath.Join(top, repository, "HEAD"), nil, 0o644))
	}
	for dir, want := range map[string]string{
		".": ".", "a": ".", "a/b": ".", "other": "other", "nested": "nested", "nested/c": "nested/c",
		".ralph": ".", ".ralph/agent/x-worktree/sub": ".",
	} {
		assert.Equal(t, filepath.Join(top, want), Find(filepath.Join(top, dir)), dir)
	}
	for dir, want := range map[string]string{
		".": "", "a": ".", "a/b": ".", "other": ".", "nested": "", "nested/c": "", ".ralph": ".", ".ralph/agent/x-worktree/sub": ".",
	} {
		above, found := Above(filepath.Join(top, dir))
		assert.Equal(t, want != "", found, dir)
		if found {
			assert.Equal(t, filepath.Join(top, want), above, dir)
		}
	}
}

// Another user can create a loop's directory in a parent such as /tmp: commands below it do not use that.
func TestFindWhereEverybodyMayWrite(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a directory to another user")
	}
	top := t.TempDir()
	below, planted := filepath.Join(top, "a"), filepath.Join(top, Dir)
	require.NoError(t, os.Mkdir(below, 0o755))
	require.NoError(t, os.Mkdir(planted, 0o755))
	require.NoError(t, os.Chmod(top, 0o777|os.ModeSticky))
	assert.Equal(t, top, Find(below), "the user's own")
	require.NoError(t, os.Chown(planted, 65534, 65534))
	assert.Equal(t, below, Find(below))
	_, found := Above(below)
	assert.False(t, found)
	assert.Equal(t, top, Find(top), "the user is there")
	require.NoError(t, os.Chmod(top, 0o775))
	assert.Equal(t, top, Find(below), "the loop of a group")
}

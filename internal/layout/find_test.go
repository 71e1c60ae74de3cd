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
}

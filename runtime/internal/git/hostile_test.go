package git

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Commands that only read run no program that the configuration of a project names.
func TestConfigurationOfAProjectRunsNothing(t *testing.T) {
	p := newRepo(t)
	ran := filepath.Join(t.TempDir(), "ran")
	program := filepath.Join(p.dir, ".git", "program")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\necho \"$0\" >> '"+ran+"'\n"), 0o700))
	for _, key := range []string{"core.fsmonitor", "diff.external", "diff.x.command", "diff.x.textconv"} {
		p.git("config", key, program)
	}
	p.write(".gitattributes", "* diff=x\n")
	for _, hook := range []string{"post-checkout", "post-index-change", "reference-transaction", "pre-rebase"} {
		require.NoError(t, os.WriteFile(filepath.Join(p.dir, ".git", "hooks", hook), []byte("#!/bin/sh\necho "+hook+" >> '"+ran+"'\n"), 0o700))
	}
	p.write("a.txt", "changed\n")
	tree, err := OpenTree(t.Context(), p.dir, func(string) bool { return false })
	require.NoError(t, err)
	s, err := tree.Snapshot(t.Context())
	require.NoError(t, err)
	assert.Contains(t, s.Files, "a.txt")
	_, err = tree.Repo.OpenWorktree(t.Context(), filepath.Join(p.dir, "w"), "w", func(add func() error) error { return add() })
	require.NoError(t, err)
	assert.NoFileExists(t, ran)
}

// Commands that only read do not fetch an object that is missing: the configuration of the project names
// the program for that.
func TestMissingObjectsAreNotFetched(t *testing.T) {
	p := newRepo(t)
	ran := filepath.Join(t.TempDir(), "ran")
	program := filepath.Join(p.dir, ".git", "program")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n: > '"+ran+"'\n"), 0o700))
	tree := p.git("rev-parse", "HEAD^{tree}")
	for key, value := range map[string]string{
		"core.repositoryFormatVersion": "1", "extensions.partialClone": "origin", "remote.origin.promisor": "true",
		"remote.origin.url": p.dir, "remote.origin.uploadpack": program,
	} {
		p.git("config", key, value)
	}
	p.remove(".git/objects/" + tree[:2] + "/" + tree[2:])
	of, err := OpenTree(t.Context(), p.dir, func(string) bool { return false })
	require.NoError(t, err)
	_, err = of.Snapshot(t.Context())
	assert.Error(t, err)
	assert.NoFileExists(t, ran)
}

// A bare repository that a project has in a directory is not its own: its configuration
// would name programs, and a clone brings it.
func TestABareRepositoryInAProjectIsNotUsed(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"objects", "refs"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config"), []byte("[core]\nrepositoryformatversion = 0\nbare = false\nworktree = .\n"), 0o600))
	_, err := Open(t.Context(), dir)
	require.ErrorIs(t, err, ErrNoRepository)
}

package git

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The contents of many files are not compared, so that a directory such as node_modules does not hold up the end of a run.
func TestManyIgnoredFiles(t *testing.T) {
	p := newRepo(t)
	p.git("worktree", "add", "-q", "-b", "w", "w")
	p.write("ignored", "1")
	p.write("w/ignored", "2")
	top := filepath.Join(p.dir, "w")
	for compared, want := range map[int]IgnoredFiles{0: {Names: []string{"ignored"}}, maxCompared: {Unread: true}} {
		i := IgnoredFiles{compared: compared}
		require.NoError(t, i.compare(t.Context(), top, p.dir, "ignored", func(string) bool { return false }))
		assert.Equal(t, []any{want.Names, want.Unread}, []any{i.Names, i.Unread})
	}
}

// Only working trees whose directory is in that of another one are removed with it.
func TestNestedWorkingTrees(t *testing.T) {
	p := newRepo(t)
	p.git("worktree", "add", "-q", "-b", "w", "w")
	w := &Worktree{&Repo{Top: filepath.Join(p.dir, "w")}, "w", "main"}
	list, err := w.Nested(t.Context())
	require.NoError(t, err)
	assert.Empty(t, list)

	p.git("worktree", "add", "-q", "-b", "agent/own", "w/ignored/own")
	p.git("worktree", "add", "-q", "--detach", "w/loose")
	p.git("worktree", "add", "-q", "-b", "beside", "w-2")
	p.git("worktree", "add", "-q", "-b", "gone", "w/gone")
	require.NoError(t, os.RemoveAll(filepath.Join(p.dir, "w/gone")))
	list, err = w.Nested(t.Context())
	require.NoError(t, err)
	head := p.git("rev-parse", "HEAD")
	assert.ElementsMatch(t, []Nested{{Dir: "ignored/own", Branch: "agent/own", Commit: head}, {Dir: "loose", Commit: head}}, list)

	require.NoError(t, os.RemoveAll(w.Top))
	_, err = w.Nested(t.Context())
	require.Error(t, err)
}

// git removes a working tree with files of a submodule only with --force.
func TestNestedSubmodules(t *testing.T) {
	lib, p := newRepo(t), newRepo(t)
	p.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.dir, "vendor")
	p.commit("vendor")
	p.git("worktree", "add", "-q", "-b", "w", "w")
	w := &Worktree{&Repo{Top: filepath.Join(p.dir, "w")}, "w", "main"}
	list, err := w.Nested(t.Context())
	require.NoError(t, err)
	assert.Empty(t, list, "it has no files")

	p.git("-C", "w", "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
	list, err = w.Nested(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []Nested{{Dir: "vendor", Submodule: true}}, list)
}

// Git runs programs that the settings and hooks of inner repositories name.
func TestWritableRepositories(t *testing.T) {
	lib, p := newRepo(t), newRepo(t)
	r := &Repo{Top: p.dir}
	inner := func(at string) {
		p.git("clone", "-q", lib.dir, at)
	}
	inner("untracked")
	inner("ignored/one")
	inner("sub/linked")
	p.git("add", "sub/linked")
	p.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.dir, "vendor")
	p.git("worktree", "add", "-q", "-b", "w", "w")
	inner("sub/linked/deep")
	p.git("-C", "sub/linked", "add", "deep")
	p.write("plain/file", "")
	p.write("empty/.git/config", "")
	inner("moved")
	require.NoError(t, os.Rename(filepath.Join(p.dir, "moved", ".git"), filepath.Join(p.dir, "ignored", "moved")))
	p.write("moved/.git", "gitdir: ../ignored/moved\n")
	names, err := r.WritableRepositories(t.Context())
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"sub/linked", "sub/linked/deep", "untracked", "moved"}, names)

	names, err = (&Repo{Top: filepath.Join(p.dir, "w")}).WritableRepositories(t.Context())
	require.NoError(t, err)
	assert.Empty(t, names)
	p.git("-C", "w", "clone", "-q", lib.dir, "n")
	names, err = (&Repo{Top: filepath.Join(p.dir, "w")}).WritableRepositories(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"n"}, names)
}

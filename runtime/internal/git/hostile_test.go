package git

import (
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
	settings := ""
	require.NoError(t, os.Mkdir(filepath.Join(p.dir, ".git", "hooks"), 0o755))
	for _, hook := range []string{"post-checkout", "post-index-change", "reference-transaction", "pre-rebase"} {
		require.NoError(t, os.WriteFile(filepath.Join(p.dir, ".git", "hooks", hook), []byte("#!/bin/sh\necho "+hook+" >> '"+ran+"'\n"), 0o700))
		p.git("config", "hook."+hook+".command", program)
		p.git("config", "hook.x=\"y\"-"+hook+".command", program)
		p.git("config", "hook.x=\"y\"-"+hook+".event", hook) // git runs it from version 2.54 on
		settings += "[hook \"z-" + hook + "\"]\n\tcommand = " + program + "\n\tevent = " + hook + "\n\tenabled = true\n"
	}
	p.write(".git/more", settings)
	p.git("config", "include.path", "more")
	p.write("a.txt", "changed\n")
	tree, err := OpenTree(t.Context(), p.dir, func(string) bool { return false })
	require.NoError(t, err)
	_, tree.Repo.Accepted, err = Risks(t.Context(), p.dir) // the include
	require.NoError(t, err)
	s, err := tree.Snapshot(t.Context())
	require.NoError(t, err)
	assert.Contains(t, s.Files, "a.txt")
	_, err = tree.Repo.OpenWorktree(t.Context(), filepath.Join(p.dir, "w"), "w", func(add func() error) error { return add() })
	require.NoError(t, err)
	assert.NoFileExists(t, ran)
}

// A commit-graph that names another tree than HEAD does hides no changes.
func TestAForgedCommitGraphHidesNothing(t *testing.T) {
	p := newRepo(t)
	first := p.git("rev-parse", "HEAD^{tree}")
	p.git("commit-graph", "write", "--reachable")
	p.write("a.txt", "evil\n")
	p.git("add", "a.txt")
	raw := func(id string) string {
		data, err := hex.DecodeString(id)
		require.NoError(t, err)
		return string(data)
	}
	const graph = ".git/objects/info/commit-graph"
	text := p.read(graph)
	require.Contains(t, text, raw(first))
	p.remove(graph)
	p.write(graph, strings.ReplaceAll(text, raw(first), raw(p.git("write-tree"))))
	require.Empty(t, p.git("status", "--porcelain"), "the attack does not work at all")
	tree, err := OpenTree(t.Context(), p.dir, nothing)
	require.NoError(t, err)
	assert.Contains(t, take(t, tree).Files, "a.txt")
}

// The hooks that the settings of a repository define are switched off by their names.
func TestHooksOfSettingsAreSwitchedOff(t *testing.T) {
	p := newRepo(t)
	p.write(".git/config", p.read(".git/config")+"[Hook \"a.b\"]\n\tEvent = pre-commit\n\tenabled = true\n[hook \"c=d \\\"e\"]\n\tevent = x\n\tevent = y\n"+
		"[hook]\n\tjobs = 2\n[hook \"no-event\"]\n\tcommand = x\n[include]\n\tpath = more\n")
	p.write(".git/more", "[hook \"f\"]\n\tevent = pre-commit\n")
	r := &Repo{Top: p.dir}
	all, err := repository{dir: r.Top}.settings(t.Context())
	require.NoError(t, err)
	args := hooksOff(all)
	cmd := exec.Command("git", append(args, "config", "--type=bool", "--get-regexp", `^hook\..*\.enabled$`)...)
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), offVariable+"=false")
	out, err := cmd.Output()
	require.NoError(t, err)
	last := map[string]string{}
	for line := range strings.Lines(string(out)) {
		at := strings.LastIndexByte(line, ' ')
		last[line[:at]] = strings.TrimSpace(line[at:])
	}
	assert.Equal(t, map[string]string{"hook.a.b.enabled": "false", `hook.c=d "e.enabled`: "false", "hook.f.enabled": "false"}, last)
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

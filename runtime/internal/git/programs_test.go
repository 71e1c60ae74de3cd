package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Git runs no program of a repository's settings when it compares or writes files, wherever the setting is, unless exactly that
// setting is approved. A program of the user's own settings needs no approval.
func TestProgramsOfSettingsNeedApproval(t *testing.T) {
	snapshot := func(t *testing.T, p *project, programs []string) error {
		tree, err := OpenTree(t.Context(), p.dir, nothing)
		require.NoError(t, err)
		tree.Repo.Programs = programs
		_, err = tree.Snapshot(t.Context())
		return err
	}
	worktree := func(t *testing.T, p *project, programs []string) error {
		r := &Repo{Top: p.dir, Programs: programs}
		_, err := r.OpenWorktree(t.Context(), filepath.Join(p.dir, "w"), "w", plainly)
		return err
	}
	sign := func(t *testing.T, p *project, programs []string) error {
		return (&Repo{Top: p.dir, Programs: programs}).Ready(t.Context())
	}
	rebase := func(t *testing.T, p *project, programs []string) error {
		w := &Worktree{&Repo{Top: p.dir, Programs: programs}, "main", "other"}
		return w.Update(t.Context(), true)
	}
	filter := func(of string) string { return "[Filter \"x\"]\n\t" + of + " = PROGRAM %f\n" }
	const read = "filter.x.clean = PROGRAM %f"
	tests := []struct {
		name    string
		files   map[string]string // gets these lines
		changed string
		do      func(*testing.T, *project, []string) error
		want    string
	}{
		{"a filter that reads", map[string]string{".git/config": filter("Clean")}, "a.txt", snapshot, read},
		{"a process that filters", map[string]string{".git/config": filter("process")}, "a.txt", snapshot, "filter.x.process = PROGRAM %f"},
		{"an old section", map[string]string{".git/config": "[filter.x] clean = PROGRAM\n"}, "a.txt", snapshot, "filter.x.clean = PROGRAM"},
		{"an included file", map[string]string{".git/config": "[include] path = ../more\n", "more": filter("clean")}, "a.txt", snapshot, read},
		{"a condition", map[string]string{".git/config": "[includeIf \"onbranch:main\"] path = more\n", ".git/more": filter("clean")}, "a.txt", snapshot, read},
		{
			"a file for one working tree", map[string]string{
				".git/config":          "[core] repositoryFormatVersion = 1\n[extensions] worktreeConfig = true\n",
				".git/config.worktree": filter("clean"),
			}, "a.txt", snapshot, read,
		},
		{"a submodule", map[string]string{".git/modules/sub/config": filter("clean")}, "sub/a.txt", snapshot, read},
		{"a submodule of a submodule", map[string]string{"sub/inner/.git/config": filter("clean")}, "sub/inner/a.txt", snapshot, read},
		{"a filter that writes", map[string]string{".git/config": filter("smudge")}, "", worktree, "filter.x.smudge = PROGRAM %f"},
		{"a driver of merges", map[string]string{".git/config": "[merge \"x\"] driver = PROGRAM </dev/null\n"}, "", rebase, "merge.x.driver = PROGRAM </dev/null"},
		{"a signature", map[string]string{".git/config": "[commit] gpgSign = true\n[gpg] program = PROGRAM\n"}, "", sign, "gpg.program = PROGRAM"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lib, p := newRepo(t), newRepo(t)
			ran := filepath.Join(t.TempDir(), "ran")
			program := filepath.Join(t.TempDir(), "program")
			require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n: > '"+ran+"'\ncat\n"), 0o700))
			lib.write(".gitattributes", "* filter=x\n")
			lib.commit("attributes")
			p.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.dir, "sub")
			p.write(".gitattributes", "*.txt filter=x merge=x\n")
			p.commit("attributes")
			p.git("clone", "-q", lib.dir, "sub/inner")
			p.git("-C", "sub", "-c", "advice.addEmbeddedRepo=false", "add", "inner")
			p.git("switch", "-qc", "other")
			p.write("a.txt", "other\n")
			p.git("commit", "-qm", "other", "a.txt")
			p.git("switch", "-q", "main")
			p.write("a.txt", "main\n")
			p.git("commit", "-qm", "main", "a.txt")
			for name, text := range tt.files {
				before := ""
				if there(filepath.Join(p.dir, name)) {
					before = p.read(name)
				}
				p.write(name, before+strings.ReplaceAll(text, "PROGRAM", program))
			}
			if tt.changed != "" { // git compares the sizes first
				p.write(tt.changed, strings.Repeat("x", len(p.read(tt.changed))))
			}
			want := strings.ReplaceAll(tt.want, "PROGRAM", program)

			err := tt.do(t, p, nil)
			conflict, is := errors.AsType[*Conflict](err)
			require.True(t, is, "%v", err)
			assert.Contains(t, conflict.Why, want)
			assert.NoFileExists(t, ran)
			require.Error(t, tt.do(t, p, []string{want + " --other"}))
			assert.NoFileExists(t, ran)

			_, list, err := Programs(t.Context(), p.dir)
			require.NoError(t, err)
			assert.Equal(t, []string{want}, list)
			if err := tt.do(t, p, list); tt.name != "a signature" { // the program makes none
				require.NoError(t, err)
			}
			if tt.name != "a process that filters" { // whose protocol the program does not speak
				assert.FileExists(t, ran)
			}
		})
	}
}

// Git fetches objects with programs of the settings only if the repository lacks some.
func TestProgramsThatFetch(t *testing.T) {
	for _, partial := range []string{"[extensions] partialClone = origin\n", "[remote \"origin\"] promisor = true\n"} {
		p := newRepo(t)
		before := p.read(".git/config") + "[core] sshCommand = ssh -v\n[credential \"https://x.y\"] helper = h\n[remote \"origin\"] uploadpack = u\n[merge] conflictStyle = diff3\n"
		p.write(".git/config", before)
		_, list, err := Programs(t.Context(), p.dir)
		require.NoError(t, err)
		assert.Empty(t, list)
		p.write(".git/config", before+partial)
		_, list, err = Programs(t.Context(), p.dir)
		require.NoError(t, err)
		assert.Equal(t, []string{"core.sshcommand = ssh -v", "credential.https://x.y.helper = h", "remote.origin.uploadpack = u"}, list)
	}
}

package git

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// markedBox does not isolate programs. They get the variable IN_BOX.
type markedBox struct{ holds bool }

func (b markedBox) Holds(string) bool { return b.holds }

func (markedBox) Environ(environ []string, names ...string) (kept []string) {
	for _, variable := range environ {
		if name, _, _ := strings.Cut(variable, "="); name == "PATH" || name == "HOME" || slices.Contains(names, name) {
			kept = append(kept, variable)
		}
	}
	return append(kept, "IN_BOX=1")
}

func (markedBox) Wrap(argv, _ []string, _ string, _, _ []string) ([]string, error) { return argv, nil }

func (markedBox) Terminate(pid int) error { return nil }

// filtered prepares a repository with a filter and a merge driver of its own, which a user has approved. ran returns where
// they ran, and forgets it.
func filtered(t *testing.T) (p *project, accepted []string, ran func() string) {
	p = newRepo(t)
	log := filepath.Join(t.TempDir(), "ran")
	note := `echo "${IN_BOX-outside}" >> '` + log + `'`
	p.write(".gitattributes", "*.dat filter=x=y merge=m\n")
	p.write("a.dat", "a\n")
	before := time.Now().Add(-time.Hour) // otherwise git may compare the file whenever it writes the index
	require.NoError(t, os.Chtimes(filepath.Join(p.dir, "a.dat"), before, before))
	p.commit("filter")
	p.git("config", "filter.x=y.clean", note+"; sed s/secret/hidden/")
	p.git("config", "filter.x=y.smudge", note+"; cat")
	p.git("config", "merge.m.driver", note+"; cp %B %A")
	_, accepted, err := Risks(t.Context(), p.dir)
	require.NoError(t, err)
	return p, accepted, func() string {
		text, _ := os.ReadFile(log) // if nothing ran, there is none
		_ = os.Remove(log)
		lines := strings.Fields(string(text))
		slices.Sort(lines)
		return strings.Join(slices.Compact(lines), " ")
	}
}

// Filters and merge drivers run only in the box, if a loop has one: when ripple looks for changes, commits, makes a working
// tree and rebases it.
func TestFiltersRunInTheBox(t *testing.T) {
	p, accepted, ran := filtered(t)
	tree, err := OpenTree(t.Context(), p.dir, nothing)
	require.NoError(t, err)
	r := tree.Repo
	r.Accepted, r.Box = accepted, markedBox{holds: true}
	p.write("a.dat", "b\n") // of the same size, so that git compares it
	_, err = tree.Snapshot(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "1", ran())

	p.write("a.dat", "secret\n")
	_, err = r.Commit(t.Context(), Change{There: []string{"a.dat"}}, p.git("rev-parse", "HEAD"), "x", time.Minute, unnoticed)
	require.NoError(t, err)
	assert.Equal(t, "1", ran())
	assert.Equal(t, "hidden", p.git("show", "HEAD:a.dat"))

	side := sideOf(p, "side")
	w, err := r.OpenWorktree(t.Context(), side, "side", plainly)
	require.NoError(t, err)
	assert.Equal(t, "1", ran())
	data, err := os.ReadFile(filepath.Join(side, "a.dat"))
	require.NoError(t, err)
	assert.Equal(t, "hidden\n", string(data))
	assert.Empty(t, p.git("-C", side, "status", "--porcelain"))
	_ = ran()

	for dir, text := range map[string]string{p.dir: "main\n", side: "side\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a.dat"), []byte(text), 0o644))
		p.git("-C", dir, "commit", "-qam", text)
	}
	_ = ran()
	require.NoError(t, update(t, w, true))
	assert.Equal(t, "1", ran())
	assert.Equal(t, "side", p.git("show", "side:a.dat"))
	assert.Equal(t, p.git("rev-parse", "main"), p.git("rev-parse", "side^"))
}

// refusingBox starts nothing.
type refusingBox struct{ markedBox }

func (refusingBox) Wrap([]string, []string, string, []string, []string) ([]string, error) {
	return nil, errors.New("refused")
}

// Without filters and merge drivers, git needs no box. It does if a file that its settings include may have some.
func TestWithoutFiltersGitRunsOutside(t *testing.T) {
	p := newRepo(t)
	tree, err := OpenTree(t.Context(), p.dir, nothing)
	require.NoError(t, err)
	tree.Repo.Box = refusingBox{markedBox{holds: true}}
	_, err = tree.Snapshot(t.Context())
	require.NoError(t, err)
	p.git("config", "includeIf.gitdir:/nowhere/.path", "more")
	_, tree.Repo.Accepted, err = Risks(t.Context(), p.dir)
	require.NoError(t, err)
	_, err = tree.Snapshot(t.Context())
	assert.ErrorContains(t, err, "git status cannot run in the box: refused")
}

// Where git cannot use the repository in the box, it runs no filter and no merge driver. A command that needs one for what it
// writes fails.
func TestNoFilterRunsBesideTheBox(t *testing.T) {
	p, accepted, ran := filtered(t)
	tree, err := OpenTree(t.Context(), p.dir, nothing)
	require.NoError(t, err)
	r := tree.Repo
	r.Accepted, r.Box = accepted, markedBox{}
	p.write("a.dat", "b\n")
	_, err = tree.Snapshot(t.Context())
	require.NoError(t, err)
	head := p.git("rev-parse", "HEAD")
	_, err = r.Commit(t.Context(), Change{There: []string{"a.dat"}}, head, "x", time.Minute, unnoticed)
	assert.ErrorContains(t, err, "clean filter 'x=y' failed (it is switched off, because git cannot do this in the box)")
	p.write("other", "b\n")
	_, err = r.Commit(t.Context(), Change{There: []string{"other"}}, head, "x", time.Minute, unnoticed)
	require.NoError(t, err)
	assert.Equal(t, "b", p.git("show", "HEAD:other"))
	_, err = r.OpenWorktree(t.Context(), sideOf(p, "side"), "side", plainly)
	assert.ErrorContains(t, err, "smudge filter x=y failed")
	assert.Empty(t, ran())
}

// A command runs in the box if git may run filters or merge drivers, unless it cannot work there.
func TestCommandsInTheBox(t *testing.T) {
	filter := setting{"global", "/h/.gitconfig", "filter.x.clean", "cat"}
	sign := setting{"local", "/p/.git/config", "commit.gpgsign", "true"}
	tests := []struct {
		name     string
		sub      subcommand
		all      []setting
		accepted string
		want     bool
	}{
		{"a filter", gitStatus, []setting{filter}, "", true},
		{"a merge driver", gitRebase, []setting{{"local", "", "merge.a.b.driver", "x"}}, "", true},
		{"nothing", gitRebase, []setting{sign}, "", false},
		{"a filter of a submodule", gitStatus, nil, `/p/.git/modules/s/config: "filter.a b.clean" = x`, true},
		{"an include", gitRebase, []setting{{"local", "", "include.path", "x"}}, "", true},
		{"an include of the user", gitRebase, []setting{{"global", "", "include.path", "x"}}, "", false},
		{"a commit", gitCommit, []setting{filter}, "", false},
		{"a rebase that signs", gitRebase, []setting{filter, sign}, "", false},
		{"a rebase that does not sign", gitRebase, []setting{filter, sign, {"local", "", "commit.gpgsign", "No"}}, "", true},
		{"other commands of a repository that signs", gitIndex, []setting{filter, sign}, "", true},
		{"objects elsewhere", gitStatus, []setting{filter}, "/p/.git/objects/info/alternates: alternate = /q/.git/objects", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &Repo{Top: "/p", Accepted: []string{tt.accepted}, Box: markedBox{holds: true}}
			assert.Equal(t, tt.want, r.boxed(tt.sub, tt.all))
			r.Box = markedBox{}
			assert.False(t, r.boxed(tt.sub, tt.all))
		})
	}
}

// A filter of the user that fails in the box, where its program may not be visible, fails the commit of its file.
func TestAFilterThatFailsInTheBox(t *testing.T) {
	p := newRepo(t)
	p.write(".gitattributes", "*.dat filter=x\n")
	p.write("a.dat", "secret\n")
	p.git("config", "filter.x.clean", "no-such-program")
	_, accepted, err := Risks(t.Context(), p.dir)
	require.NoError(t, err)
	r := &Repo{Top: p.dir, Accepted: accepted, Box: markedBox{holds: true}}
	_, err = r.Commit(t.Context(), Change{There: []string{"a.dat"}}, p.git("rev-parse", "HEAD"), "x", time.Minute, unnoticed)
	assert.ErrorContains(t, err, "clean filter 'x' failed")
}

// Git in the box has the settings that variables give, but none that may have secrets.
func TestSettingsOfVariablesInTheBox(t *testing.T) {
	p := newRepo(t)
	for name, value := range map[string]string{
		"COUNT": "3", "KEY_0": "http.extraHeader", "VALUE_0": "secret", "KEY_1": "url.https://secret@x.y/.insteadOf", "VALUE_1": "https://x.y/", "KEY_2": "core.autocrlf", "VALUE_2": "input",
	} {
		t.Setenv("GIT_CONFIG_"+name, value)
	}
	t.Setenv("GIT_AUTHOR_NAME", "somebody")
	t.Setenv("TOKEN", "secret")
	r := &Repo{Top: p.dir, Box: markedBox{holds: true}}
	all, err := repository{dir: r.Top}.settings(t.Context())
	require.NoError(t, err)
	env := strings.Join(r.boxEnviron(all), "\n")
	assert.NotContains(t, env, "secret")
	assert.Contains(t, env, "GIT_AUTHOR_NAME=somebody")
	assert.Regexp(t, `GIT_CONFIG_KEY_(\d)=core.autocrlf\nGIT_CONFIG_VALUE_\d=input`, env)
	assert.Regexp(t, `GIT_CONFIG_COUNT=\d+$`, env)
}

// forgingBox prints a text before what git prints, as a filter in the box can.
type forgingBox struct {
	markedBox
	text string
}

func (b forgingBox) Wrap(argv, _ []string, _ string, _, _ []string) ([]string, error) {
	return append([]string{"sh", "-c", `printf '` + b.text + `'; exec "$@"`, "sh"}, argv...), nil
}

// The output of git in the box may have been written by a filter there: it changes neither the commit nor the branch of a snapshot,
// and no file out of the working tree is read, nor one in a repository.
func TestForgedOutputInTheBox(t *testing.T) {
	p, accepted, _ := filtered(t)
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "key"), []byte("secret\n"), 0o600))
	up, err := filepath.Rel(p.dir, outside)
	require.NoError(t, err)
	require.NoError(t, os.Symlink(outside, filepath.Join(p.dir, "link")))
	require.NoError(t, os.Mkdir(filepath.Join(outside, "sub"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(outside, "sub", "key"), []byte("secret\n"), 0o600))
	tree, err := OpenTree(t.Context(), p.dir, nothing)
	require.NoError(t, err)
	first := p.git("rev-parse", "HEAD")
	tree.Repo.Accepted = accepted
	for _, forged := range []string{
		"# branch.oid --output=" + filepath.Join(outside, "written") + `\0# branch.head --x\0? x`,
		"? " + filepath.ToSlash(up) + `/\0`, "? " + filepath.ToSlash(up) + `/key\0`, "? " + filepath.ToSlash(outside) + `/\0`,
		`? link/key\0`, `? link/sub/\0`, `? .git/\0`, `? .git/config\0`,
	} {
		tree.Repo.Box = forgingBox{markedBox{holds: true}, forged}
		s, err := tree.Snapshot(t.Context())
		require.NoError(t, err, forged)
		assert.Equal(t, first, s.Head, forged)
		assert.Equal(t, "main", s.Branch, forged)
		for name, content := range s.Files {
			assert.True(t, content == absent || name == "link" || strings.HasPrefix(name, "x"), "%s: %s %s", forged, name, content)
		}
		assert.True(t, s.Valid())
	}
	tree.Repo.Box = forgingBox{markedBox{holds: true}, "!! " + filepath.ToSlash(up) + `/\0!! link/sub/\0`}
	list, err := ignored(t.Context(), tree.Repo, nothing)
	require.NoError(t, err)
	assert.Empty(t, list)
	p.git("checkout", "-q", "--detach")
	s, err := tree.Snapshot(t.Context())
	require.NoError(t, err)
	assert.Empty(t, s.Branch)
	p.git("checkout", "-q", "--orphan", "fresh")
	s, err = tree.Snapshot(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"", "fresh"}, []string{s.Head, s.Branch})
}

// A snapshot that was read from a file has names of files, and commits, which are not options of git.
func TestValidSnapshots(t *testing.T) {
	commit := strings.Repeat("a", 40)
	assert.True(t, Snapshot{}.Valid())
	assert.True(t, Snapshot{Head: commit, HeadTree: commit, HeadParent: commit, Files: map[string]string{"a/..b": "", ".gitignore": ""}}.Valid())
	for _, s := range []Snapshot{{Head: "--output=x"}, {Head: "HEAD"}, {HeadTree: "-x"}, {HeadParent: "main:a"}} {
		assert.False(t, s.Valid())
	}
	for _, name := range []string{"", "../a", "a/../../b", "/a", ".git", ".git/config", "a/.git/config"} {
		assert.False(t, Snapshot{Files: map[string]string{name: ""}}.Valid(), name)
	}
}

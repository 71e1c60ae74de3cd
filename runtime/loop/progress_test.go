package loop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/internal/git"
)

func take(t testing.TB, tr *git.Tree) git.Snapshot {
	t.Helper()
	s, err := tr.Snapshot(t.Context())
	require.NoError(t, err)
	return s
}

// Each row is a turn: the initial tree, its actions, and the files that count as changed.
func TestProgress(t *testing.T) {
	t.Parallel()
	nothing := func(*project) {}
	submodule := func(p *project) {
		p.sh(`git init -q -b main ../sub; cd ../sub; git config user.name t; git config user.email t@x; echo 1 > f; git add f; git commit -qm s
			cd "$OLDPWD"; git -c protocol.file.allow=always submodule --quiet add "$PWD/../sub" sub; git commit -qm sub
			cd sub; git config user.name t; git config user.email t@x`)
	}
	tests := []struct {
		name        string
		before, did func(p *project)
		want        []string
	}{
		{"nothing", nothing, nothing, nil},
		{"a tracked file", nothing, func(p *project) { p.write("a.txt", "b\n") }, []string{"a.txt"}},
		{"untracked only", nothing, func(p *project) { p.write("new/n.txt", "n") }, []string{"new/n.txt"}},
		{"an untracked file again", func(p *project) { p.write("n.txt", "1") }, func(p *project) { p.write("n.txt", "2") }, []string{"n.txt"}},
		{"old dirt", func(p *project) { p.write("a.txt", "dirt"); p.write("n.txt", "dirt") }, nothing, nil},
		{"earlier changes, extended", func(p *project) { p.write("a.txt", "dirt") }, func(p *project) { p.write("a.txt", "dust") }, []string{"a.txt"}},
		{"earlier changes, reverted", func(p *project) { p.write("a.txt", "dirt") }, func(p *project) { p.write("a.txt", "a\n") }, []string{"a.txt"}},
		{"rewritten with the same content", nothing, func(p *project) { p.write("a.txt", "a\n") }, nil},
		{"removed", nothing, func(p *project) { p.remove("a.txt") }, []string{"a.txt"}},
		{"ignored", nothing, func(p *project) { p.write("ignored", "1") }, nil},
		{"staged is the same content", func(p *project) { p.write("a.txt", "b") }, func(p *project) { p.git("add", "a.txt") }, nil},
		{
			"staged is other content", func(p *project) { p.write("a.txt", "b"); p.git("add", "a.txt"); p.write("a.txt", "c") },
			func(p *project) { p.write("a.txt", "d"); p.git("add", "a.txt"); p.write("a.txt", "c") },
			[]string{"a.txt"},
		},
		{"a commit", nothing, func(p *project) { p.write("a.txt", "b"); p.commit("x") }, []string{"a.txt"}},
		{"a commit of nothing", nothing, func(p *project) { p.git("commit", "-q", "--allow-empty", "-m", "x") }, nil},
		{"a commit with another message", nothing, func(p *project) { p.git("commit", "-q", "--amend", "-m", "x") }, nil},
		{"a commit of earlier changes", func(p *project) { p.write("n", "1"); p.write("a.txt", "b") }, func(p *project) { p.commit("x") }, nil},
		{"a commit of an old removal", func(p *project) { p.remove("a.txt") }, func(p *project) { p.commit("x") }, nil},
		{"a commit of earlier changes and more", func(p *project) { p.write("n", "1") }, func(p *project) { p.write("n", "2"); p.commit("x") }, []string{"n"}},
		{"a commit of earlier changes, executable now", func(p *project) { p.write("n", "1") }, func(p *project) { p.sh("chmod +x n"); p.commit("x") }, []string{"n"}},
		{"a commit and uncommitted changes", nothing, func(p *project) { p.write("n", "1"); p.commit("x"); p.write("a.txt", "b") }, []string{"a.txt", "n"}},
		{"a commit reverted by another", nothing, func(p *project) {
			p.write("a.txt", "b")
			p.commit("x")
			p.write("a.txt", "a\n")
			p.commit("y")
		}, nil},
		{"the first commit, of what was there", func(p *project) { p.sh("rm -rf .git; git init -q; git config user.name t; git config user.email t@x") }, func(p *project) { p.commit("x") }, nil},
		{"the first commit, of something new", func(p *project) { p.sh("rm -rf .git; git init -q; git config user.name t; git config user.email t@x") }, func(p *project) {
			p.write("n", "1")
			p.commit("x")
		}, []string{"n"}},
		{"another branch", func(p *project) {
			p.sh("git checkout -qb o; echo o > o; git add o; git commit -qm o; git checkout -q main")
		}, func(p *project) { p.git("checkout", "-q", "o") }, []string{"o"}},
		{"the same on another branch", nothing, func(p *project) { p.git("checkout", "-qb", "o") }, nil},
		{"a directory in a file's place", nothing, func(p *project) { p.sh("rm a.txt; mkdir a.txt; echo 1 > a.txt/n") }, []string{"a.txt", "a.txt/n"}},
		{"a commit of nothing in a submodule", submodule, func(p *project) { p.sh("git -C sub commit -q --allow-empty -m x") }, nil},
		{"a commit in a submodule", submodule, func(p *project) { p.sh("cd sub; echo 1 > n; git add n; git commit -qm x") }, []string{"sub", "sub/f", "sub/n"}},
		{"a commit of a submodule's old commit", func(p *project) { submodule(p); p.sh("cd sub; echo 1 > n; git add n; git commit -qm x") }, func(p *project) { p.commit("y") }, nil},
		{"executable", nothing, func(p *project) {
			require.NoError(p.t, os.Chmod(filepath.Join(p.dir, "a.txt"), 0o755))
		}, []string{"a.txt"}},
		{"a link", nothing, func(p *project) { require.NoError(p.t, os.Symlink("a.txt", filepath.Join(p.dir, "l"))) }, []string{"l"}},
		{"odd names", nothing, func(p *project) { p.write("a b\n\"ü.txt", "1") }, []string{"a b\n\"ü.txt"}},
		{
			"a repository inside", func(p *project) { p.write("in/f", "1"); (&project{p.t, p.dir + "/in"}).git("init", "-q") },
			func(p *project) { p.write("in/f", "2") },
			[]string{"in/f"},
		},
		{"the loop's own files", nothing, func(p *project) {
			for _, name := range layout.Records {
				p.write(".ralph/"+name, "x")
			}
			p.write(".ralph/"+layout.TempMark+"1", "x")
			p.write(".ralph/status.json.corrupt", "x")
		}, nil},
		{"the plan alone is not work", nothing, func(p *project) { p.write(".ralph/@fix_plan.md", "- [x] a") }, []string{".ralph/@fix_plan.md"}},
	}
	for _, tt := range testkit.SampleOf(t, 6, 14, tests, func(i int) string { return testkit.FirstWord(tests[i].name) }) {
		t.Run(tt.name, func(t *testing.T) {
			p := newRepo(t)
			tt.before(p)
			tr, err := git.OpenTree(t.Context(), p.dir, layout.IsRecord)
			require.NoError(t, err)
			before := take(t, tr)
			tt.did(p)
			after := take(t, tr)
			got, err := tr.Changed(t.Context(), before, after)
			require.NoError(t, err)
			if len(tt.want) == 0 {
				assert.Empty(t, got)
			} else {
				assert.Equal(t, tt.want, got)
			}
			assert.Equal(t, len(tt.want) > 0 && tt.want[0] != ".ralph/@fix_plan.md", isWork(tr, got))
			fresh, err := git.OpenTree(t.Context(), p.dir, layout.IsRecord)
			require.NoError(t, err)
			assert.Equal(t, after, take(t, fresh), "the same without what was remembered")
		})
	}
}

func TestProgressWithoutGit(t *testing.T) {
	p := newProject(t)
	p.write("a.txt", "a")
	p.write(".ralph/PROMPT.md", "x")
	tr, err := git.OpenTree(t.Context(), p.dir, layout.IsRecord)
	require.NoError(t, err)
	require.Nil(t, tr.Repo)
	before := take(t, tr)
	assert.Len(t, before.Files, 2)
	assert.True(t, before.Equal(take(t, tr)))
	p.write(".ralph/status.json", "{}")
	p.write(".ralph/logs/1.log", "x")
	p.write("sub/b.txt", "b")
	p.remove("a.txt")
	assert.Equal(t, []string{"a.txt", "sub/b.txt"}, before.Changed(take(t, tr)))
}

func TestProgressInASubdirectoryAndBesideIt(t *testing.T) {
	p := newRepo(t)
	p.write("sub/f", "1")
	p.commit("sub")
	tr, err := git.OpenTree(t.Context(), filepath.Join(p.dir, "sub"), layout.IsRecord)
	require.NoError(t, err)
	before := take(t, tr)
	p.write("sub/.ralph/status.json", "{}")
	p.write("a.txt", "b")
	p.write("sub/f", "2")
	assert.Equal(t, []string{"a.txt", "sub/f"}, before.Changed(take(t, tr)))
}

// Git is run only by its package, which has a fixed list of commands; the loop itself starts only
// the commands of --verify.
func TestOnlyVerifyStartsPrograms(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "verify") {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.NotRegexp(t, `exec\.Command`, string(text), file)
	}
}

package git

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Nothing of the user's is ever stashed, reset, cleaned or forced away.
func TestGitCommandsAreAClosedList(t *testing.T) {
	allowed := []string{"check-ignore", "check-ref-format", "commit", "commit-tree", "config", "diff", "hash-object", "ls-files", "ls-tree", "merge-base", "read-tree", "rebase", "rev-list", "rev-parse", "status", "symbolic-ref", "tag", "update-index", "var", "worktree"}
	banned := []string{
		"stash", "reset", "clean", "push", "pull", "fetch", "checkout", "switch", "restore", "rm", "gc", "prune", "reflog",
		"update-ref", "filter-branch", "branch", "merge", "-f", "-D", "-d", "--force", "--hard", "--autostash", "--amend", "--delete",
		"--no-verify", "remove", "--abort", "--skip", "--onto", "--root",
	}
	var declared []string
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if typ, ok := n.Type.(*ast.Ident); ok && typ.Name == "subcommand" {
					text, err := strconv.Unquote(n.Values[0].(*ast.BasicLit).Value)
					require.NoError(t, err)
					declared = append(declared, text)
				}
			case *ast.BasicLit:
				text, err := strconv.Unquote(n.Value)
				if n.Kind == token.STRING && err == nil {
					assert.NotContains(t, banned, text, file)
				}
			case *ast.CallExpr:
				starts := func(e ast.Expr) bool {
					s, ok := e.(*ast.SelectorExpr)
					return ok && (s.Sel.Name == "Command" || s.Sel.Name == "CommandContext")
				}
				if starts(n.Fun) {
					assert.True(t, file == "git.go", "%s starts a program", file)
				}
				if c, ok := n.Fun.(*ast.Ident); ok && c.Name == "subcommand" {
					t.Errorf("%s makes a subcommand of a text", file)
				}
			}
			return true
		})
	}
	slices.Sort(declared)
	assert.Equal(t, allowed, declared)
}

func TestOpenRepo(t *testing.T) {
	none := newProject(t)
	r, err := Open(t.Context(), none.dir)
	require.ErrorIs(t, err, ErrNoRepository)
	assert.Nil(t, r)

	p := newRepo(t)
	p.write("sub/x/f", "1")
	r, err = Open(t.Context(), filepath.Join(p.dir, "sub", "x"))
	require.NoError(t, err)
	assert.Equal(t, &Repo{Top: p.dir, Prefix: "sub/x/"}, r)

	p.write("ignored/f", "1")
	r, err = Open(t.Context(), filepath.Join(p.dir, "ignored"))
	require.ErrorIs(t, err, ErrNoRepository)
	assert.Nil(t, r, "git would never see a change there")
}

// The name of a directory may have a line end, and its part before that may be another repository.
func TestOpenWithLineEnds(t *testing.T) {
	top := newProject(t)
	for _, dir := range []string{"app/sub", "app\nsub/deep\ner"} {
		if err := os.MkdirAll(filepath.Join(top.dir, dir), 0o755); err != nil {
			t.Skip("this system has no such names")
		}
	}
	for _, dir := range []string{"app", "app\nsub"} {
		(&project{t, filepath.Join(top.dir, dir)}).git("init", "-q")
	}
	project := filepath.Join(top.dir, "app\nsub")
	for dir, prefix := range map[string]string{".": "", "deep\ner": "deep\ner/"} {
		r, err := Open(t.Context(), filepath.Join(project, dir))
		require.NoError(t, err)
		assert.Equal(t, &Repo{Top: project, Prefix: prefix}, r)
	}
}

func TestCommitContainsOnlyTheGivenFiles(t *testing.T) {
	p := newRepo(t)
	p.write("gone.txt", "x")
	p.write("staged by me.txt", "1")
	p.commit("second")
	p.write("staged by me.txt", "2")
	p.git("add", "staged by me.txt")
	p.write("dirty.txt", "mine")
	p.write("-new [x].txt", "of the turn")
	p.remove("gone.txt")
	r := &Repo{Top: p.dir}
	head := p.git("rev-parse", "HEAD")
	sha, err := r.Commit(t.Context(), Change{There: []string{"-new [x].txt"}, Gone: []string{"gone.txt"}}, head, "ripple: turn 1", time.Minute, unnoticed)
	require.NoError(t, err)
	assert.Equal(t, p.git("rev-parse", "HEAD"), sha)
	assert.Equal(t, "A\t-new [x].txt\nD\tgone.txt", p.git("show", "--name-status", "--format=", "HEAD"))
	assert.Equal(t, "M  \"staged by me.txt\"\n?? dirty.txt", p.git("status", "--porcelain"))

	require.NoError(t, r.Tag(t.Context(), "ripple/x/turn-1", sha))
	require.NoError(t, r.Tag(t.Context(), "ripple/x/turn-1", sha), "again after a crash")
	assert.Equal(t, sha, p.git("rev-parse", "ripple/x/turn-1"))
}

func TestGitErrorsContainGitsMessage(t *testing.T) {
	p := newRepo(t)
	r := &Repo{Top: p.dir}
	head := p.git("rev-parse", "HEAD")
	_, err := r.Commit(t.Context(), Change{There: []string{"none"}}, head, "x", time.Minute, unnoticed)
	assert.ErrorContains(t, err, "git update-index failed (exit code 128): ")
	sha, err := r.Commit(t.Context(), Change{There: []string{"a.txt"}}, head, "nothing changed", time.Minute, unnoticed)
	require.NoError(t, err)
	assert.Equal(t, head, sha)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = r.Head(ctx)
	assert.ErrorIs(t, err, context.Canceled)
}

func update(t testing.TB, w *Worktree, clean bool) error {
	t.Helper()
	_, _, err := w.Update(t.Context(), clean)
	return err
}

func TestWorktree(t *testing.T) {
	p := newRepo(t)
	r := &Repo{Top: p.dir}
	w, err := r.OpenWorktree(t.Context(), sideOf(p, "side"), "side", plainly)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(p.dir, "trees", "side"), w.Dir())
	assert.Equal(t, "main", w.Main)
	again, err := r.OpenWorktree(t.Context(), sideOf(p, "side"), "side", plainly)
	require.NoError(t, err)
	assert.Equal(t, w, again, "reused")

	side := &project{t, w.Dir()}
	side.write("b.txt", "side\n")
	side.commit("on the side")
	before := side.git("rev-parse", "HEAD")
	require.NoError(t, update(t, w, true))
	assert.Equal(t, before, side.git("rev-parse", "HEAD"), "up to date: nothing happens")

	p.write("c.txt", "main\n")
	p.git("add", "c.txt")
	p.git("commit", "-qm", "on main")
	require.NoError(t, update(t, w, false))
	assert.NoFileExists(t, filepath.Join(w.Dir(), "c.txt"), "not while it is dirty")
	require.NoError(t, update(t, w, true))
	assert.FileExists(t, filepath.Join(w.Dir(), "c.txt"))
	assert.FileExists(t, filepath.Join(w.Dir(), "b.txt"))
}

// A rebase would lose what a merge commit changes itself, so the branch stays as it is.
func TestAWorktreeWithAMergeIsNotRebased(t *testing.T) {
	p := newRepo(t)
	r := &Repo{Top: p.dir}
	w, err := r.OpenWorktree(t.Context(), sideOf(p, "side"), "side", plainly)
	require.NoError(t, err)
	side := &project{t, w.Dir()}
	side.write("b.txt", "side\n")
	side.commit("on the side")
	side.git("checkout", "-q", "-b", "other", "HEAD~1")
	side.write("o.txt", "other\n")
	side.commit("on another branch")
	side.git("checkout", "-q", "side")
	side.git("merge", "-q", "--no-commit", "--no-ff", "other")
	side.write("fix.txt", "what the merge needs\n")
	side.commit("merge")
	before := side.git("rev-parse", "HEAD")
	_, held, err := w.Update(t.Context(), true)
	require.NoError(t, err)
	assert.False(t, held, "main has nothing new")
	p.write("c.txt", "main\n")
	p.git("add", "c.txt")
	p.git("commit", "-qm", "on main")
	rebased, held, err := w.Update(t.Context(), true)
	require.NoError(t, err)
	assert.Equal(t, before, side.git("rev-parse", "HEAD"))
	assert.False(t, rebased)
	assert.True(t, held)

	side.git("merge", "-q", "main")
	_, held, err = w.Update(t.Context(), true)
	require.NoError(t, err)
	assert.False(t, held)
}

// The branch that a working tree follows is not mistaken for a tag of its name, which comes with a fetch, or for an
// option, which a clone may have as its branch.
func TestAWorktreeFollowsTheBranchOfItsName(t *testing.T) {
	for _, name := range []string{"main", "--fork-point"} {
		p := newRepo(t)
		p.git("symbolic-ref", "HEAD", "refs/heads/"+name)
		p.git("update-ref", "HEAD", p.git("rev-parse", "refs/heads/main"))
		first := p.git("rev-parse", "HEAD")
		r := &Repo{Top: p.dir}
		w, err := r.OpenWorktree(t.Context(), sideOf(p, "side"), "side", plainly)
		require.NoError(t, err)
		p.write("b.txt", "on a tag only\n")
		p.git("add", "b.txt")
		p.git("commit", "-qm", "tagged")
		p.git("update-ref", "refs/tags/"+name, "HEAD")
		p.git("reset", "-q", "--hard", first)
		p.write("c.txt", "on the branch\n")
		p.git("add", "c.txt")
		p.git("commit", "-qm", "on the branch")
		side := &project{t, w.Dir()}
		side.write("HEAD", "a file\n")
		side.commit("a file with the name of a revision")

		require.NoError(t, update(t, w, true), name)
		assert.FileExists(t, filepath.Join(w.Dir(), "c.txt"), name)
		assert.NoFileExists(t, filepath.Join(w.Dir(), "b.txt"), name)
		base, err := w.Base(t.Context(), w.Main, "HEAD")
		require.NoError(t, err, name)
		assert.Equal(t, p.git("rev-parse", "HEAD"), base, name)
		d, err := w.Since(t.Context(), base, "HEAD")
		require.NoError(t, err, name)
		assert.Equal(t, Differences{Commits: 1, Files: 1, Added: 1}, d, name)
	}
}

func TestWorktreeConflictLeavesEverythingInPlace(t *testing.T) {
	p := newRepo(t)
	r := &Repo{Top: p.dir}
	w, err := r.OpenWorktree(t.Context(), sideOf(p, "side"), "side", plainly)
	require.NoError(t, err)
	side := &project{t, w.Dir()}
	side.write("a.txt", "side\n")
	side.commit("on the side")
	work := side.git("rev-parse", "HEAD")
	p.write("a.txt", "main\n")
	p.git("commit", "-qam", "on main")

	for n := range 2 { // the second time the rebase is under way already, and the agent may have changed its commands
		err = update(t, w, true)
		require.IsType(t, &Conflict{}, err)
		assert.ErrorContains(t, err, "branch side cannot be rebased on main")
		assert.ErrorContains(t, err, "git rebase --continue")
		assert.Equal(t, n == 1, strings.Contains(err.Error(), "--edit-todo"))
		assert.Equal(t, work, p.git("rev-parse", "side"), "the branch is where it was")
		w, err = r.OpenWorktree(t.Context(), sideOf(p, "side"), "side", plainly)
		require.NoError(t, err)
	}
	side.git("rebase", "--abort")
	assert.Equal(t, "side\n", side.read("a.txt"))
}

func TestWorktreeRefuses(t *testing.T) {
	p := newRepo(t)
	r := &Repo{Top: p.dir}
	for branch, want := range map[string]string{
		"../out": "is not a valid branch name",
		"-x":     "is not a valid branch name",
		"a b":    "is not a valid branch name",
		"main":   "is checked out in the project itself",
	} {
		_, err := r.OpenWorktree(t.Context(), sideOf(p, branch), branch, plainly)
		assert.ErrorContains(t, err, want, branch)
	}
	w, err := r.OpenWorktree(t.Context(), sideOf(p, "deep/er"), "deep/er", plainly)
	require.NoError(t, err)
	(&project{t, w.Dir()}).git("switch", "-qc", "elsewhere")
	_, err = r.OpenWorktree(t.Context(), sideOf(p, "deep/er"), "deep/er", plainly)
	assert.ErrorContains(t, err, "has elsewhere checked out instead of deep/er")
}

// A directory of the project that an archive has made a working tree of another repository is not used.
func TestAWorktreeOfAnotherRepositoryIsRefused(t *testing.T) {
	p, other := newRepo(t), newRepo(t)
	other.git("switch", "-qc", "side")
	p.write("trees/side/.git", "gitdir: "+other.dir+"/.git\n")
	_, err := (&Repo{Top: p.dir}).OpenWorktree(t.Context(), sideOf(p, "side"), "side", plainly)
	assert.ErrorContains(t, err, "is a working tree of another repository, "+other.dir)
}

func TestCommitWaitsForTheIndex(t *testing.T) {
	p := newRepo(t)
	p.write("a.txt", "b")
	p.write(".git/index.lock", "") // another git at work
	free := time.AfterFunc(200*time.Millisecond, func() { _ = os.Remove(filepath.Join(p.dir, ".git/index.lock")) })
	defer free.Stop()
	_, err := (&Repo{Top: p.dir}).Commit(t.Context(), Change{There: []string{"a.txt"}}, p.git("rev-parse", "HEAD"), "x", time.Minute, unnoticed)
	require.NoError(t, err)
}

func unnoticed(int) error { return nil }

func plainly(makes func() error) error { return makes() }

// sideOf is where a branch has its files.
func sideOf(p *project, branch string) string {
	return filepath.Join(p.dir, "trees", filepath.FromSlash(branch))
}

// The settings of a repository may demand a process for each file of a checkout.
func TestACheckoutStartsNoProcesses(t *testing.T) {
	p := newRepo(t)
	for _, name := range []string{"b.txt", "c.txt", "d.txt"} {
		p.write(name, name)
	}
	p.commit("files")
	p.git("config", "checkout.workers", "3")
	p.git("config", "checkout.thresholdForParallelism", "1")
	const worker = "checkout--worker"
	trace := filepath.Join(t.TempDir(), "trace")
	t.Setenv("GIT_TRACE", trace)
	p.git("worktree", "add", "-q", "other")
	text, err := os.ReadFile(trace)
	require.NoError(t, err)
	assert.Contains(t, string(text), worker, "git itself starts them")
	require.NoError(t, os.Remove(trace))

	r, err := Open(t.Context(), p.dir)
	require.NoError(t, err)
	_, err = r.OpenWorktree(t.Context(), filepath.Join(p.dir, "side"), "side", plainly)
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(p.dir, "side", "d.txt"))
	text, err = os.ReadFile(trace)
	require.NoError(t, err)
	assert.NotContains(t, string(text), worker)
}

func TestFromProject(t *testing.T) {
	for _, tt := range []struct{ prefix, name, want string }{
		{"", "a/b", "a/b"},
		{"a/b/", "a/b/c", "c"},
		{"a/b/", "a/c", "../c"},
		{"a/b/", "a/bc/d", "../bc/d"},
		{"a/b/", "c/a", "../../c/a"},
	} {
		tree := &Tree{Repo: &Repo{Prefix: tt.prefix}}
		assert.Equal(t, tt.want, tree.FromProject(tt.name), tt.name)
	}
	assert.Equal(t, "a", (&Tree{}).FromProject("a"))
}

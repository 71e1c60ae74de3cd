package loop

import (
	"context"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// project is a directory of a test, a git repository if init was called.
type project struct {
	t   testing.TB
	dir string
}

func newProject(t testing.TB) *project {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return &project{t, dir}
}

func newRepo(t testing.TB) *project {
	p := newProject(t)
	p.git("init", "-q", "-b", "main")
	p.git("config", "user.name", "t")
	p.git("config", "user.email", "t@example.org")
	p.git("config", "commit.gpgsign", "false")
	p.git("config", "gc.auto", "0") // it would outlive the test
	p.write("a.txt", "a\n")
	p.write(".gitignore", "ignored\n")
	p.commit("first")
	return p
}

func (p *project) git(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	require.NoError(p.t, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

func (p *project) commit(message string) {
	p.git("add", "-A")
	p.git("commit", "-qm", message)
}

func (p *project) write(name, content string) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	require.NoError(p.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(p.t, os.WriteFile(path, []byte(content), 0o644))
}

func (p *project) read(name string) string {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join(p.dir, name))
	require.NoError(p.t, err)
	return string(data)
}

func (p *project) json(name string) map[string]any {
	p.t.Helper()
	v := map[string]any{}
	require.NoError(p.t, json.Unmarshal([]byte(p.read(name)), &v), name)
	return v
}

func (p *project) remove(name string) {
	p.t.Helper()
	require.NoError(p.t, os.RemoveAll(filepath.Join(p.dir, name)))
}

// Nothing of the user's is ever stashed, reset, cleaned or forced away.
func TestGitCommandsAreAClosedList(t *testing.T) {
	allowed := []string{"check-ignore", "check-ref-format", "commit", "commit-tree", "config", "diff", "hash-object", "ls-tree", "merge-base", "read-tree", "rebase", "rev-list", "rev-parse", "status", "tag", "update-index", "var", "worktree"}
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
				if n.Kind == token.STRING && err == nil && slices.Contains([]string{"git.go", "commit.go", "keep.go", "progress.go", "ready.go", "worktree.go", "snapshot.go", "index.go", "release.go", "unmake.go"}, file) {
					assert.NotContains(t, banned, text, file)
				}
			case *ast.CallExpr:
				starts := func(e ast.Expr) bool {
					s, ok := e.(*ast.SelectorExpr)
					return ok && (s.Sel.Name == "Command" || s.Sel.Name == "CommandContext")
				}
				if starts(n.Fun) {
					assert.True(t, file == "git.go" || strings.HasPrefix(file, "verify"), "%s starts a program", file)
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
	r, err := openRepo(t.Context(), none.dir)
	require.NoError(t, err)
	assert.Nil(t, r)

	p := newRepo(t)
	p.write("sub/x/f", "1")
	r, err = openRepo(t.Context(), filepath.Join(p.dir, "sub", "x"))
	require.NoError(t, err)
	assert.Equal(t, &repo{p.dir, "sub/x/"}, r)

	p.write("ignored/f", "1")
	r, err = openRepo(t.Context(), filepath.Join(p.dir, "ignored"))
	require.NoError(t, err)
	assert.Nil(t, r, "git would never see a change there")
}

func TestCommitTakesOnlyWhatItIsGiven(t *testing.T) {
	p := newRepo(t)
	p.write("gone.txt", "x")
	p.write("staged by me.txt", "1")
	p.commit("second")
	p.write("staged by me.txt", "2")
	p.git("add", "staged by me.txt")
	p.write("dirty.txt", "mine")
	p.write("-new [x].txt", "of the turn")
	p.remove("gone.txt")
	r := &repo{p.dir, ""}
	head := p.git("rev-parse", "HEAD")
	sha, err := r.commit(t.Context(), change{there: []string{"-new [x].txt"}, gone: []string{"gone.txt"}}, head, "ripple: turn 1", unnoticed)
	require.NoError(t, err)
	assert.Equal(t, p.git("rev-parse", "HEAD"), sha)
	assert.Equal(t, "A\t-new [x].txt\nD\tgone.txt", p.git("show", "--name-status", "--format=", "HEAD"))
	assert.Equal(t, "M  \"staged by me.txt\"\n?? dirty.txt", p.git("status", "--porcelain"))

	require.NoError(t, r.tag(t.Context(), "ripple/x/turn-1", sha))
	require.NoError(t, r.tag(t.Context(), "ripple/x/turn-1", sha), "again after a crash")
	assert.Equal(t, sha, p.git("rev-parse", "ripple/x/turn-1"))
}

func TestGitErrorsSayWhatGitSaid(t *testing.T) {
	p := newRepo(t)
	r := &repo{p.dir, ""}
	head := p.git("rev-parse", "HEAD")
	_, err := r.commit(t.Context(), change{there: []string{"none"}}, head, "x", unnoticed)
	assert.ErrorContains(t, err, "git update-index failed (exit code 128): ")
	sha, err := r.commit(t.Context(), change{there: []string{"a.txt"}}, head, "nothing changed", unnoticed)
	require.NoError(t, err)
	assert.Equal(t, head, sha)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = r.head(ctx)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestWorktree(t *testing.T) {
	p := newRepo(t)
	r := &repo{p.dir, ""}
	w, err := r.openWorktree(t.Context(), p.dir, "side", plainly)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(p.dir, ".ralph", "side-worktree"), w.dir())
	assert.Equal(t, "main", w.main)
	again, err := r.openWorktree(t.Context(), p.dir, "side", plainly)
	require.NoError(t, err)
	assert.Equal(t, w, again, "reused")

	side := &project{t, w.dir()}
	side.write("b.txt", "side\n")
	side.commit("on the side")
	before := side.git("rev-parse", "HEAD")
	require.NoError(t, w.update(t.Context(), true))
	assert.Equal(t, before, side.git("rev-parse", "HEAD"), "up to date: nothing happens")

	p.write("c.txt", "main\n")
	p.git("add", "c.txt")
	p.git("commit", "-qm", "on main")
	require.NoError(t, w.update(t.Context(), false))
	assert.NoFileExists(t, filepath.Join(w.dir(), "c.txt"), "not while it is dirty")
	require.NoError(t, w.update(t.Context(), true))
	assert.FileExists(t, filepath.Join(w.dir(), "c.txt"))
	assert.FileExists(t, filepath.Join(w.dir(), "b.txt"))
}

func TestWorktreeConflictLeavesEverythingInPlace(t *testing.T) {
	p := newRepo(t)
	r := &repo{p.dir, ""}
	w, err := r.openWorktree(t.Context(), p.dir, "side", plainly)
	require.NoError(t, err)
	side := &project{t, w.dir()}
	side.write("a.txt", "side\n")
	side.commit("on the side")
	work := side.git("rev-parse", "HEAD")
	p.write("a.txt", "main\n")
	p.git("commit", "-qam", "on main")

	for range 2 { // the second time the rebase is under way already
		err = w.update(t.Context(), true)
		require.IsType(t, &conflictError{}, err)
		assert.ErrorContains(t, err, "branch side cannot be rebased on main")
		assert.ErrorContains(t, err, "git rebase --continue")
		assert.Equal(t, work, p.git("rev-parse", "side"), "the branch is where it was")
		w, err = r.openWorktree(t.Context(), p.dir, "side", plainly)
		require.NoError(t, err)
	}
	side.git("rebase", "--abort")
	assert.Equal(t, "side\n", side.read("a.txt"))
}

func TestWorktreeRefuses(t *testing.T) {
	p := newRepo(t)
	r := &repo{p.dir, ""}
	for branch, want := range map[string]string{
		"../out": "is no name for a branch",
		"-x":     "is no name for a branch",
		"a b":    "is no name for a branch",
		"main":   "is checked out in the project itself",
	} {
		_, err := r.openWorktree(t.Context(), p.dir, branch, plainly)
		assert.ErrorContains(t, err, want, branch)
	}
	w, err := r.openWorktree(t.Context(), p.dir, "deep/er", plainly)
	require.NoError(t, err)
	(&project{t, w.dir()}).git("switch", "-qc", "elsewhere")
	_, err = r.openWorktree(t.Context(), p.dir, "deep/er", plainly)
	assert.ErrorContains(t, err, "has elsewhere checked out and not deep/er")
}

func TestCommitWaitsForTheIndex(t *testing.T) {
	p := newRepo(t)
	p.write("a.txt", "b")
	p.write(".git/index.lock", "") // another git at work
	free := time.AfterFunc(200*time.Millisecond, func() { _ = os.Remove(filepath.Join(p.dir, ".git/index.lock")) })
	defer free.Stop()
	_, err := (&repo{p.dir, ""}).commit(t.Context(), change{there: []string{"a.txt"}}, p.git("rev-parse", "HEAD"), "x", unnoticed)
	require.NoError(t, err)
}

func unnoticed(int) error { return nil }

func plainly(_ string, add func() error) error { return add() }

package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// project is a directory of a test, a git repository if newRepo made it.
type project struct {
	t   testing.TB
	dir string
}

func newProject(t testing.TB) *project {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return &project{t, dir}
}

// newRepo returns a project that is a repository with one commit.
func newRepo(t testing.TB) *project {
	p := newProject(t)
	testkit.CopyRepository(t, p.dir)
	return p
}

// copy returns a copy of a repository without links, for a test of several changes of one: newRepo starts git for each. Git
// takes the copied files for changed ones until it has looked at them.
func (p *project) copy(t testing.TB) *project {
	t.Helper()
	c := newProject(t)
	require.NoError(t, os.CopyFS(c.dir, os.DirFS(p.dir)))
	return c
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

func (p *project) remove(name string) {
	p.t.Helper()
	require.NoError(p.t, os.RemoveAll(filepath.Join(p.dir, name)))
}

package loop

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

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

// firstCommit is the repository that newRepo copies.
var firstCommit struct {
	once sync.Once
	dir  string // TestMain removes it
}

// newRepo copies a repository with one commit: six processes of git would make it, and only one refreshes its index.
func newRepo(t testing.TB) *project {
	firstCommit.once.Do(func() { makeFirstCommit(t) })
	p := newProject(t)
	require.NoError(t, os.CopyFS(p.dir, os.DirFS(firstCommit.dir)))
	p.git("update-index", "-q", "--refresh")
	return p
}

func makeFirstCommit(t testing.TB) {
	dir, err := os.MkdirTemp("", "repository-")
	require.NoError(t, err)
	firstCommit.dir = dir
	p := &project{t, dir}
	p.git("init", "-q", "-b", "main", "--template=")
	// As four calls of git would write it. A garbage collection would outlive the test.
	p.write(".git/config", p.read(".git/config")+"[user]\n\tname = t\n\temail = t@example.org\n[commit]\n\tgpgsign = false\n[gc]\n\tauto = 0\n")
	p.write("a.txt", "a\n")
	p.write(".gitignore", "ignored\n")
	p.commit("first")
	p.write(".git/info/exclude", "")
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

package testkit

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// template is the repository that CopyRepository copies: six processes of git would make each. [Main] removes it.
var template struct {
	once sync.Once
	dir  string
	err  error
}

// CopyRepository makes an empty directory a git repository whose branch main has one commit, of a.txt and .gitignore. Its
// settings name a user, and keep git from starting another process after a commit, which could outlive the test.
func CopyRepository(t testing.TB, dir string) {
	t.Helper()
	template.once.Do(func() { template.dir, template.err = makeTemplate() })
	err := template.err
	if err == nil {
		err = os.CopyFS(dir, os.DirFS(template.dir))
	}
	if err == nil {
		err = git(dir, "update-index", "-q", "--refresh") // the index has the times of the copied files
	}
	if err != nil {
		t.Fatal(err)
	}
}

func makeTemplate() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "repository-"); err != nil {
		return "", err
	}
	if err := git(dir, "init", "-q", "-b", "main", "--template="); err != nil {
		return dir, err
	}
	config, err := os.ReadFile(filepath.Join(dir, ".git", "config"))
	if err != nil {
		return dir, err
	}
	for name, text := range map[string]string{
		".git/config": string(config) + "[user]\n\tname = t\n\temail = t@example.org\n[commit]\n\tgpgsign = false\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n",
		"a.txt":       "a\n",
		".gitignore":  "ignored\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			return dir, err
		}
	}
	for _, args := range [][]string{{"add", "-A"}, {"commit", "-qm", "first"}} {
		if err := git(dir, args...); err != nil {
			return dir, err
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, ".git", "info"), 0o755); err != nil {
		return dir, err
	}
	return dir, os.WriteFile(filepath.Join(dir, ".git", "info", "exclude"), nil, 0o644)
}

// git runs a command of git without settings of the user.
func git(dir string, args ...string) error {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %v: %w: %s", args, err, out)
	}
	return nil
}

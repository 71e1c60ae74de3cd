//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/loop/config"
)

// commandTimeout is a time limit for commands that do not hang.
const commandTimeout = time.Minute

// Events of each kind from an earlier run, with an open question.
const hostileEvents = `{"turn":1,"seq":1,"time":"2026-01-01T00:00:00Z","type":"run_started"}
{"turn":1,"seq":2,"time":"2026-01-01T00:00:00Z","type":"stopped","reason":"limit","why":"1 turn taken.","state":{"run":"r","turn":1,"questions":[{"id":"q1","turn":1,"text":"Which?","options":[{"id":"a","name":"A"}]}]}}
`

// hostileKinds replace an expected file by something else; outside is a directory of another user.
var hostileKinds = []struct {
	name string
	put  func(path, outside string) error
}{
	{"link to a file", func(path, outside string) error { return os.Symlink(filepath.Join(outside, "secret"), path) }},
	{"dangling link", func(path, outside string) error { return os.Symlink(filepath.Join(outside, "new"), path) }},
	{"link to a directory", func(path, outside string) error { return os.Symlink(outside, path) }},
	{"hard link", func(path, outside string) error { return os.Link(filepath.Join(outside, "secret"), path) }},
	{"pipe", func(path, _ string) error { return syscall.Mkfifo(path, 0o600) }},
	{"device", func(path, _ string) error { return os.Symlink("/dev/zero", path) }},
	{"8 GB", func(path, _ string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		defer f.Close()
		return f.Truncate(8 << 30)
	}},
}

// hostileProject returns a project with an earlier run, and a directory outside of it.
func hostileProject(t *testing.T) (project, outside string) {
	t.Helper()
	project, outside = t.TempDir(), t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(project, layout.Dir, layout.LogsDir), 0o755))
	for name, text := range map[string]string{layout.PromptFile: "task\n", layout.PlanFile: "- [ ] one\n", layout.EventsFile: hostileEvents} {
		require.NoError(t, os.WriteFile(filepath.Join(project, layout.Dir, name), []byte(text), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("SECRET\n"), 0o600))
	return project, outside
}

// With any kind of file in place of a loop's file, no command changes a file outside the project,
// hangs, or uses up the memory.
func TestHostileFilesOfAProject(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	type hostileFile struct {
		kind string
		name string
		put  func(path, outside string) error
	}
	var all []hostileFile
	for _, kind := range hostileKinds {
		for _, name := range append([]string{"", "../" + layout.RCFile}, append(layout.Written, layout.Records...)...) {
			if name != "" || kind.name != "hard link" { // not possible for a directory
				all = append(all, hostileFile{kind.name, name, kind.put})
			}
		}
	}
	for _, h := range testkit.Sample(t, 60, all) {
		t.Run(h.kind+" "+h.name, func(t *testing.T) {
			project, outside := hostileProject(t)
			path := filepath.Join(project, layout.Dir, h.name)
			require.NoError(t, os.RemoveAll(path))
			require.NoError(t, h.put(path, outside))
			t.Chdir(project)
			for _, args := range []string{
				"status", "replay", "events", "watch", "stop", "answer q1 A", "guide words", "reset session", "reset circuit",
				"init", "run --dry-run --adapter rehearsal",
			} {
				commandOfAHostileProject(t, path, args)
			}
			checkOutside(t, path, outside)
		})
	}
}

// No error message shows the text of a file outside the project to which its settings or adapters
// link.
func TestSettingsOutsideTheProjectAreNotShown(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	for _, name := range []string{config.ProjectFile, layout.RCFile, ".ripple/adapters/x.yaml", ".ripple/adapters", ".ripple"} {
		t.Run(name, func(t *testing.T) {
			project, outside := hostileProject(t)
			path, target := filepath.Join(project, name), filepath.Join(outside, "secret")
			switch name {
			case ".ripple":
				target = filepath.Join(outside, "r")
				require.NoError(t, os.MkdirAll(filepath.Join(target, "adapters"), 0o755))
				require.NoError(t, os.Rename(filepath.Join(outside, "secret"), filepath.Join(target, "adapters", "x.yaml")))
			case ".ripple/adapters":
				target = outside
				require.NoError(t, os.Rename(filepath.Join(outside, "secret"), filepath.Join(outside, "x.yaml")))
			}
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.Symlink(target, path))
			t.Chdir(project)
			said := ""
			for _, args := range []string{"trust --show", "adapter list", "adapter show x", "adapter lint x", "hats", "status", "run --dry-run --adapter rehearsal", "run --dry-run --adapter rehearsal --trust", "doctor x"} {
				said += commandOfAHostileProject(t, path, args)
			}
			assert.Contains(t, said, "symbolic link")
		})
	}
}

// An archive that is unpacked below a home directory that is a repository, as for configuration files, shows no file of the user.
func TestAProjectBelowARepositoryAtHome(t *testing.T) {
	for _, top := range []string{"home", "."} {
		t.Run(top, func(t *testing.T) {
			base := t.TempDir()
			home := filepath.Join(base, "home")
			project := filepath.Join(home, "unpacked", "project")
			git := filepath.Join(base, top, ".git")
			t.Setenv("HOME", home)
			require.NoError(t, os.MkdirAll(filepath.Join(project, ".ripple", "adapters"), 0o755))
			require.NoError(t, os.Mkdir(git, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(git, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(home, ".netrc"), []byte("machine h password: [SECRET\n"), 0o600))
			for name, target := range map[string]string{config.ProjectFile: "../../.netrc", ".ripple/adapters/a.yaml": "../../../../.netrc", "b.yaml": "../../.netrc"} {
				require.NoError(t, os.Symlink(target, filepath.Join(project, name)))
			}
			t.Chdir(project)
			lines := []string{
				"adapter list", "adapter lint b.yaml", "adapter show a", "adapter show ./b.yaml", "trust --show", "hats", "exec a x",
				"run --dry-run --adapter rehearsal --prompt x", "run --adapter rehearsal --prompt x", "run --adapter rehearsal --prompt x --trust",
			}
			if top == "home" { // it takes as long as all others together
				lines = append(lines, "adapter lint --all")
			}
			for _, args := range lines {
				assert.Contains(t, commandOfAHostileProject(t, project, args), "symbolic link", args)
			}
		})
	}
}

// With any kind of file in place of one that git reads, no command waits for git, and those that
// need git report the file.
func TestHostileFilesOfARepository(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	names := []string{
		".git", ".git/HEAD", ".git/config", ".git/index", ".git/packed-refs", ".git/info/exclude", ".git/objects/info/alternates",
		".git/refs/heads/main", ".git/modules/m/HEAD", ".gitignore", ".gitattributes", ".gitmodules",
	}
	type hostileFile struct {
		kind, name string
		put        func(path, outside string) error
	}
	var all []hostileFile
	for _, kind := range hostileKinds {
		for _, name := range names {
			if name != ".git" || kind.name != "link to a directory" { // it is the repository of somebody else then
				all = append(all, hostileFile{kind.name, name, kind.put})
			}
		}
	}
	for _, h := range testkit.Sample(t, 30, all) {
		t.Run(h.kind+" "+h.name, func(t *testing.T) {
			project, outside := hostileProject(t)
			out, err := exec.Command("git", "-C", project, "init", "-q", "-b", "main").CombinedOutput()
			require.NoError(t, err, string(out))
			path := filepath.Join(project, h.name)
			require.NoError(t, os.RemoveAll(path))
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, h.put(path, outside))
			t.Chdir(project)
			for _, args := range []string{"status", "run --dry-run --adapter rehearsal", "init", "hats", "trust --show"} {
				commandOfAHostileProject(t, path, args)
			}
			said := commandOfAHostileProject(t, path, "run --dry-run --adapter rehearsal --worktree w")
			if (h.kind == "pipe" || h.kind == "8 GB") && h.name != ".git" { // git itself expects no file of that kind there
				assert.Contains(t, said, h.name)
				assert.Contains(t, said, "remove it, or get the file from another clone")
			}
			checkOutside(t, path, outside)
		})
	}
}

// Where git would read a pipe or a device because the configuration of the repository names it, no
// command waits for git, and those that need git report the file.
func TestHostileConfigurationOfARepository(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	for _, key := range []string{"include.path", "core.excludesFile", "core.attributesFile", "commit.template", "blame.ignoreRevsFile", "core.hooksPath"} {
		t.Run(key, func(t *testing.T) {
			project, outside := hostileProject(t)
			file := filepath.Join(t.TempDir(), "pipe")
			require.NoError(t, syscall.Mkfifo(file, 0o600))
			out, err := exec.Command("git", "-C", project, "init", "-q", "-b", "main").CombinedOutput()
			require.NoError(t, err, string(out))
			config := filepath.Join(project, ".git", "config")
			text, err := os.ReadFile(config)
			require.NoError(t, err)
			section, name, _ := strings.Cut(key, ".")
			require.NoError(t, os.WriteFile(config, []byte(string(text)+"["+section+"]\n\t"+name+" = "+file+"\n"), 0o600))
			t.Chdir(project)
			for _, args := range []string{"status", "run --dry-run --adapter rehearsal", "init", "hats", "trust --show"} {
				commandOfAHostileProject(t, config, args)
			}
			said := commandOfAHostileProject(t, config, "run --dry-run --adapter rehearsal --worktree w")
			if key != "core.hooksPath" { // ripple sets it for all commands but commits, and git opens files in it only
				assert.Contains(t, said, file+" is a pipe")
			}
			checkOutside(t, config, outside)
		})
	}
}

// commandOfAHostileProject runs a command, which may fail, and returns what it printed.
func commandOfAHostileProject(t *testing.T, path, args string) string {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
	defer cancel()
	var out bytes.Buffer
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a := ui.NewApp(strings.NewReader(""), &out, &out, func(error) {})
		root := newRoot(a)
		root.SetArgs(strings.Fields(args))
		a.End(root.ExecuteContextC(ctx))
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		require.FailNow(t, "it hangs", "ripple %s with %s", args, path)
	}
	runtime.ReadMemStats(&after)
	assert.Lessf(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<30), "ripple %s with %s", args, path)
	if !strings.Contains(t.Name(), "hard_link") { // a hard link only shows what the user may read anyway
		assert.NotContainsf(t, out.String(), "SECRET", "ripple %s with %s", args, path)
	}
	return out.String()
}

// checkOutside checks that the files outside the project are unchanged.
func checkOutside(t *testing.T, path, outside string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(outside, "secret"))
	require.NoError(t, err)
	assert.Equal(t, "SECRET\n", string(text), path)
	list, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Len(t, list, 1, path)
}

//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/loop/layout"
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

// commandOfAHostileProject runs a command, which may fail.
func commandOfAHostileProject(t *testing.T, path, args string) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
	defer cancel()
	var out bytes.Buffer
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		root := newRoot(ui.NewApp(strings.NewReader(""), &out, &out, func(error) {}))
		root.SetArgs(strings.Fields(args))
		_ = root.ExecuteContext(ctx)
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

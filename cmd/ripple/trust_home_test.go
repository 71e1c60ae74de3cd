//go:build unix

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
)

// newHome returns a project with a home directory that has what makes programs run, or ripple write and delete.
func newHome(t *testing.T) (*hostile, string) {
	t.Helper()
	h := newHostile(t, map[string]string{
		"home/.config/ripple/adapters/bash.yaml": named("bash", "sh"),
		"home/.bashrc":                           "EVIL </dev/null\n",
		"home/.gitconfig":                        "[core]\n\tfsmonitor = EVIL\n\thooksPath = hooks\n[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = EVIL\n",
		"hooks/pre-commit":                       "#!/bin/sh\nEVIL </dev/null\n",
		"console.json":                           `{"api":1,"version":"v","name":"project","adapter":"bash","origin":"embedded","state":"dead","seen_dead_ns":-1000000000000000,"cwd":"/","host_pid":1,"socket":"/x/p.sock","pid":2,"cols":80,"rows":24,"started":"2026-11-30T10:19:21Z"}`,
	})
	require.NoError(t, os.Chmod(filepath.Join(h.dir, "hooks/pre-commit"), 0o700))
	state := filepath.Join(h.dir, "home/.local/state/ripple")
	require.NoError(t, os.MkdirAll(state, 0o700))
	require.NoError(t, os.Symlink("../../../../..", filepath.Join(state, "consoles")))
	return h, filepath.Join(h.dir, "home")
}

// files lists what is in the directory of the test, with its contents.
func (h *hostile) files() map[string]string {
	h.t.Helper()
	all := map[string]string{}
	top := filepath.Dir(h.dir)
	require.NoError(h.t, filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			all[path] = d.Type().String()
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	}))
	return all
}

// printing are the commands that work with any home directory, because they use none.
var printing = []string{"help", "version", "exit-codes", "schema", "completion", "trust --show", "trust --list"}

// No command does anything if a variable makes a directory of the project the user's; those that only print work.
func TestNoCommandUsesAHomeInAProject(t *testing.T) {
	t.Parallel()
	h, home := newHome(t)
	h.environ = append(h.environ, "HOME="+home, "XDG_STATE_HOME=")
	before := h.files()
	for _, l := range append(harmlessLines, struct {
		line string
		code int
	}{"__complete console attach ", 0}) {
		out, code := h.harmless(strings.Fields(l.line)...)
		prints := false
		for _, words := range printing {
			prints = prints || strings.HasPrefix(l.line, words)
		}
		switch {
		case prints:
			assert.Equal(t, ui.ExitOK, code, "ripple %s: %s", l.line, out)
		case assert.Equal(t, ui.ExitUsage, code, "ripple %s: %s", l.line, out):
			assert.Contains(t, out, "HOME leads into a project, "+h.dir, l.line)
		}
	}
	out, code := h.harmless("schema", "--install")
	assert.Equal(t, ui.ExitUsage, code, out)
	assert.Equal(t, before, h.files())
}

// It does not matter which variable it is, how it leads into the project, or where the user is.
func TestEveryWayToAHomeInAProject(t *testing.T) {
	t.Parallel()
	h, home := newHome(t)
	top := filepath.Dir(h.dir)
	outside := filepath.Join(top, "outside")
	require.NoError(t, os.MkdirAll(filepath.Join(outside, "gone"), 0o700))
	require.NoError(t, os.Symlink(h.dir, filepath.Join(top, "entry")))
	require.NoError(t, os.Symlink("../../outside", filepath.Join(h.dir, "home", "out")))
	environ, before := h.environ, h.files()
	for _, c := range []struct{ dir, variable, value, line string }{
		{h.dir, "HOME", h.dir, "exec bash true"},
		{h.dir, "HOME", filepath.Join(h.dir, "missing"), "exec bash true"},
		{h.dir, "HOME", "home", "exec bash true"},
		{outside, "HOME", home, "exec bash true"},
		{outside, "HOME", "home", "exec --cwd " + h.dir + " bash true"},
		{outside, "HOME", filepath.Join(top, "entry", "home"), "exec bash true"},
		{h.dir, "HOME", filepath.Join(home, "out"), "exec bash true"},
		{h.dir, "XDG_CONFIG_HOME", filepath.Join(home, ".config"), "exec bash true"},
		{h.dir, "XDG_STATE_HOME", filepath.Join(home, ".local/state"), "console list"},
		{h.dir, "XDG_DATA_HOME", home, "console start bash"},
		{h.dir, "XDG_CACHE_HOME", home, "agent run hi"},
		{h.dir, "XDG_RUNTIME_DIR", home, "console start bash --name x"},
		{h.dir, "GIT_CONFIG_GLOBAL", filepath.Join(home, ".gitconfig"), "run --adapter rehearsal --commit --prompt x --max-turns 1"},
		{h.dir, "GIT_CONFIG_SYSTEM", filepath.Join(home, ".gitconfig"), "run --adapter rehearsal --prompt x --max-turns 1"},
		{h.dir, "GNUPGHOME", home, "run --adapter rehearsal --commit --prompt x --max-turns 1"},
	} {
		h.dir, h.environ = c.dir, append(environ[:len(environ):len(environ)], c.variable+"="+c.value)
		out, code := h.harmless(strings.Fields(c.line)...)
		assert.Equal(t, ui.ExitUsage, code, "%+v: %s", c, out)
		assert.Contains(t, out, c.variable+" leads into a project", "%+v", c)
	}
	assert.Equal(t, before, h.files())
}

// After an approval the home directory is the user's, also after a change, until it is revoked, and for that directory only; --trust and
// RIPPLE_TRUST count for one command.
func TestAHomeInAProjectIsApproved(t *testing.T) {
	t.Parallel()
	h, home := newHome(t)
	h.environ = append(h.environ, "HOME="+home)
	uses := func(args ...string) {
		t.Helper()
		out, _ := h.run(args...)
		assert.FileExists(t, h.ran, out)
		_ = os.Remove(h.ran)
	}
	uses("exec", "bash", "true", "--trust")
	h.harmless("exec", "bash", "true")
	h.environ = append(h.environ, ui.TrustVariable+"=always")
	uses("exec", "bash", "true")
	h.environ[len(h.environ)-1] = ui.TrustVariable + "="

	out, code := h.harmless("trust", "--show")
	assert.Zero(t, code)
	assert.Contains(t, out, home+"\n  HOME: ")
	out, code = h.run("trust")
	_ = os.Remove(h.ran)
	assert.Zero(t, code, out)
	uses("exec", "bash", "true")
	h.dir = filepath.Dir(h.dir)
	uses("exec", "bash", "true")
	h.dir = filepath.Dir(home)
	h.environ = append(h.environ, ui.TrustVariable+"=never")
	out, code = h.harmless("exec", "bash", "true")
	assert.Equal(t, ui.ExitUsage, code, out)
	h.environ[len(h.environ)-1] = ui.TrustVariable + "="
	h.environ = append(h.environ, "HOME="+h.dir)
	out, _ = h.harmless("exec", "bash", "true")
	assert.Contains(t, out, "HOME leads into a project", "another directory of it")
	h.environ = h.environ[:len(h.environ)-1]
	uses("exec", "bash", "true")
	h.run("trust", "--revoke")
	h.harmless("exec", "bash", "true")
}

// An agent in an approved turn may run ripple.
func TestAnAgentHasTheHomeOfItsTurn(t *testing.T) {
	t.Parallel()
	h := newHostile(t, nil)
	home := filepath.Join(h.dir, "home")
	require.NoError(t, os.Mkdir(home, 0o700))
	h.environ = append(h.environ, "HOME="+home)
	path, err := binary()
	require.NoError(t, err)
	program := filepath.Join(filepath.Dir(h.dir), "agent")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\ncase $1 in --version | auth) echo 1; exit;; esac\n"+path+" adapter list >/dev/null && : >"+h.ran+"\n"), 0o700))
	adapter := program + ".yaml"
	require.NoError(t, os.WriteFile(adapter, []byte(strings.ReplaceAll(agentAdapter, "EVIL", program)), 0o600))
	out, _ := h.run("agent", "run", "hi", "--adapter", adapter, "--trust")
	assert.FileExists(t, h.ran, out)
}

// A home directory is not refused because the user begins a loop there.
func TestALoopInAHome(t *testing.T) {
	t.Parallel()
	h := newHostile(t, nil)
	require.NoError(t, os.RemoveAll(filepath.Join(h.dir, ".git")))
	h.environ = append(h.environ, "HOME="+h.dir, "XDG_STATE_HOME=")
	out, code := h.run("init")
	assert.Zero(t, code, out)
	out, code = h.run("status")
	assert.Zero(t, code, out)
	require.NoError(t, os.RemoveAll(filepath.Join(h.dir, ".local")))
	out, code = h.run("status")
	assert.Equal(t, ui.ExitUsage, code, out)
}

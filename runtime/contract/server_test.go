//go:build linux

package contract

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// toyServer creates a file, reports that it is ready, starts a process and waits.
func toyServer() *schema.Server {
	return &schema.Server{
		Prepare: [][]string{{"sh", "-c", "echo made > made"}, {"cp", "made", "{dir}/again"}},
		Command: []string{"sh", "-c", "cat '{dir}/again'; echo is it $HOME; sleep 1000 & echo $! > pid; echo $$ >> pid; echo ready to serve; wait"},
		Ready:   "^ready to",
		Args:    []string{"--at", "{dir}/socket"},
		Env:     map[string]string{"SERVER": "{dir}"},
	}
}

func gone(pid int) bool { return syscall.Kill(pid, 0) == syscall.ESRCH }

// The server has its own directory, which the program under test receives, and both are
// removed.
func TestServer(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s, err := StartServer(t.Context(), toyServer())
	require.NoError(t, err)
	dir := filepath.Join(s.private.Path, "s")
	assert.Equal(t, []string{"--at", dir + "/socket"}, s.Args)
	assert.Equal(t, []string{"SERVER=" + dir}, s.Env)
	text, err := os.ReadFile(filepath.Join(dir, "pid"))
	require.NoError(t, err)
	var pids []int
	for _, word := range strings.Fields(string(text)) {
		pid, err := strconv.Atoi(word)
		require.NoError(t, err)
		assert.False(t, gone(pid))
		pids = append(pids, pid)
	}
	require.Len(t, pids, 2)
	assert.NoError(t, s.End())
	for _, pid := range pids {
		require.Eventually(t, func() bool { return gone(pid) }, testkit.Patience(30*time.Second), time.Millisecond)
	}
	entries, err := os.ReadDir(os.Getenv("TMPDIR"))
	require.NoError(t, err)
	assert.Empty(t, entries)
}

// An error that keeps the server from starting is reported, and leaves no process or file.
func TestServerThatDoesNotStart(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name  string
		spoil func(*schema.Server)
		ctx   context.Context
		want  string
	}{
		{"not installed", func(s *schema.Server) { s.Command[0] = "no-such-server" }, t.Context(), "the server's program is not installed: no-such-server"},
		{"a step that fails", func(s *schema.Server) { s.Prepare[0][2] = "echo one; echo disk full; exit 3" }, t.Context(), "sh: exit status 3: disk full"},
		{"a server that ends", func(s *schema.Server) { s.Command[2] = "echo no such user >&2" }, t.Context(), "sh: it ended before it was ready: no such user"},
		{"a step that hangs", func(s *schema.Server) { s.Prepare[0][2] = "sleep 1000" }, ended, "context canceled"},
		{"never ready", func(s *schema.Server) { s.Prepare, s.Ready = nil, "^at last$" }, ended, `it did not become ready, as no output matched "^at last$"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			spec := toyServer()
			c.spoil(spec)
			_, err := StartServer(c.ctx, spec)
			require.ErrorContains(t, err, c.want)
			entries, err := os.ReadDir(os.Getenv("TMPDIR"))
			require.NoError(t, err)
			assert.Empty(t, entries)
		})
	}
}

// Programs of a server need not be in PATH, and of several versions the last one is used.
func TestServerIsFound(t *testing.T) {
	dir := t.TempDir()
	for _, version := range []string{"14", "15", "9"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, version, "bin"), 0o700))
	}
	for _, version := range []string{"14", "15"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, version, "bin", "toyserver"), []byte("#!/bin/sh\n"), 0o700))
	}
	path, found := find("toyserver", []string{filepath.Join(dir, "*", "bin")})
	assert.True(t, found)
	assert.Equal(t, filepath.Join(dir, "15", "bin", "toyserver"), path)
	_, found = find("toyserver", nil)
	assert.False(t, found)
}

// Every session of the run can reach the server; if it is not installed, the program is tested
// without it, and if it does not start, not at all.
func TestRunWithAServer(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	self, err := os.Executable()
	require.NoError(t, err)
	run := func(spec *schema.Server) (*Report, session.Options) {
		a := declared(named("one", step("get")))
		a.Ready.Needs = &schema.Needs{What: "a toy server", Missing: "x", Server: spec}
		r := newRunner(a, Options{NoDerived: true, Executable: self})
		var given session.Options
		open := toyOpener("")
		r.open = func(ctx context.Context, a *schema.Adapter, o session.Options) (evaluator, error) {
			given = o
			return open(ctx, a, o)
		}
		return r.run(t.Context()), given
	}
	report, given := run(toyServer())
	assert.Equal(t, []string{"probe: passed", "one: passed"}, outcome(report))
	assert.Empty(t, report.Notes)
	require.Len(t, given.Args, 2)
	assert.Contains(t, given.Env, "SERVER="+strings.TrimSuffix(given.Args[1], "/socket"))

	absent := toyServer()
	absent.Command[0] = "no-such-server"
	report, given = run(absent)
	assert.Equal(t, []string{"probe: passed", "one: passed"}, outcome(report))
	assert.Empty(t, given.Args)

	absent.Debian = []string{"toy-server"}
	a := declared(named("one", step("get")))
	a.Ready.Needs = &schema.Needs{What: "a toy server", Missing: "x", Server: absent}
	r := newRunner(a, Options{NoDerived: true, Executable: self})
	r.open = func(context.Context, *schema.Adapter, session.Options) (evaluator, error) {
		return nil, &session.StartError{Adapter: "toy", MissingService: "a toy server"}
	}
	assert.Equal(t, "toy: needs a toy server; the tests start a private server if its program is installed: apt-get install toy-server", r.run(t.Context()).Skipped)

	broken := toyServer()
	broken.Command[2] = "echo no room; exit 1"
	report, _ = run(broken)
	assert.Equal(t, "toy: needs a toy server; a private one did not start: sh: it ended before it was ready: no room", report.Skipped)
	assert.Empty(t, report.Tests)
	assert.True(t, report.OK())
	entries, err := os.ReadDir(os.Getenv("TMPDIR"))
	require.NoError(t, err)
	assert.Empty(t, entries)
}

package console_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/console"
)

// removeSockets removes the directory of sockets, as the system does at a logout.
func removeSockets(t *testing.T) string {
	dir := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "ripple")
	require.NoError(t, os.RemoveAll(dir))
	return dir
}

// A host whose socket was removed makes it again, and its console goes on.
func TestARemovedSocketIsMadeAgain(t *testing.T) {
	place(t)
	exec(t, start(t, console.Spec{Name: "a"}), "x=kept")
	for _, remove := range []func(){
		func() { removeSockets(t) },
		func() { require.NoError(t, os.Remove(filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "ripple", "a.sock"))) },
		func() { require.NoError(t, os.Remove(filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "ripple", "a.lock"))) },
	} {
		remove()
		require.Eventually(t, func() bool {
			c, err := console.Open(os.Getenv, "a")
			require.NoError(t, err)
			defer c.Close()
			if _, err := c.Status(t.Context()); err != nil {
				return false
			}
			found, err := filepath.Glob(filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "ripple", "a.*"))
			return assert.NoError(t, err) && len(found) == 2
		}, testkit.Patience(30*time.Second), 20*time.Millisecond)
		c, err := console.Open(os.Getenv, "a")
		require.NoError(t, err)
		out, _ := exec(t, c, "echo $x")
		assert.Equal(t, "kept\n", out)
	}
	c, err := console.Open(os.Getenv, "a")
	require.NoError(t, err)
	require.NoError(t, c.End(t.Context(), false))
	left, err := os.ReadDir(filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "ripple"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// The directory of a console's results is made again if somebody removes it: clients find the console, which goes on. The output so
// far is lost, and the result of a command that runs meanwhile says so.
func TestRemovedResultsAreMadeAgain(t *testing.T) {
	place(t)
	c := start(t, console.Spec{Name: "a"})
	exec(t, c, "x=kept")
	goOn := filepath.Join(t.TempDir(), "go")
	a, err := c.Exec(t.Context(), console.ExecRequest{Code: "echo first; until test -e " + goOn + "; do sleep 0.01; done; echo cut; echo last", Wait: 100 * time.Millisecond}, nil)
	require.NoError(t, err)
	dir := filepath.Join(os.Getenv("XDG_STATE_HOME"), "ripple", "consoles")
	require.NoError(t, os.RemoveAll(dir))
	require.Eventually(t, func() bool {
		c, err := console.Open(os.Getenv, "a")
		if err != nil {
			return false
		}
		defer c.Close()
		_, err = c.Status(t.Context())
		return err == nil
	}, testkit.Patience(30*time.Second), 20*time.Millisecond)
	require.NoError(t, os.WriteFile(goOn, nil, 0o600))
	c = open(t, "a")
	_, err = c.Wait(t.Context(), console.WaitRequest{Command: a.Command.ID}, nil)
	require.NoError(t, err)
	lines, err := c.Read(console.ReadRequest{Command: a.Command.ID})
	require.NoError(t, err)
	// a line whose beginning may be lost is dropped as a whole
	assert.Equal(t, int64(len("first\ncut\n")), lines.Dropped)
	require.Len(t, lines.Lines, 1)
	assert.Equal(t, "last", lines.Lines[0].Text)
	out, _ := exec(t, c, "echo $x")
	assert.Equal(t, "kept\n", out)
	require.NoError(t, c.End(t.Context(), false))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// Until then it is unresponsive, not dead: its name is not free, and close with kill ends its program.
func TestAHostWithoutItsSocketIsUnresponsive(t *testing.T) {
	place(t)
	c := start(t, console.Spec{Name: "a"})
	s, err := c.Status(t.Context())
	require.NoError(t, err)
	stopHost(t, c) // it cannot make its socket again
	removeSockets(t)
	only := onlyConsole(t)
	assert.Equal(t, console.Unresponsive, only.State)
	assert.Contains(t, only.Notice, "its socket "+s.Socket+" was removed")
	for _, c := range []*console.Client{c, open(t, "a")} {
		_, err = c.Exec(t.Context(), console.ExecRequest{Code: "echo x"}, nil)
		require.ErrorContains(t, err, "its socket "+s.Socket+" was removed")
		assert.True(t, console.IsUnresponsive(err))
		_, err = c.Attach(t.Context(), console.AttachRequest{Cols: 80, Rows: 24})
		assert.True(t, console.IsUnresponsive(err))
		assert.True(t, console.IsUnresponsive(c.End(t.Context(), false)))
	}
	_, _, err = console.Start(t.Context(), []string{os.Args[0]}, os.Getenv, console.Spec{Name: "a", Adapter: "bash"})
	requireFault(t, console.FaultNameInUse, err)

	require.NoError(t, c.End(t.Context(), true))
	requireNoConsole(t)
	requireEnded(t, s.HostPID, s.PID)
}

// A process that a record names is not killed unless it holds the lock of that record.
func TestANamedProcessIsNotKilled(t *testing.T) {
	place(t)
	c := start(t, console.Spec{Name: "a"})
	s, err := c.Status(t.Context())
	require.NoError(t, err)
	host := stopHost(t, c)
	removeSockets(t)
	wrong := s
	wrong.HostPID = s.PID
	console.NoteStatus(t, c, wrong)
	require.ErrorContains(t, open(t, "a").End(t.Context(), true), "is not its host")
	assert.True(t, alive(s.PID))
	assert.True(t, alive(host))
	console.NoteStatus(t, c, s)
}

func open(t *testing.T, name string) *console.Client {
	c, err := console.Open(os.Getenv, name)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// A client that ends a console does not wait for a new one that has taken its name, nor ends it.
func TestEndBesideAnotherConsole(t *testing.T) {
	place(t)
	c := start(t, console.Spec{Name: "a"})
	old, err := c.Status(t.Context())
	require.NoError(t, err)
	require.NoError(t, open(t, "a").End(t.Context(), true))
	start(t, console.Spec{Name: "a"})
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience(10*time.Second))
	defer cancel()
	require.NoError(t, console.AwaitEnd(ctx, c, old))
	_, err = open(t, "a").Status(t.Context())
	require.NoError(t, err)
}

// A host that has ended meanwhile is not reported as one that cannot be found.
func TestEndOfAHostThatHasEnded(t *testing.T) {
	place(t)
	c := start(t, console.Spec{Name: "a"})
	s, err := c.Status(t.Context())
	require.NoError(t, err)
	stopHost(t, c)
	removeSockets(t)
	require.NoError(t, syscall.Kill(s.HostPID, syscall.SIGKILL))
	requireEnded(t, s.HostPID)
	require.NoError(t, c.End(t.Context(), true))
}

package console_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/console"
)

// A wait ends when the program is stopped, and a later one when it has been continued.
func TestAStoppedProgram(t *testing.T) {
	place(t)
	c := start(t, console.Spec{})
	a, err := c.Exec(t.Context(), console.ExecRequest{Code: "kill -STOP $$; echo after", Wait: time.Minute}, nil)
	require.NoError(t, err)
	require.Equal(t, "waiting", a.Why)
	require.Equal(t, console.Stopped, a.Status.State)
	_, err = c.Send(t.Context(), console.SendRequest{Text: "x", Only: true})
	require.ErrorContains(t, err, "the program is stopped; kill -CONT ")
	require.NoError(t, syscall.Kill(a.Status.PID, syscall.SIGCONT))
	var out output
	a, err = c.Wait(t.Context(), console.WaitRequest{Wait: time.Minute}, &out)
	require.NoError(t, err)
	require.Equal(t, "done", a.Why)
	assert.Equal(t, "after\n", string(out))
}

// A job that is suspended returns to its shell: the wait goes to its end.
func TestASuspendedJob(t *testing.T) {
	place(t)
	c := start(t, console.Spec{})
	a, err := c.Exec(t.Context(), console.ExecRequest{Code: "sh -c 'kill -STOP $$'; echo back", Wait: time.Minute}, nil)
	require.NoError(t, err)
	require.Equal(t, "done", a.Why)
	require.Equal(t, console.Idle, a.Status.State)
}

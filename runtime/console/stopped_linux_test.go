package console_test

import (
	"fmt"
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
	require.Equal(t, "waiting", a.Reason)
	require.Equal(t, console.Stopped, a.Status.State)
	_, err = c.Send(t.Context(), console.SendRequest{Text: "x", OnlyIfWaiting: true})
	require.ErrorContains(t, err, fmt.Sprintf("the program is stopped (process %d, bash); to continue it: kill -CONT %[1]d", a.Status.PID))
	_, err = c.Exec(t.Context(), console.ExecRequest{Code: "echo x"}, nil)
	require.ErrorContains(t, err, "the program is stopped (process ")
	require.NoError(t, syscall.Kill(a.Status.PID, syscall.SIGCONT))
	var out output
	a, err = c.Wait(t.Context(), console.WaitRequest{Wait: time.Minute}, &out)
	require.NoError(t, err)
	require.Equal(t, "done", a.Reason)
	assert.Equal(t, "after\n", string(out))
}

// A program that is stopped at its prompt gets no command.
func TestStoppedAtThePrompt(t *testing.T) {
	place(t)
	c := start(t, console.Spec{Name: "a"})
	s, err := c.Status(t.Context())
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(s.PID, syscall.SIGSTOP))
	awaitStatus(t, c, func(s console.Status) bool { return s.State == console.Stopped })
	s, err = c.Status(t.Context())
	require.NoError(t, err)
	assert.Equal(t, &console.StoppedProcess{PID: s.PID, Name: "bash"}, s.Stopped)
	for _, queue := range []bool{false, true} {
		_, err = c.Exec(t.Context(), console.ExecRequest{Code: "echo x", Queue: queue}, nil)
		var fault *console.Fault
		require.ErrorAs(t, err, &fault)
		assert.Equal(t, console.FaultStopped, fault.Code)
		assert.Equal(t, s.Stopped, fault.Status.Stopped)
	}
	_, err = c.Send(t.Context(), console.SendRequest{Text: "x"})
	require.ErrorContains(t, err, "the program is stopped")
	a, err := c.Wait(t.Context(), console.WaitRequest{For: "input", Wait: time.Minute}, nil)
	require.NoError(t, err)
	assert.Equal(t, console.Stopped, a.Status.State)
	require.NoError(t, syscall.Kill(s.PID, syscall.SIGCONT))
	awaitStatus(t, c, func(s console.Status) bool { return s.State == console.Idle })
	out, _ := exec(t, c, "echo y")
	assert.Equal(t, "y\n", out)
	all, err := c.History()
	require.NoError(t, err)
	assert.Len(t, all, 1)
}

// A stopped prompt for a secret gets nothing that a client types.
func TestStoppedAtASecret(t *testing.T) {
	place(t)
	c := start(t, console.Spec{Name: "a"})
	a, err := c.Exec(t.Context(), console.ExecRequest{Code: "read -r -s x; echo got $x", Wait: time.Minute}, nil)
	require.NoError(t, err)
	require.Equal(t, console.WaitingSecret, a.Status.State)
	require.NoError(t, syscall.Kill(a.Status.PID, syscall.SIGSTOP))
	awaitStatus(t, c, func(s console.Status) bool { return s.State == console.Stopped })
	for _, q := range []console.SendRequest{{Text: "hunter2\r"}, {Text: "hunter2\r", OnlyIfWaiting: true}, {Text: "hunter2\r", Secret: true}, {Text: "hunter2\r", Secret: true, OnlyIfWaiting: true}} {
		_, err = c.Send(t.Context(), q)
		require.ErrorContains(t, err, "the program is stopped")
	}
	require.NoError(t, syscall.Kill(a.Status.PID, syscall.SIGCONT))
	awaitStatus(t, c, func(s console.Status) bool { return s.State == console.WaitingSecret })
	_, err = c.Send(t.Context(), console.SendRequest{Text: "mine\r", Secret: true})
	require.NoError(t, err)
	var out output
	_, err = c.Wait(t.Context(), console.WaitRequest{Wait: time.Minute}, &out)
	require.NoError(t, err)
	assert.Equal(t, "got mine\n", string(out))
}

// A job that is suspended returns to its shell: the wait goes to its end.
func TestASuspendedJob(t *testing.T) {
	place(t)
	c := start(t, console.Spec{})
	a, err := c.Exec(t.Context(), console.ExecRequest{Code: "sh -c 'kill -STOP $$'; echo back", Wait: time.Minute}, nil)
	require.NoError(t, err)
	require.Equal(t, "done", a.Reason)
	require.Equal(t, console.Idle, a.Status.State)
}

package session_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/ripple/runtime/session"
)

// The state reports a stopped program, which continues where it was.
func TestStoppedProgramIsReported(t *testing.T) {
	s := open(t, "bash", session.Options{})
	done := make(chan session.Result)
	go func() {
		r, err := s.Eval(deadline(t), "echo before; kill -STOP $$; echo after")
		assert.NoError(t, err)
		done <- r
	}()
	st, err := s.WaitState(deadline(t), func(st session.State) bool { return st.Stopped })
	require.NoError(t, err)
	assert.Equal(t, session.WaitingNo, st.Waiting)
	require.NoError(t, syscall.Kill(st.PID, syscall.SIGCONT))
	assert.Equal(t, "before\nafter\n", (<-done).Output)
	assert.False(t, s.State().Stopped)
}

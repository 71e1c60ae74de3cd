package session_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/session"
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

// A program that polls for several events at its prompt and at its questions is seen to ask even if
// nobody saw it wait at the prompt before: a command that has begun has taken its line.
func TestAFirstCommandThatAsks(t *testing.T) {
	t.Parallel()
	s := open(t, "fish", session.Options{})
	timeout(t, s, "read x; echo is $x", time.Second)
	st, err := s.WaitState(deadline(t), func(st session.State) bool { return st.Waiting == session.WaitingInput })
	require.NoError(t, err)
	assert.True(t, st.Elsewhere)
	require.NoError(t, s.Send(deadline(t), []byte("y\n")))
	r, err := s.Wait(deadline(t))
	require.NoError(t, err)
	assert.Contains(t, r.Output, "is y")
	assert.False(t, s.State().Elsewhere)
}

// A secret that fish reads in its own line editor is recognized by the command's code.
func TestSecretInTheProgramsOwnEditor(t *testing.T) {
	t.Parallel()
	s := open(t, "fish", session.Options{})
	eval(t, s, "function ask; read -s x; end")
	for code, want := range map[string]session.Waiting{
		"read x":                                 session.WaitingInput,
		"read -P '-- ' --shell x":                session.WaitingInput,
		"read -s x":                              session.WaitingSecret,
		"if true\n    read -P 'a; b' -ls x\nend": session.WaitingSecret,
		"read --silent x":                        session.WaitingSecret,
		"ask":                                    session.WaitingSecret,
		"sh -c 'read x'":                         session.WaitingInput,
		"sh -c 'read x; stty -s' # -s":           session.WaitingInput,
	} {
		timeout(t, s, code, time.Millisecond)
		st, err := s.WaitState(deadline(t), func(st session.State) bool { return st.Waiting != session.WaitingNo })
		require.NoError(t, err, code)
		assert.Equal(t, want, st.Waiting, code)
		require.NoError(t, s.Send(deadline(t), []byte("y\r")))
		_, err = s.Wait(deadline(t))
		require.NoError(t, err, code)
	}
}

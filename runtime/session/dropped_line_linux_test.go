package session_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/session"
)

// Without its line editor, zsh handles an interrupt at its prompt only when it has read the next line, which it drops. The
// command runs nevertheless.
func TestCommandAfterAnInterruptAtThePrompt(t *testing.T) {
	s := open(t, "zsh", session.Options{Observer: trace(t)})
	for range 3 {
		s.InterruptAtPrompt()
		assert.Equal(t, "ran\n", eval(t, s, "echo ran").Output)
	}
	assert.Equal(t, "ok\n", eval(t, s, "echo ok").Output)
}

// An interrupt that discards a command before zsh has read it ends the command.
func TestInterruptBeforeZshReadsTheCommand(t *testing.T) {
	s := open(t, "zsh", session.Options{Observer: trace(t)})
	pid := s.State().PID
	require.NoError(t, unix.Kill(pid, unix.SIGSTOP))
	timeout(t, s, "sleep 30", 30*time.Millisecond)
	s.DropInput()
	over := make(chan struct{})
	go func() {
		defer close(over)
		_, err := s.Interrupt(deadline(t))
		assert.NoError(t, err)
	}()
	require.NoError(t, unix.Kill(pid, unix.SIGCONT))
	select {
	case <-over:
	case <-time.After(testkit.Patience(10 * time.Second)):
		require.Fail(t, "the command does not end")
	}
	assert.Equal(t, "ok\n", eval(t, s, "echo ok").Output)
}

// An interrupt that is sent before a shell has read the command does not make the terminal discard the command, for whose end the
// session would wait forever.
func TestSentInterruptBeforeTheCommandIsRead(t *testing.T) {
	for _, shell := range []string{"yash", "zsh", "bash", "dash"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			s := open(t, shell, session.Options{Observer: trace(t)})
			pid := s.State().PID
			require.NoError(t, unix.Kill(pid, unix.SIGSTOP))
			timeout(t, s, "sleep 30", 30*time.Millisecond)
			require.NoError(t, s.Send(deadline(t), []byte("\x03")))
			require.NoError(t, unix.Kill(pid, unix.SIGCONT))
			waits := false
			require.Eventually(t, func() bool {
				if !waits { // the first call is at once: two interrupts within a millisecond can end bash
					waits = true
					return false
				}
				if err := s.Send(deadline(t), []byte("\x03")); err != nil { // as a user does if nothing happens
					assert.ErrorIs(t, err, session.ErrIdle)
					return true
				}
				return false
			}, testkit.Patience(10*time.Second), 300*time.Millisecond, "the command does not end")
			_, err := s.Wait(deadline(t))
			require.NoError(t, err)
			assert.Equal(t, "ok\n", eval(t, s, "echo ok").Output)
		})
	}
}

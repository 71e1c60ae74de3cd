package session_test

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
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
	st, err := s.WaitState(deadline(t), isStopped)
	require.NoError(t, err)
	assert.Equal(t, session.WaitingNone, st.Waiting)
	assert.Equal(t, session.Process{PID: st.PID, Name: "bash"}, *st.Stopped)
	require.NoError(t, syscall.Kill(st.PID, syscall.SIGCONT))
	assert.Equal(t, "before\nafter\n", (<-done).Output)
	assert.Nil(t, s.State().Stopped)
}

func isStopped(st session.State) bool { return st.Stopped != nil }

// A stopped child for which the program waits is the one to continue.
func TestStoppedChildIsReported(t *testing.T) {
	s := open(t, "python", session.Options{})
	timeout(t, s, `import subprocess; subprocess.run(['sh', '-c', r'sh -c "kill -STOP \$\$; exit"; true']).returncode`, time.Millisecond)
	st, err := s.WaitState(deadline(t), isStopped)
	require.NoError(t, err)
	assert.Equal(t, "sh", st.Stopped.Name)
	assert.NotEqual(t, st.PID, st.Stopped.PID)
	_, err = s.Eval(deadline(t), "1")
	require.ErrorIs(t, err, session.ErrBusy)
	require.NoError(t, syscall.Kill(st.Stopped.PID, syscall.SIGCONT))
	r, err := s.Wait(deadline(t))
	require.NoError(t, err)
	assert.Equal(t, "0\n", r.Output)
}

// A stopped child does not stop a program that does something else.
func TestStoppedChildInTheBackground(t *testing.T) {
	s := open(t, "python", session.Options{})
	eval(t, s, "import subprocess, os, signal; p = subprocess.Popen(['sleep', '60']); _ = os.kill(p.pid, signal.SIGSTOP); _ = os.waitpid(p.pid, os.WUNTRACED)")
	timeout(t, s, "input('name? ')", time.Millisecond)
	st, err := s.WaitState(deadline(t), func(st session.State) bool { return st.Waiting == session.WaitingInput })
	require.NoError(t, err)
	assert.Nil(t, st.Stopped)
	require.NoError(t, s.Send(deadline(t), []byte("x\n")))
	_, err = s.Wait(deadline(t))
	require.NoError(t, err)
	eval(t, s, "p.kill()")
}

// A program that is stopped at its prompt is reported, too.
func TestStoppedAtItsPrompt(t *testing.T) {
	s := open(t, "bash", session.Options{})
	pid := s.State().PID
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	st, err := s.WaitState(deadline(t), isStopped)
	require.NoError(t, err)
	assert.Equal(t, session.PhaseReady, st.Phase)
	assert.Equal(t, pid, st.Stopped.PID)
	require.NoError(t, syscall.Kill(pid, syscall.SIGCONT))
	_, err = s.WaitState(deadline(t), func(st session.State) bool { return st.Stopped == nil })
	require.NoError(t, err)
	assert.Equal(t, "a\n", eval(t, s, "echo a").Output)
}

// A user can leave a stopped program, whose line is removed when it continues.
func TestDetachFromAStoppedProgram(t *testing.T) {
	t.Parallel()
	p := atTerminal(t, "fish", session.Options{})
	pid := p.State().PID
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	p.is(isStopped)
	p.types("x")
	detached := make(chan struct{})
	go func() {
		defer close(detached)
		p.Detach(1)
	}()
	select {
	case <-detached:
	case <-time.After(testkit.Patience(5 * time.Second)):
		t.Error("Detach still waits")
	}
	require.NoError(t, syscall.Kill(pid, syscall.SIGCONT))
	p.is(ready)
	assert.Equal(t, "a\n", eval(t, p.Session, "echo a").Output)
}

// A stopped prompt for a secret drops what a user types, even if the program has
// switched the echo on before it stopped, as sudo does.
func TestStoppedAtASecret(t *testing.T) {
	s := open(t, "bash", session.Options{})
	timeout(t, s, "read -r -s x; echo got $x", time.Millisecond)
	st, err := s.WaitState(deadline(t), func(st session.State) bool { return st.Waiting == session.WaitingSecret })
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(st.PID, syscall.SIGSTOP))
	st, err = s.WaitState(deadline(t), isStopped)
	require.NoError(t, err)
	assert.Equal(t, session.WaitingSecret, st.Waiting)
	require.NoError(t, s.Type(1, []byte("hunter1\r")))
	assert.Empty(t, s.State().Held)
	stty := func(echo string) {
		tty, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/0", st.PID))
		require.NoError(t, err)
		require.NoError(t, exec.CommandContext(t.Context(), "stty", "-F", tty, echo).Run())
	}
	stty("echo")
	assert.Equal(t, session.WaitingSecret, s.State().Waiting)
	require.NoError(t, s.Type(1, []byte("hunter2\r")))
	assert.Empty(t, s.State().Held)
	stty("-echo")
	require.NoError(t, syscall.Kill(st.PID, syscall.SIGCONT))
	_, err = s.WaitState(deadline(t), func(st session.State) bool { return st.Stopped == nil && st.Waiting == session.WaitingSecret })
	require.NoError(t, err)
	require.NoError(t, s.Type(1, []byte("mine\r")))
	r, err := s.Wait(deadline(t))
	require.NoError(t, err)
	assert.Equal(t, "got mine\n", r.Output)
}

// A program that polls for several events at its prompt and at its questions is seen to ask even if
// nobody saw it wait at the prompt before: a command that has begun has taken its line.
func TestAFirstCommandThatAsks(t *testing.T) {
	t.Parallel()
	s := open(t, "fish", session.Options{})
	timeout(t, s, "read x; echo is $x", time.Second)
	st, err := s.WaitState(deadline(t), func(st session.State) bool { return st.Waiting == session.WaitingInput })
	require.NoError(t, err)
	assert.True(t, st.WaitsElsewhere)
	require.NoError(t, s.Send(deadline(t), []byte("y\n")))
	r, err := s.Wait(deadline(t))
	require.NoError(t, err)
	assert.Contains(t, r.Output, "is y")
	assert.False(t, s.State().WaitsElsewhere)
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
		st, err := s.WaitState(deadline(t), func(st session.State) bool { return st.Waiting != session.WaitingNone })
		require.NoError(t, err, code)
		assert.Equal(t, want, st.Waiting, code)
		require.NoError(t, s.Send(deadline(t), []byte("y\r")))
		_, err = s.Wait(deadline(t))
		require.NoError(t, err, code)
	}
}

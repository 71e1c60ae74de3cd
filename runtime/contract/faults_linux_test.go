package contract

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/dlclark/regexp2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// faulty runs one derived test on toys that spoil modifies.
func faulty(t *testing.T, test string, spoil func(*toy)) TestResult {
	t.Helper()
	return faultyWithin(t, 0, test, spoil)
}

func faultyWithin(t *testing.T, limit time.Duration, test string, spoil func(*toy)) TestResult {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	r := newRunner(toyAdapter(), Options{Filter: exactly(test), Executable: self, Timeout: limit})
	open := toyOpener("")
	r.open = func(ctx context.Context, a *schema.Adapter, o session.Options) (evaluator, error) {
		ev, err := open(ctx, a, o)
		spoil(ev.(*toy))
		return ev, err
	}
	report := r.run(t.Context())
	require.Len(t, report.Tests, 1)
	return report.Tests[0]
}

func TestLeaksAreFound(t *testing.T) {
	t.Run("nothing", func(t *testing.T) {
		assert.Equal(t, Passed, faulty(t, "starts and stops leak nothing", func(*toy) {}).Status)
	})
	t.Run("nothing, and patterns are matched", func(t *testing.T) {
		re, err := schema.CompilePattern("x+y")
		require.NoError(t, err)
		regexp2.StopTimeoutClock()
		var starts atomic.Int32
		assert.Equal(t, Passed, faulty(t, "starts and stops leak nothing", func(*toy) {
			if starts.Add(1) > 1 { // the first one creates what is created once
				_, err := re.MatchString("xxx")
				assert.NoError(t, err)
			}
		}).Status)
	})
	t.Run("descriptors", func(t *testing.T) {
		result := faulty(t, "starts and stops leak nothing", func(*toy) {
			f, err := os.Open(os.DevNull)
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, f.Close()) })
		})
		require.NotNil(t, result.Failure)
		assert.Regexp(t, `leaked: file descriptors \d+ → \d+`, result.Failure.Message)
	})
	t.Run("goroutines", func(t *testing.T) {
		result := faulty(t, "starts and stops leak nothing", func(*toy) { go func() { <-t.Context().Done() }() })
		require.NotNil(t, result.Failure)
		assert.Regexp(t, `leaked: .*goroutines \d+ → \d+`, result.Failure.Message)
	})
}

func TestLeftProcessIsFound(t *testing.T) {
	result := faulty(t, "starts and stops leak nothing", func(y *toy) { y.state.PID = aProcess(t) })
	require.NotNil(t, result.Failure)
	assert.Regexp(t, `processes are left after stop \d+: \d+ \(cat, state \w\)`, result.Failure.Message)
	result = faulty(t, "close leaves nothing behind", func(y *toy) { y.state.PID = aProcess(t) })
	require.NotNil(t, result.Failure)
	assert.Regexp(t, `processes are left after close: \d+ \(cat, state \w\)`, result.Failure.Message)
}

// aProcess starts a program in its own session that lives until the test ends.
func aProcess(t *testing.T) (pid int) {
	cmd := exec.Command("cat")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		assert.NoError(t, in.Close())
		_ = cmd.Wait() // a test may have killed it
	})
	return cmd.Process.Pid
}

func TestSessionThatMissesEndIsFound(t *testing.T) {
	result := faultyWithin(t, 300*time.Millisecond, "killed program", func(y *toy) { y.state.PID = aProcess(t) })
	require.NotNil(t, result.Failure)
	assert.Contains(t, result.Failure.Message, "the program was killed: want a session.ExitError, got timed out")
	assert.Equal(t, "kill in mid-work", result.Failure.Step)
}

func TestLeftFileIsFound(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	result := faulty(t, "close leaves nothing behind", func(*toy) {
		require.NoError(t, os.Mkdir(fmt.Sprintf("%s/ripple-%d-x", temp, os.Getpid()), 0o700))
	})
	require.NotNil(t, result.Failure)
	assert.Contains(t, result.Failure.Message, fmt.Sprintf("a file is left after close: %s/ripple-%d-x", temp, os.Getpid()))
}

func TestDiedTyped(t *testing.T) {
	assert.NoError(t, diedTyped(&session.ExitError{Code: -1, Signal: "killed"}))
	assert.ErrorContains(t, diedTyped(nil), "want a session.ExitError, got <nil>")
	assert.ErrorContains(t, diedTyped(errors.New("EOF")), "want a session.ExitError, got EOF")
	assert.ErrorContains(t, diedTyped(&session.ExitError{Code: 0}), "killed by a signal, but the error says")
}

// Slow programs get fewer starts, within a bounded time.
func TestAffordable(t *testing.T) {
	for one, want := range map[time.Duration]int{
		0:                     50,
		10 * time.Millisecond: 50,
		time.Second:           20,
		4 * time.Second:       5,
		time.Minute:           4,
	} {
		assert.Equal(t, want, affordable(one), one.String())
	}
}

package session_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/session"
	"example.org/ripple/runtime/terminal"
)

// programs are the processes of all programs that a session has started.
type programs struct {
	mu   sync.Mutex
	pids []int
}

func (p *programs) started(term *terminal.Terminal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pids = append(p.pids, term.PID())
}

// alive returns those that have not ended.
func (p *programs) alive() (alive []int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, pid := range p.pids {
		if _, err := os.Stat(fmt.Sprintf("/proc/%d/exe", pid)); err == nil {
			alive = append(alive, pid)
		}
	}
	return alive
}

// Restarts at once leave one program, which Close ends.
func TestRestartsAtOnce(t *testing.T) {
	t.Parallel()
	var all programs
	s := open(t, "bash", session.Options{OnTerminal: all.started})
	var restarts sync.WaitGroup
	for range 3 {
		restarts.Go(func() { assert.NoError(t, s.Restart(deadline(t))) })
	}
	restarts.Wait()
	assert.Equal(t, []int{s.State().PID}, all.alive())
	assert.Equal(t, "ok\n", eval(t, s, "echo ok").Output)
	require.NoError(t, s.Close(deadline(t)))
	assert.Empty(t, all.alive())
}

// Close ends a restart that would never end, of Restart or of Eval.
func TestCloseEndsARestart(t *testing.T) {
	t.Parallel()
	for name, restart := range map[string]func(*testing.T, *session.Session) error{
		"by Restart": func(_ *testing.T, s *session.Session) error { return s.Restart(context.Background()) },
		"by Eval": func(t *testing.T, s *session.Session) error {
			_, err := s.Eval(deadline(t), "kill -9 $$")
			require.ErrorIs(t, err, session.ErrExited)
			_, err = s.Eval(context.Background(), "true")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(home, ".bashrc"), []byte("[ -e ~/again ] && : >~/hangs && sleep 55\n"), 0o600))
			var all programs
			s := open(t, "bash", session.Options{Env: []string{"HOME=" + home}, Restart: true, OnTerminal: all.started})
			require.NoError(t, os.WriteFile(filepath.Join(home, "again"), nil, 0o600))
			restarted := make(chan error, 1)
			go func() { restarted <- restart(t, s) }()
			hangs := func() bool { return fileExists(filepath.Join(home, "hangs")) }
			require.Eventually(t, hangs, testkit.Patience(20*time.Second), time.Millisecond)
			var closes sync.WaitGroup
			for range 2 {
				closes.Go(func() {
					assert.NoError(t, s.Close(deadline(t)))
					assert.Empty(t, all.alive())
				})
			}
			closes.Wait()
			assert.ErrorIs(t, <-restarted, session.ErrClosed)
		})
	}
}

// No program outlives Close, whatever else happens at the same time.
func TestRestartsBesideEvalsAndClose(t *testing.T) {
	t.Parallel()
	for range testkit.Times(t, 10, 200) {
		var all programs
		s := open(t, "bash", session.Options{Restart: true, OnTerminal: all.started})
		var calls sync.WaitGroup
		for range 2 {
			calls.Go(func() { _ = s.Restart(deadline(t)) })
			calls.Go(func() { _, _ = s.Eval(deadline(t), "kill -9 $$") })
			calls.Go(func() { _, _ = s.Eval(deadline(t), "true") })
		}
		calls.Go(func() {
			_, _ = s.Eval(deadline(t), "true")
			assert.NoError(t, s.Close(deadline(t)))
			assert.Empty(t, all.alive())
		})
		calls.Wait()
		assert.Empty(t, all.alive())
	}
}

// After Close each method with an error returns ErrClosed, also if a command was running.
func TestMethodsOfAClosedSession(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"", "sleep 55"} {
		s := open(t, "bash", session.Options{})
		if code != "" {
			timeout(t, s, code, 100*time.Millisecond)
		}
		require.NoError(t, s.Close(deadline(t)))
		for name, call := range map[string]func() error{
			"Eval": func() error { _, err := s.Eval(deadline(t), "true"); return err },
			"Submit": func() error {
				wait, err := s.Submit(deadline(t), "true")
				require.NoError(t, err)
				_, err = wait(deadline(t))
				return err
			},
			"Wait":      func() error { _, err := s.Wait(deadline(t)); return err },
			"Interrupt": func() error { _, err := s.Interrupt(deadline(t)); return err },
			"Send":      func() error { return s.Send(deadline(t), []byte("x")) },
			"WaitState": func() error {
				_, err := s.WaitState(deadline(t), func(session.State) bool { return true })
				return err
			},
			"Resize":    func() error { return s.Resize(10, 10) },
			"Signal":    func() error { return s.Signal(os.Interrupt) },
			"Type":      func() error { return s.Type(1, []byte("x")) },
			"TypeDraft": func() error { return s.TypeDraft(1, []byte("x")) },
			"Enter":     func() error { return s.Enter(1, []byte("x\n")) },
			"Restart":   func() error { return s.Restart(deadline(t)) },
		} {
			assert.ErrorIs(t, call(), session.ErrClosed, "%s after %q", name, code)
		}
		assert.Equal(t, session.PhaseClosed, s.State().Phase)
		assert.NoError(t, s.Close(deadline(t)))
	}
}

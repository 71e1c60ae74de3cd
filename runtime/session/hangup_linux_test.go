package session_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/session"
)

// The same if something else hangs up on the program. A command that ends the program by itself has its exit code.
func TestACommandDoesNotSucceedWhenTheProgramIsHungUp(t *testing.T) {
	t.Parallel()
	const hangUp = "kill -HUP PID; sleep 55"
	for _, tt := range testkit.FewerOf(t, 4, []struct {
		name, code string
		exit       int
	}{
		{"bash", hangUp, 129},
		{"zsh", hangUp, 1},
		{"fish", hangUp, 129},
		{"dash", hangUp, 129},
		{"mksh", hangUp, 129},
		{"python", "import os, time; os.kill(os.getpid(), 1); time.sleep(55)", 129},
		{"fish", "exit 0", 0},
		{"fish", "false; exit 0", 0},
		{"fish", "exit 3", 3},
		{"fish", "exec true", 0},
		{"fish", "true; exit", 0},
		{"bash", "exit 0", 0},
		{"zsh", "exit 0", 0},
	}) {
		t.Run(tt.name+" "+tt.code, func(t *testing.T) {
			t.Parallel()
			s := open(t, tt.name, session.Options{})
			r, err := s.Eval(deadline(t), strings.ReplaceAll(tt.code, "PID", strconv.Itoa(s.State().PID)))
			exit, exited := errors.AsType[*session.ExitError](err)
			require.True(t, exited, "%v", err)
			assert.Equal(t, tt.exit, exit.Code)
			assert.Equal(t, &tt.exit, r.ExitCode)
			assert.Equal(t, tt.exit != 0, r.Failed)
		})
	}
}

// A command that runs when its session is closed has not succeeded, whatever exit code the program has.
func TestACommandDoesNotSucceedWhenTheSessionIsClosed(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bash", "zsh", "fish", "python"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			running := filepath.Join(t.TempDir(), "running")
			code := "touch " + running + "; sleep 55"
			if name == "python" {
				code = "import time; open('" + running + "', 'w'); time.sleep(55)"
			}
			s := open(t, name, session.Options{})
			type end struct {
				r   session.Result
				err error
			}
			ended := make(chan end, 1)
			go func() {
				r, err := s.Eval(context.Background(), code)
				ended <- end{r, err}
			}()
			require.Eventually(t, func() bool { _, err := os.Stat(running); return err == nil }, testkit.Patience(20*time.Second), time.Millisecond)
			now, cancel := context.WithCancel(t.Context())
			cancel()
			require.NoError(t, s.Close(now))
			e := <-ended
			if e.err != nil { // else the shell has reported the end of the command before its own
				exit, exited := errors.AsType[*session.ExitError](e.err)
				require.True(t, exited, "%v", e.err)
				assert.NotZero(t, exit.Code)
			}
			assert.NotEqual(t, new(0), e.r.ExitCode)
			assert.True(t, e.r.Failed)
		})
	}
}

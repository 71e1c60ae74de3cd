package session_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/session"
)

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

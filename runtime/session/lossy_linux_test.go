package session_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/session"
)

// An interrupt that the program loses is repeated if its adapter says that the program may do so, and only then.
func TestALostInterruptIsRepeated(t *testing.T) {
	for name, lossy := range map[string]bool{"lossy": true, "usual": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := *adapter(t, "bash")
			a.Signals.InterruptLossy = lossy
			s, err := session.Open(deadline(t), &a, session.Options{})
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, s.Close(context.Background())) })
			dir := t.TempDir()
			began, lost := filepath.Join(dir, "began"), filepath.Join(dir, "lost")
			code := fmt.Sprintf(`sh -c 'trap "if test -e %[2]s; then exit 3; fi; : >%[2]s" INT; : >%[1]s; while :; do sleep 0.01; done'`, began, lost)
			short, end := context.WithTimeout(deadline(t), 300*time.Millisecond) // an early interrupt is repeated anyway
			defer end()
			_, err = s.Eval(short, code)
			require.ErrorIs(t, err, session.ErrTimeout)
			exists := func() bool { _, err := os.Stat(began); return err == nil }
			require.Eventually(t, exists, testkit.Patience(20*time.Second), time.Millisecond)
			ctx, cancel := context.WithTimeout(deadline(t), testkit.Patience(2*time.Second))
			defer cancel()
			r, err := s.Interrupt(ctx)
			assert.FileExists(t, lost)
			if !lossy {
				require.ErrorIs(t, err, session.ErrTimeout)
				r, err = s.Interrupt(deadline(t))
			}
			require.NoError(t, err)
			require.NotNil(t, r.ExitCode)
			assert.Contains(t, []int{3, 130}, *r.ExitCode)
		})
	}
}

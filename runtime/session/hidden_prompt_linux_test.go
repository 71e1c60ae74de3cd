package session_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/session"
)

// A shell whose prompt goes elsewhere does not ask a question at it, not even for a moment; a command there that reads does.
func TestAHiddenPromptIsNotAQuestion(t *testing.T) {
	for name, redirect := range map[string]string{"dash": "exec 2>/dev/null", "mksh": "exec 2>/dev/null", "busybox": "exec 1>&-"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, name, session.Options{Observer: trace(t)})
			for n := range 8 {
				code := "true"
				if n == 0 {
					code = redirect
				}
				wait, err := s.Submit(deadline(t), code)
				require.NoError(t, err)
				st, err := s.WaitState(deadline(t), func(st session.State) bool {
					return st.Phase == session.PhaseReady || st.Waiting != session.WaitingNone
				})
				require.NoError(t, err)
				assert.Equal(t, session.WaitingNone, st.Waiting, n)
				r, err := wait(deadline(t))
				require.NoError(t, err)
				assert.True(t, r.PromptElsewhere)
			}
			if name == "busybox" { // the kernel does not show that its read waits
				return
			}
			wait, err := s.Submit(deadline(t), "read answer")
			require.NoError(t, err)
			_, err = s.WaitState(deadline(t), func(st session.State) bool { return st.Waiting == session.WaitingInput })
			require.NoError(t, err)
			require.NoError(t, s.Send(deadline(t), []byte("text\n")))
			_, err = wait(deadline(t))
			assert.NoError(t, err)
		})
	}
}

//go:build linux

package session_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/session"
)

// The interrupt key that is sent to a running command ends it although the terminal then discards the line that prints the marker.
func TestSentInterruptEndsACommandWithoutPrompt(t *testing.T) {
	for _, tt := range []struct{ adapter, code, next string }{{"bc", "while (1) {}", "6*7"}, {"dc", "[lax]salax", "6 7*p"}} {
		t.Run(tt.adapter, func(t *testing.T) {
			t.Parallel()
			s := open(t, tt.adapter, session.Options{Observer: trace(t)})
			for range 3 {
				wait, err := s.Submit(deadline(t), tt.code)
				require.NoError(t, err)
				require.NoError(t, s.Send(deadline(t), []byte("\x03")))
				_, err = wait(deadline(t))
				require.NoError(t, err)
				assert.Equal(t, "42\n", eval(t, s, tt.next).Output)
			}
		})
	}
}

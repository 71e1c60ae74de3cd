package console_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/console"
)

// Once an attachment is closed, its user's unfinished line is gone: commands are not refused.
func TestCloseDiscardsTheUsersLine(t *testing.T) {
	place(t)
	c := start(t, console.Spec{Name: "work", Adapter: "bash"})
	exec(t, c, "true")
	for range 50 {
		a, err := c.Attach(t.Context(), console.AttachRequest{Cols: 80, Rows: 24})
		require.NoError(t, err)
		require.NoError(t, a.Type([]byte("x")))
		awaitStatus(t, c, func(s console.Status) bool { return s.State == console.Typing })
		a.Close()
		s, err := c.Status(t.Context())
		require.NoError(t, err)
		assert.NotEqual(t, console.Typing, s.State)
	}
}

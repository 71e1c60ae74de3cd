//go:build unix

package console_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/console"
)

func TestAConsoleDoesNotShowItself(t *testing.T) {
	place(t)
	inside := func(name string) func(string) string {
		return func(key string) string {
			if key == "RIPPLE_CONSOLE" {
				return name
			}
			return os.Getenv(key)
		}
	}
	show := func(c *console.Client, in string) *console.Attachment {
		require.NoError(t, console.CheckNesting(t.Context(), inside(in), c.Name))
		a, err := c.Attach(t.Context(), console.AttachRequest{Cols: 80, Rows: 24, Enclosing: in})
		require.NoError(t, err)
		return a
	}
	a, b, c := start(t, console.Spec{Name: "a"}), start(t, console.Spec{Name: "b"}), start(t, console.Spec{Name: "c"})
	out, _ := exec(t, a, "echo $RIPPLE_CONSOLE")
	require.Equal(t, "a\n", out)
	f := requireFault(t, console.FaultBadRequest, console.CheckNesting(t.Context(), inside("a"), "a"))
	assert.Equal(t, "a: this terminal is the console's own: it would show itself", f.Message)

	defer show(b, "a").Close()
	last := show(c, "b")
	f = requireFault(t, console.FaultBadRequest, console.CheckNesting(t.Context(), inside("c"), "a"))
	assert.Equal(t, "a: this terminal is that of the console c, which a shows: it would show itself", f.Message)
	requireFault(t, console.FaultBadRequest, console.CheckNesting(t.Context(), inside("c"), "c"))
	require.NoError(t, console.CheckNesting(t.Context(), inside("a"), "c"), "attaching the same console twice is not a loop")

	last.Close()
	awaitStatus(t, c, func(s console.Status) bool { return len(s.ShownIn) == 0 })
	require.NoError(t, console.CheckNesting(t.Context(), inside("c"), "a"))
}

// awaitStatus waits until the status of a console satisfies want.
func awaitStatus(t *testing.T, c *console.Client, want func(console.Status) bool) {
	t.Helper()
	require.Eventually(t, func() bool {
		s, err := c.Status(t.Context())
		if console.IsUnresponsive(err) { // the machine is busy
			return false
		}
		require.NoError(t, err)
		return want(s)
	}, testkit.Patience(30*time.Second), time.Millisecond)
}

//go:build linux

package console_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/console"
)

// Text for a command that does not read is not typed, because it would become the next command.
// Signals are.
func TestTextIsTypedOnlyIfRead(t *testing.T) {
	place(t)
	dir := t.TempDir()
	c := start(t, console.Spec{Name: "a", Dir: dir})
	exec(t, c, "mkfifo fifo")
	first := queued(t, t.Context(), c, console.ExecRequest{Code: "cat fifo"}, 0)
	awaitStatus(t, c, func(s console.Status) bool { return s.Command.ID == 2 })
	_, err := c.Send(t.Context(), console.SendRequest{Text: "x", OnlyIfWaiting: true})
	requireFault(t, console.FaultNotWaiting, err)
	_, err = c.Send(t.Context(), console.SendRequest{Text: "x", OnlyIfWaiting: true, Secret: true})
	requireFault(t, console.FaultNotWaiting, err)
	_, err = c.Send(t.Context(), console.SendRequest{Keys: []string{"C-c"}, OnlyIfWaiting: true})
	require.NoError(t, err)
	require.NoError(t, (<-first).err)
	out, _ := exec(t, c, "echo ok")
	assert.Equal(t, "ok\n", out)
}

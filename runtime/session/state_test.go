//go:build linux

package session

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ripple/runtime/internal/prompt"
	"ripple/runtime/internal/render"
	"ripple/runtime/pty"
)

// A program that still waits at its prompt because our line has not reached it is
// not one that waits for input, however long that takes on a busy machine.
func TestALineThatWasNotEchoedIsOnItsWay(t *testing.T) {
	tty, err := pty.Start(pty.Command{Path: "/bin/cat", Size: pty.Size{Cols: 80, Rows: 24}, Echo: true, Canonical: true})
	require.NoError(t, err)
	defer tty.Close()
	for deadline := time.Now().Add(10 * time.Second); tty.Readiness().State != pty.Waiting; {
		require.True(t, time.Now().Before(deadline))
	}
	long := time.Now().Add(-time.Hour)
	d := &driver{tty: tty, patterns: &prompt.Patterns{}, cmd: &command{sentAt: long, rend: render.New(render.Options{}, func([]byte) {}), kept: newCapture(0, "")}}
	d.plan.TTY.Echo = true
	assert.Equal(t, WaitingNo, d.waits())
	assert.False(t, d.taken(), "an interrupt would meet the prompt")
	d.received++ // its echo
	assert.Equal(t, WaitingInput, d.waits())
	assert.True(t, d.taken())
}

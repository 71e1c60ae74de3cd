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
func TestALineThatNothingAnswersIsOnItsWay(t *testing.T) {
	for _, echo := range []bool{true, false} {
		tty, err := pty.Start(pty.Command{Path: "/bin/cat", Size: pty.Size{Cols: 80, Rows: 24}, Echo: echo, Canonical: true})
		require.NoError(t, err)
		defer tty.Close()
		for deadline := time.Now().Add(10 * time.Second); tty.Readiness().State != pty.Waiting; {
			require.True(t, time.Now().Before(deadline))
		}
		d := &driver{tty: tty, patterns: &prompt.Patterns{}, cmd: &command{rend: render.New(render.Options{}, func([]byte) {}), kept: newCapture(0, "")}}
		d.plan.TTY.Echo = echo
		sent := func(ago time.Duration) { d.cmd.sentAt, d.cmd.sentTo = time.Now().Add(-ago), d.received }
		sent(inFlight)
		waits, taken := d.waits(), d.taken()
		if echo || time.Since(d.cmd.sentAt) < silentFlight { // else this machine has stalled
			assert.Equal(t, WaitingNo, waits)
			assert.False(t, taken, "an interrupt would meet the prompt")
		}
		d.received++ // the echo, or what the program says
		assert.Equal(t, WaitingInput, d.waits())
		assert.True(t, d.taken())
		sent(time.Hour)
		assert.Equal(t, !echo, d.taken(), "without an echo the time has to do")
	}
}

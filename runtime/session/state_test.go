//go:build linux

package session

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ripple/runtime/internal/render"
	"ripple/runtime/pty"
	"ripple/runtime/session/internal/machine"
)

// A program that still waits at its prompt because our line has not reached it is
// not one that waits for input, however long that takes on a busy machine.
func TestALineThatNothingAnswersIsOnItsWay(t *testing.T) {
	for _, c := range []struct {
		echo bool
		ago  time.Duration // at which it still is
	}{{true, time.Hour}, {false, machine.InFlight}} {
		term := cat(t, c.echo)
		for deadline := time.Now().Add(10 * time.Second); term.Readiness().State != pty.Waiting; {
			require.True(t, time.Now().Before(deadline))
		}
		d := newDriver(Options{SpillDir: t.TempDir()})
		d.term, d.prog, d.cmd = term, &program{}, &command{render: newRenderer(render.Options{}, ""), kept: newSpool(0, "")}
		d.printer = newPrinter(d.core)
		d.plan.TTY.Echo = c.echo
		require.Eventually(t, func() bool { // without an echo once may be too late, when the machine stalls
			d.cmd.line.at = time.Now().Add(-c.ago)
			return d.viewer.waits() == WaitingNo && !d.interrupts.taken() // an interrupt would meet the prompt
		}, 10*time.Second, time.Millisecond, "echo %v", c.echo)
		d.progress.bytes++ // the echo, or what the program says
		assert.Equal(t, WaitingInput, d.viewer.waits())
		assert.True(t, d.interrupts.taken())
		d.cmd.line.at, d.cmd.line.to = time.Now().Add(-time.Hour), d.progress.bytes
		assert.Equal(t, !c.echo, d.interrupts.taken(), "without an echo the time has to do")
	}
}

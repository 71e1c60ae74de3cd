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
		d := &driver{term: term, prog: &program{}, options: Options{SpillDir: t.TempDir()}, cmd: &command{render: newRenderer(render.Options{}, ""), kept: newCapture(0, "")}}
		d.printer = newPrinter(d)
		d.plan.TTY.Echo = c.echo
		require.Eventually(t, func() bool { // without an echo once may be too late, when the machine stalls
			d.cmd.line.at = time.Now().Add(-c.ago)
			return d.waits() == WaitingNo && !d.taken() // an interrupt would meet the prompt
		}, 10*time.Second, time.Millisecond, "echo %v", c.echo)
		d.progress.bytes++ // the echo, or what the program says
		assert.Equal(t, WaitingInput, d.waits())
		assert.True(t, d.taken())
		d.cmd.line.at, d.cmd.line.to = time.Now().Add(-time.Hour), d.progress.bytes
		assert.Equal(t, !c.echo, d.taken(), "without an echo the time has to do")
	}
}

//go:build linux

package session

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/internal/render"
	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/session/internal/machine"
)

// A program that still waits at its prompt because the line has not reached it does not wait for
// input, however long that takes on a busy machine.
func TestUnansweredLineIsOnItsWay(t *testing.T) {
	for _, c := range []struct {
		echo bool
		ago  time.Duration // time at which it is still on its way
	}{{true, time.Hour}, {false, machine.InFlight}} {
		term := cat(t, c.echo)
		for deadline := time.Now().Add(testkit.Patience(10 * time.Second)); term.Readiness().State != pty.Waiting; {
			require.True(t, time.Now().Before(deadline))
		}
		d := newDriver(Options{SpillDir: t.TempDir()})
		d.term, d.prog, d.cmd = term, &program{}, &command{render: newRenderer(render.Options{}, ""), kept: newSpool(0, "")}
		d.printer = newPrinter(d.core)
		d.plan.TTY.Echo = c.echo
		require.Eventually(t, func() bool { // without an echo one check may come too late on a stalled machine
			d.cmd.line.at = time.Now().Add(-c.ago)
			return d.viewer.waiting().Waiting == WaitingNone && !d.interrupts.consumed() // an interrupt would hit the prompt
		}, testkit.Patience(10*time.Second), time.Millisecond, "echo %v", c.echo)
		d.progress.bytes++ // the echo, or output of the program
		assert.Equal(t, WaitingInput, d.viewer.waiting().Waiting)
		assert.True(t, d.interrupts.consumed())
		d.cmd.line.at, d.cmd.line.to = time.Now().Add(-time.Hour), d.progress.bytes
		assert.Equal(t, !c.echo, d.interrupts.consumed(), "without an echo it relies on time alone")
	}
}

// Without an echo, a line is also on its way as long as the program has not woken since: on a stalled machine that can take
// longer than silentFlight.
func TestUnechoedLineIsOnItsWay(t *testing.T) {
	term := cat(t, false)
	d := newDriver(Options{SpillDir: t.TempDir()})
	d.term, d.prog, d.cmd = term, &program{}, &command{}
	d.kernel.term = term
	require.Eventually(t, func() bool { return term.Readiness().State == pty.Waiting }, testkit.Patience(10*time.Second), time.Millisecond)
	d.cmd.line = sentLine{at: time.Now().Add(-10 * silentFlight), wait: d.kernel.unechoed(), silent: true}
	assert.True(t, d.viewer.inFlight())
	_, err := term.Write([]byte("x\n"))
	require.NoError(t, err)
	assert.Eventually(t, func() bool { return !d.viewer.inFlight() }, testkit.Patience(10*time.Second), time.Millisecond)
	d.cmd.line.at = time.Now()
	assert.True(t, d.viewer.inFlight(), "the program may have woken for another reason")
}

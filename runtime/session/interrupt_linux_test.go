package session

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/terminal"
)

// slowStart starts a job at the first interrupt: it waits, as for a disk, until somebody opens a pipe
// that the job is to read from.
const slowStart = `
import os, signal, sys, time
pipe, ready, started = sys.argv[1:]
def start(*_):
    signal.signal(signal.SIGINT, lambda *_: None)
    time.sleep(0.05) # the second interrupt is that much later
    open(started, "w").close()
    os.posix_spawn("/bin/true", ["true"], {}, file_actions=[(os.POSIX_SPAWN_OPEN, 0, pipe, os.O_RDONLY, 0)])
signal.signal(signal.SIGINT, start)
open(ready, "w").close()
while True: signal.pause()
`

// signalTimes records when interrupts are sent.
type signalTimes chan time.Time

func (s signalTimes) Observe(e Event) {
	if e.Kind == EventSignal {
		s <- time.Now()
	}
}

// interrupted returns a driver whose program has received an interrupt, and starts a job; and the times
// of the next interrupts.
func interrupted(t *testing.T) (d *driver, sent signalTimes) {
	python, err := exec.LookPath("python3")
	require.NoError(t, err)
	dir := t.TempDir()
	pipe, ready, started := filepath.Join(dir, "pipe"), filepath.Join(dir, "ready"), filepath.Join(dir, "started")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	term, err := terminal.Start(pty.Command{Path: python, Argv: []string{python, "-c", slowStart, pipe, ready, started}, Size: pty.Size{Cols: 80, Rows: 24}, Canonical: true}, terminal.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, term.Close(context.Background())) })
	exists := func(path string) func() bool {
		return func() bool { _, err := os.Stat(path); return err == nil }
	}
	require.Eventually(t, exists(ready), testkit.Patience(10*time.Second), time.Millisecond)

	d, sent = running(t, nil), make(signalTimes, 100)
	d.term, d.kernel.term, d.events.to = term, term, sent
	d.prog.jobs, d.control.state.SawC = true, true
	persist(t, d)
	<-sent
	require.Eventually(t, exists(started), testkit.Patience(10*time.Second), time.Millisecond)
	require.Eventually(t, func() (starts bool) {
		d.locked(func() { starts = d.interrupts.startsJob() })
		return starts
	}, testkit.Patience(10*time.Second), time.Millisecond)
	return d, sent
}

// persist interrupts the command, as a user's Ctrl-C does. The interrupt is over when the test ends.
func persist(t *testing.T, d *driver) {
	c, done := d.cmd, make(chan struct{})
	go func() {
		defer close(done)
		d.interrupts.persist(c, "\x03")
	}()
	t.Cleanup(func() {
		d.locked(func() { d.cmd = nil })
		<-done
	})
}

// awaitSent returns when the next interrupt was sent.
func awaitSent(t *testing.T, sent signalTimes) time.Time {
	t.Helper()
	select {
	case at := <-sent:
		return at
	case <-time.After(testkit.Patience(10 * time.Second)):
		require.Fail(t, "the interrupt was not sent")
		return time.Time{}
	}
}

// A second interrupt waits for the job as long as the first one would.
func TestSecondInterruptWaitsForTheJob(t *testing.T) {
	t.Parallel()
	d, sent := interrupted(t)
	began := time.Now()
	persist(t, d)
	assert.GreaterOrEqual(t, awaitSent(t, sent).Sub(began), heldLimit)
}

// A caller that leaves before the program has read the command does not take its interrupt along.
func TestInterruptIsSentAlthoughItsCallerLeaves(t *testing.T) {
	t.Parallel()
	d, sent, key := running(t, nil), make(signalTimes, 100), "\x03"
	d.events.to, d.prog.interrupt = sent, &key
	d.cmd.line.at = time.Now()
	left, leave := context.WithCancel(t.Context())
	leave()
	_, err := (&Session{drv: d, running: d.cmd}).Interrupt(left)
	require.ErrorIs(t, err, context.Canceled)
	awaitSent(t, sent)
	d.locked(func() { d.cmd = nil }) // the interrupt is over
}

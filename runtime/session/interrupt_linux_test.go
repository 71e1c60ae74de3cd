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
// of the next interrupts. The first one persists until its context ends; then done is closed.
func interrupted(t *testing.T, ctx context.Context) (d *driver, sent signalTimes, done chan struct{}) {
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

	d, sent, done = running(t, nil), make(signalTimes, 100), make(chan struct{})
	d.term, d.kernel.term, d.events.to = term, term, sent
	d.prog.jobs, d.control.state.SawC = true, true
	d.cmd.line.at = time.Now().Add(time.Hour) // each interrupt is early, and repeated
	go func() {
		defer close(done)
		d.interrupts.persist(ctx, d.cmd, "\x03")
	}()
	<-sent
	require.Eventually(t, exists(started), testkit.Patience(10*time.Second), time.Millisecond)
	require.Eventually(t, func() (starts bool) {
		d.locked(func() { starts = d.interrupts.startsJob() })
		return starts
	}, testkit.Patience(10*time.Second), time.Millisecond)
	for len(sent) > 0 { // on a busy machine
		<-sent
	}
	return d, sent, done
}

func isHeld(d *driver) (held bool) {
	d.locked(func() { held = d.interrupts.held() })
	return held
}

// A second interrupt waits for the job as long as the first one would.
func TestSecondInterruptWaitsForTheJob(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	d, sent, done := interrupted(t, ctx)
	began := time.Now()
	d.interrupts.beginOrDefer(d.cmd, "\x03")
	require.True(t, isHeld(d))
	select {
	case at := <-sent:
		assert.GreaterOrEqual(t, at.Sub(began), heldLimit)
	case <-time.After(testkit.Patience(10 * time.Second)):
		t.Error("the interrupt was not sent")
	}
	cancel()
	<-done
}

// A caller that leaves sends its own interrupt, and no other.
func TestInterruptIsSentWhenItsCallerLeaves(t *testing.T) {
	t.Parallel()
	first, leave := context.WithCancel(t.Context())
	d, sent, done := interrupted(t, first)
	second, leaveToo := context.WithCancel(t.Context())
	both := make(chan struct{})
	go func() {
		defer close(both)
		d.interrupts.persist(second, d.cmd, "\x03")
	}()
	require.Eventually(t, func() bool { return isHeld(d) }, testkit.Patience(10*time.Second), time.Millisecond)
	leave()
	<-done
	assert.Empty(t, sent)
	assert.True(t, isHeld(d))
	leaveToo()
	<-both
	assert.Len(t, sent, 1)
}

package session

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/internal/echo"
	"example.org/ripple/runtime/internal/render"
	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/session/internal/machine"
	"example.org/ripple/runtime/terminal"
)

// cat runs cat on a terminal whose output is not read.
func cat(t *testing.T, echo bool) *terminal.Terminal {
	term, err := terminal.Start(pty.Command{Path: "/bin/cat", Size: pty.Size{Cols: 80, Rows: 24}, Echo: echo, Canonical: true}, terminal.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, term.Close(context.Background())) })
	return term
}

// running returns a driver whose command has been read by cat.
func running(t *testing.T, output func([]byte)) *driver {
	d := newDriver(Options{Output: output, SpillDir: t.TempDir()})
	d.prog, d.life.exit, d.term = &program{}, &ExitError{}, cat(t, false)
	d.kernel.term, d.kernel.events = d.term, &d.events
	d.cmd = &command{
		kept: newSpool(0, ""), strip: stripper{line: echo.New(echo.Config{})}, render: newRenderer(render.Options{}, ""),
		done: make(chan struct{}), line: sentLine{at: time.Now().Add(-time.Hour)}, facts: facts{end: ending{by: ByExit}},
	}
	d.printer = newPrinter(d.core)
	d.control.state.Step = machine.StepRunning
	return d
}

// However long a program's text takes to become output, no end or interrupt of the program waits
// for that.
func TestNothingWaitsForRendering(t *testing.T) {
	d := running(t, func([]byte) {})
	d.printer.mu.Lock() // as during slow rendering
	d.mu.Lock()
	d.printer.enqueue(job{kind: jobText, c: d.cmd}, []byte("text\n"))
	d.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		// None of these does the work itself.
		d.interrupts.beginOrDefer(d.cmd, "\x03")
		d.locked(func() { d.interrupts.repeat("\x03", true) })
		assert.NoError(t, d.signal(os.Interrupt))
		assert.NoError(t, d.resize(10, 10))
	}()
	select {
	case <-done:
	case <-time.After(testkit.Patience(10 * time.Second)):
		t.Error("an interrupt, a signal or a new size waits for output")
	}
	d.printer.mu.Unlock()
	<-done
}

// The order of the text, of the input and of the end is preserved, whichever goroutine does the
// work: the reader or a caller of the state.
func TestOutputIsInOrderInAnyGoroutine(t *testing.T) {
	for range testkit.Times(t, 10, 50) {
		var got []byte
		d := running(t, func(b []byte) { got = append(got, b...) })
		c := d.cmd
		stop := make(chan struct{})
		var lookers sync.WaitGroup
		for range 2 {
			lookers.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						d.printer.upToDate(func() {})
					}
				}
			})
		}
		var want []byte
		for i := range 200 {
			line := []byte{byte('a' + i%26), '\n'}
			want = append(want, line...)
			d.happened(func() { d.printer.enqueue(job{kind: jobText, c: c}, line) })
		}
		close(stop)
		lookers.Wait()
		d.happened(func() { d.printer.enqueue(job{kind: jobEnd, c: c}, nil) })
		<-c.done
		require.Equal(t, string(want), string(got))
		text, _ := c.kept.text()
		require.Equal(t, string(want), text)
	}
}

// The end of another program's line that arrives after the input was sent belongs to that line,
// not to the echo.
func TestTheEndOfALineArrivesWithTheEcho(t *testing.T) {
	d := running(t, nil)
	d.prog.unsolicited = unsolicitedRules{enabled: true}
	d.printer = newPrinter(d.core)
	c := d.cmd
	for _, j := range []struct {
		job  job
		text string
	}{
		{job{kind: jobUnsolicited}, "job 1"},
		{job{kind: jobSent, c: c, config: echo.Config{Strategy: echo.Deterministic, Sent: []byte("echo x\n"), Shown: []byte("$ "), Foreign: true}}, ""},
		{job{kind: jobText, c: c}, "\r\necho x\r\nx\r\n"},
		{job{kind: jobEnd, c: c}, ""},
	} {
		d.happened(func() { d.printer.enqueue(j.job, []byte(j.text)) })
	}
	<-c.done
	text, _ := c.kept.text()
	assert.Equal(t, "job 1\n", c.outOfBand)
	assert.Equal(t, "x\n", text)
}

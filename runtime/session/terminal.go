package session

import (
	"bytes"
	"fmt"
	"runtime"
	"time"

	"ripple/runtime/internal/prompt"
	"ripple/runtime/pty"
	"ripple/runtime/session/internal/machine"
	"ripple/runtime/terminal"
	"ripple/schema"
)

// openTerminal makes our side of the program's terminal.
func (d *driver) openTerminal(tty *pty.PTY, replies []schema.TTYReply) {
	o := terminal.Options{Replies: replies, Gone: d.gone, Pause: d.prog.input.pause, Sole: d.options.Sole, Screen: d.options.Terminal != nil}
	if d.events.watched() {
		o.Read, o.Wrote = d.wasRead, func(b []byte) { d.events.tell(EventWrite, b, "") }
	}
	t := d.plan.TTY
	d.term = terminal.New(tty, pty.Size{Cols: t.Cols, Rows: t.Rows}, o)
	d.kernel.term, d.kernel.events = d.term, &d.events
	if d.options.Terminal != nil {
		d.options.Terminal(d.term)
	}
}

// gone says that a command which asked the terminal something has ended: what was
// printed since has a marker of ours. The answer would reach the line editor.
func (d *driver) gone(since []byte) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	runs := d.control.state.Step == machine.StepRunning && !d.control.state.SawD
	return runs && d.prog.prompts.markers != nil && bytes.Contains(since, []byte(d.plan.Values["nonce"]))
}

// read takes what the program prints until its end.
func (d *driver) read() {
	d.ends(d.term.Run(func(b []byte) {
		if d.happened(func() { d.take(b) }) {
			runtime.Gosched() // whoever was woken goes on before this thread waits in the kernel
		}
		d.printer.await()
	}))
}

// wasRead tells an observer of a read.
func (d *driver) wasRead(b []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.detect.injected == nil || !d.prog.unmirrored {
		d.events.tell(EventRead, b, "")
	}
}

// take is one read.
func (d *driver) take(b []byte) {
	d.progress.bytes, d.progress.at = d.progress.bytes+int64(len(b)), time.Now()
	d.flow.feed(b)
	d.interrupts.pay()
}

// ends is the end of the stream: whatever runs is over.
func (d *driver) ends(err error) {
	d.happened(func() {
		for p := range d.detect.rest() {
			d.flow.piece(p)
		}
		code, signal := d.term.ExitStatus()
		d.life.exit = &ExitError{Code: code, Signal: signal}
		if !d.stream.used {
			d.life.exit.Output = prompt.Visible(d.stream.startup)
		}
		if err != nil {
			d.life.failure = fmt.Errorf("reading from the program: %w", err)
		}
		d.events.tell(EventExit, nil, d.life.exit.Error())
		d.decider.step(machine.Input{Kind: machine.InExit})
		d.decider.settle()
	})
	close(d.life.dead)
}

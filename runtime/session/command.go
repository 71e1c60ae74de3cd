package session

import (
	"strings"
	"time"

	"ripple/runtime/internal/echo"
	"ripple/runtime/internal/prompt"
	"ripple/runtime/internal/render"
	"ripple/runtime/session/internal/machine"
	"ripple/schema"
)

// command is one Eval.
type command struct {
	pending []string // lines not yet sent
	file    string   // tempfile to delete
	started time.Time
	line    sentLine
	prelude prelude
	told    told

	// Under printer.mu: the stages of its text.
	strip     stripper
	render    *renderer
	kept      *capture
	outOfBand string // so far
	usual     int    // length of the prompt before it in characters

	result Result
	err    error
	done   chan struct{}
}

// sentLine is the line that was sent last.
type sentLine struct {
	at   time.Time
	to   int64  // how many bytes had been received then
	turn uint64 // and in which wait the program was
}

// told is what is known of a command besides its text.
type told struct {
	restarted   bool // it is the first one of a new program
	elsewhere   bool // when it was sent, the program's standard input was not the terminal
	began       bool // C came
	code        *int
	cwdReported bool
	incomplete  bool
	withdrawal  *Withdrawal // what was sent since the input is incomplete
	end         ending
}

// ending is how a command ended, as far as the prompt tells.
type ending struct {
	by        CompletedBy
	shown     string // the prompt
	elsewhere bool   // it was not seen
}

func (c *command) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// submit sends a payload; the program is at its prompt.
func (d *driver) submit(p payload) *command {
	if d.control.policy.Learns && !d.kernel.visible { // it may not have come to waiting when it started
		d.look()
	}
	c := &command{
		pending: p.lines, file: p.file, started: time.Now(), usual: d.detect.usual,
		render: d.newRenderer(), kept: newCapture(d.options.Window, d.spillDir()), done: make(chan struct{}),
	}
	c.told.elsewhere = !d.status.announced && d.kernel.onTTY && !d.term.Holds(0)
	c.told.restarted, d.restarted = d.restarted, false
	d.cmd, d.stream.used = c, true
	following := len(p.lines) - 1
	if p.whole {
		c.pending, following = []string{strings.Join(p.lines, d.prog.input.ending)}, 0
	}
	d.step(machine.Input{Kind: machine.InSubmit, Lines: following, Confirm: p.whole && !p.marks && len(p.lines) > 1})
	d.send(d.prog.input.clear)
	d.nextLine()
	d.settleEffects()
	return c
}

func (d *driver) newRenderer() *renderer {
	cols, rows := d.term.Size()
	return newRenderer(render.Options{Cols: cols, Rows: rows, StripANSI: d.prog.output.stripANSI}, d.prog.output.ending)
}

// nextLine sends the next line of the block.
func (d *driver) nextLine() {
	c := d.cmd
	line := c.pending[0] + d.prog.input.ending
	c.pending = c.pending[1:]
	d.pass(d.stream.believe())
	d.pass(d.stream.lineSent())
	e := d.expectedEcho(line)
	expected := d.status.byMarker && (d.prog.output.echo == schema.EchoOSCBoundaries || d.stream.begins)
	c.prelude = newPrelude(e, len(line), expected, d.stream.begins)
	d.printer.enqueue(job{kind: jobSent, c: c, strip: echo.New(e)}, nil)
	turn := d.kernel.sending(d.control.policy.Printed)
	d.send(line)
	c.line = sentLine{at: time.Now(), to: d.progress.bytes, turn: turn}
}

// expectedEcho is what is known of the echo of a line that is about to be sent.
func (d *driver) expectedEcho(sent string) echo.Config {
	out := &d.prog.output
	c := echo.Config{Strategy: string(out.echo), Sent: d.term.Shown([]byte(sent)), Prompt: out.echoPrompt}
	c.Kernel = d.term.Echo([]byte(sent))
	echoes, canonical, err := d.term.Flags()
	switch {
	case !out.strips, err == nil && canonical && !echoes, out.echo == schema.EchoNone && (!echoes || d.plan.TTY.Echo):
		c.Strategy = echo.Silent
	case out.echo == schema.EchoNone: // a command has turned it on
		c.Strategy, c.Sent = echo.Deterministic, c.Kernel
	case out.echo == schema.EchoOSCBoundaries:
		c.Strategy = echo.Deterministic
	}
	c.Foreign = d.prog.asides.taken && d.status.byMarker && c.Strategy == echo.Deterministic
	c.Shown = []byte(prompt.Visible(d.stream.shown))
	return c
}

func (d *driver) spillDir() string {
	if d.options.SpillDir != "" {
		return d.options.SpillDir
	}
	return d.scratch.Path
}

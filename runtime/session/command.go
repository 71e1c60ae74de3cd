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
	typed   *typedLine // nil: it was not typed by a person
	line    sentLine
	prelude prelude
	facts   facts

	// Under printer.mu: the stages of its text.
	strip     stripper
	render    *renderer
	kept      *spool
	outOfBand string // so far
	usual     int    // length of the prompt before it in characters

	result Result
	err    error
	done   chan struct{}
}

// sentLine is the line that was sent last.
type sentLine struct {
	at     time.Time
	to     int64  // how many bytes had been received then
	waitID uint64 // and in which wait the program was, where nothing but its waking tells that it got the line
	wait   uint64 // the same of what a person typed; 0: it need not wake the program, or cannot be told
}

// facts are what is known of a command besides its text.
type facts struct {
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

// sender types commands.
type sender struct {
	*core
	flow    *flow
	decider *decider
}

// submit sends a payload; the program is at its prompt.
func (s *sender) submit(p payload) *command {
	if s.control.policy.Learns && !s.kernel.visible { // it may not have come to waiting when it started
		s.decider.look()
	}
	c := s.newCommand()
	c.pending, c.file = p.lines, p.file
	s.cmd, s.stream.used = c, true
	following := len(p.lines) - 1
	if p.whole {
		c.pending, following = []string{strings.Join(p.lines, s.prog.input.ending)}, 0
	}
	s.decider.step(machine.Input{Kind: machine.InSubmit, Lines: following, Confirm: p.whole && !p.marks && len(p.lines) > 1})
	s.send(s.prog.input.clear)
	s.nextLine()
	s.decider.settle()
	return c
}

func (s *sender) newCommand() *command {
	c := &command{
		started: time.Now(), usual: s.detect.usual,
		render: s.newRenderer(), kept: newSpool(s.options.Window, s.spillDir()), done: make(chan struct{}),
	}
	c.facts.elsewhere = !s.status.announced && s.kernel.onTTY && !s.term.Holds(0)
	c.facts.restarted, s.restarted = s.restarted, false
	return c
}

func (s *sender) newRenderer() *renderer {
	cols, rows := s.term.Size()
	return newRenderer(render.Options{Cols: cols, Rows: rows, StripANSI: s.prog.output.stripANSI}, s.prog.output.ending)
}

// nextLine sends the next line of the block.
func (s *sender) nextLine() {
	c := s.cmd
	line := c.pending[0] + s.prog.input.ending
	c.pending = c.pending[1:]
	s.flow.pass(s.stream.believe())
	s.flow.pass(s.flow.parted(s.stream.lineSent))
	e := s.expectedEcho(line)
	expected := s.announcesOutput()
	c.prelude = newPrelude(e, len(line), expected, s.stream.begins)
	s.printer.enqueue(job{kind: jobSent, c: c, strip: echo.New(e), at: s.events.ledger.at}, nil)
	waitID := s.kernel.sending(s.control.policy.Printed)
	s.send(line)
	c.line = sentLine{at: time.Now(), to: s.progress.bytes, waitID: waitID}
}

// expectedEcho is what is known of the echo of a line that is about to be sent.
func (s *sender) expectedEcho(sent string) echo.Config {
	out := &s.prog.output
	modes, err := s.term.Modes()
	c := echo.Config{Strategy: string(out.echo), Sent: modes.Shown([]byte(sent)), Prompt: out.echoPrompt}
	c.Kernel = modes.Echo([]byte(sent))
	echoes := modes.Echoes()
	switch {
	case !out.strips, err == nil && modes.Canonical() && !echoes, out.echo == schema.EchoNone && (!echoes || s.plan.TTY.Echo):
		c.Strategy = echo.Silent
	case out.echo == schema.EchoNone: // a command has turned it on
		c.Strategy, c.Sent = echo.Deterministic, c.Kernel
	case out.echo == schema.EchoOSCBoundaries:
		c.Strategy = echo.Deterministic
	}
	c.Foreign = s.prog.asides.taken && s.status.byMarker && c.Strategy == echo.Deterministic
	c.Shown = []byte(prompt.Visible(s.stream.shown))
	return c
}

// typed writes raw input while a command runs, and remembers what the terminal
// echoes of it.
func (s *sender) typed(b []byte) {
	modes, _ := s.term.Modes() // of one that was closed: nothing is echoed
	c := s.cmd
	s.printer.enqueue(job{kind: jobTyped, c: c}, modes.Echo(b))
	if l := c.prelude.typed; l != nil && l.edited != nil {
		modes.Edit(l.edited, b)
	}
	c.line.wait = s.kernel.woken(modes, b)
	s.send(string(b))
	c.line.at, c.line.to = time.Now(), s.progress.bytes
}

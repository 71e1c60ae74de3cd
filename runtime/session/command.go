package session

import (
	"bytes"
	"strings"
	"time"

	"example.org/ripple/runtime/internal/echo"
	"example.org/ripple/runtime/internal/prompt"
	"example.org/ripple/runtime/internal/render"
	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/session/internal/machine"
	"example.org/ripple/schema"
)

// command is one call of Eval.
type command struct {
	pending []string // lines not yet sent
	file    string   // temporary file to delete
	started time.Time
	begin   int64      // bytes of output read before
	typed   *typedLine // nil: no user typed it
	sent    bool       // input was sent while it ran
	unshown string     // code that is sent as one line, until it has been sent
	hides   bool       // it may ask for a secret in the program's own line editor
	secret  bool       // it was seen asking for a secret, or may have asked, and no line was typed since
	line    sentLine
	prelude prelude
	facts   facts

	// Under printer.mu: the stages of the command's text.
	strip     stripper
	render    *renderer
	kept      *spool
	outOfBand string // collected so far
	usual     int    // length in characters of the prompt before the command

	result Result
	err    error
	done   chan struct{}
}

// sentLine describes the line sent last.
type sentLine struct {
	text   string // of ripple's line, without its end; empty: a user typed it
	at     time.Time
	used   time.Duration // CPU time of the program at that time
	to     int64         // number of output bytes read at that time
	waitID uint64        // the program's wait ID at that time, where only a wake-up shows that it got the line
	wait   uint64        // the same for typed input, and for lines without an echo; 0: it need not wake the program, or the ID is unknown
	silent bool          // the program may wake from that wait for another reason: the input may be on its way for silentFlight
}

// facts holds the known facts about a command, other than its text.
type facts struct {
	restarted   bool // the first command of a restarted program
	elsewhere   bool // the program's standard input was not the terminal when the command was sent
	began       bool // marker C arrived
	code        *int
	cwdReported bool
	incomplete  bool
	withdrawal  *Withdrawal // the key sent because the input is incomplete
	end         ending
}

// ending says how a command ended, as far as the prompt shows.
type ending struct {
	by        CompletedBy
	shown     string // the prompt's text
	elsewhere bool   // the prompt was not seen
}

func (c *command) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// sender sends commands to the program.
type sender struct {
	*core
	flow    *flow
	decider *decider
}

// submit sends a payload; the program must be at its prompt.
func (s *sender) submit(p payload) *command {
	if s.control.policy.Learns && !s.kernel.visible { // it may not have been waiting yet when the session started
		s.decider.look()
	}
	c := s.newCommand()
	c.pending, c.file, c.hides = p.lines, p.file, p.hides
	s.cmd, s.stream.used = c, true
	following := len(p.lines) - 1
	if p.whole {
		c.pending, following = []string{strings.Join(p.lines, s.prog.input.ending)}, 0
	}
	if following == 0 {
		c.unshown = p.code
	}
	s.decider.step(machine.Input{Kind: machine.InSubmit, Lines: following, Confirm: p.whole && !p.marks && len(p.lines) > 1})
	s.send(s.prog.input.clear)
	s.nextLine()
	s.decider.settle()
	return c
}

func (s *sender) newCommand() *command {
	c := &command{
		started: time.Now(), begin: s.term.Taken(), usual: s.detect.usual,
		render: s.newRenderer(), kept: newSpool(s.options.Window, s.spillDir()), done: make(chan struct{}),
	}
	c.facts.elsewhere = !s.status.announced && s.kernel.onTTY && !s.term.IsTerminal(0)
	c.facts.restarted, s.restarted = s.restarted, false
	return c
}

func (s *sender) newRenderer() *renderer {
	cols, rows := s.term.Size()
	return newRenderer(render.Options{Cols: cols, Rows: rows, StripANSI: s.prog.output.stripANSI, Fault: s.faults.add}, s.prog.output.ending)
}

// nextLine sends the next line of the block.
func (s *sender) nextLine() {
	c := s.cmd
	text := c.pending[0]
	line := text + s.prog.input.ending
	c.pending = c.pending[1:]
	s.flow.pass(s.stream.confirm())
	s.flow.pass(s.flow.separate(s.stream.lineSent))
	e := s.expectedEcho(line)
	expected := s.announcesOutput()
	c.prelude = newPrelude(e, len(line), expected, s.stream.begins)
	s.printer.enqueue(job{kind: jobSent, c: c, config: e, at: s.events.ledger.at}, nil)
	s.showCode(c, strings.TrimSuffix(line, s.prog.input.ending), e.Kernel)
	waitID := s.kernel.sending(&s.control.policy, &s.control.state)
	var wait uint64
	if !expected { // otherwise a marker shows that the program has read the line
		wait = s.kernel.unechoed()
	}
	used, _ := s.term.Work()
	s.send(line)
	c.line = sentLine{text: text, at: time.Now(), used: used, to: s.progress.bytes, waitID: waitID, wait: wait, silent: true}
}

// expectedEcho describes the expected echo of a line that is about to be sent.
func (s *sender) expectedEcho(sent string) echo.Config {
	out := &s.prog.output
	modes, err := s.term.Modes()
	c := echo.Config{Strategy: string(out.echo), Sent: modes.Shown([]byte(sent)), Prompt: out.echoPrompt}
	c.Kernel = modes.Echo([]byte(sent))
	echoes, editor := modes.Echoes(), s.editorEchoes(&modes)
	switch {
	case !out.strips, err == nil && modes.Canonical() && !echoes, out.echo == schema.EchoNone && !editor && (!echoes || s.plan.TTY.Echo):
		c.Strategy = echo.Silent
	case out.echo == schema.EchoNone && !editor: // a command has turned the echo on
		c.Strategy, c.Sent = echo.Deterministic, c.Kernel
	case out.echo == schema.EchoOSCBoundaries, editor:
		c.Strategy = echo.Deterministic
	}
	c.Scrolls = editor
	c.Foreign = s.prog.unsolicited.enabled && s.status.byMarker && c.Strategy == echo.Deterministic
	c.Shown = []byte(prompt.Visible(s.stream.shown))
	return c
}

// editorEchoes reports whether the program's own line editor echoes input at this prompt, because a command has turned the terminal's
// echo on: at each prompt the editor turns it off, and echoes in its place.
func (c *core) editorEchoes(modes *pty.Modes) bool {
	return c.prog.output.echo == schema.EchoNone && !c.plan.TTY.Echo && !modes.Canonical() && !modes.Echoes() && modes.EchoesErasing() && !c.kernel.erasing
}

// typed writes raw input while a command runs, and remembers the terminal's echo of it.
func (s *sender) typed(b []byte) {
	modes, _ := s.term.Modes() // zero if the terminal was closed: nothing is echoed
	c := s.cmd
	c.sent = true
	s.flow.promptedForMore(false)
	l := c.prelude.typed
	switch {
	case l == nil || !l.more: // otherwise it belongs to the line
		s.printer.enqueue(job{kind: jobTyped, c: c}, modes.Echo(b))
		if l != nil && l.edited != nil {
			modes.Edit(l.edited, b)
		}
	case l.edited != nil:
		if modes.Canonical() && modes.Echoes() {
			l.echoesAgain()
		}
		l.edit(&modes, b)
		l.more = !bytes.HasSuffix(l.edited.Bytes(), []byte("\n"))
		if s.control.policy.Promptless {
			c.line.waitID = s.kernel.waitNow()
		}
	}
	c.secret = c.secret && !bytes.ContainsAny(b, "\r\n")
	c.line.wait = s.kernel.woken(modes, b)
	s.send(string(b))
	c.line.at, c.line.to, c.line.silent = time.Now(), s.progress.bytes, false
}

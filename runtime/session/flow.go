package session

import (
	"example.org/ripple/runtime/internal/echo"
	"example.org/ripple/runtime/internal/prompt"
	"example.org/ripple/runtime/session/internal/machine"
)

// flow passes output of the program through the stages: each stage returns its result, and flow
// gives it to the next.
type flow struct {
	*core
	decider *decider
	take    func(segment) bool // the method piece, bound once
}

// feed passes output of the program through the stages, in order.
func (f *flow) feed(b []byte) {
	f.stream.arrived = false
	f.interrupts.printed()
	if f.take == nil {
		f.take = func(p segment) bool { f.segment(p); return true }
	}
	f.detect.pieces(b, f.take)
	if f.stream.arrived {
		f.decider.step(machine.Input{Kind: machine.InText})
		f.matchPrompt()
	}
	f.decider.settle()
}

func (f *flow) segment(p segment) {
	f.record(&p)
	switch p.kind {
	case segmentMarker:
		if f.events.watched() {
			f.events.report(EventMarker, p.raw, "marker "+p.name())
		}
		f.marker(p.event)
		return
	case segmentLiteral:
		f.events.report(EventMarker, nil, "marker")
		f.literal(p.more)
		return
	case segmentForged:
		f.events.report(EventForged, p.raw, "untrusted marker "+p.name())
	}
	if f.typist.line != nil && f.control.state.Step == machine.StepReady {
		f.stream.text(p.raw) // the line's echo, or a redrawn prompt
		f.typist.arrives(p.raw)
		return
	}
	f.pass(f.stream.text(p.raw))
}

// marker handles a trusted marker: it classifies the text before it, then steps the machine.
func (f *flow) marker(e prompt.Event) {
	f.typist.marker(e.Kind)
	switch e.Kind {
	case prompt.PromptStart:
		f.promptBegins()
		if e.Again && f.cmd != nil && !f.cmd.prelude.echoed() && !f.control.state.Interrupted() {
			break // it came before the line, which the program is still to read
		}
		f.decider.step(machine.Input{Kind: machine.InPromptStart, Again: e.Again})
	case prompt.InputStart:
		ends := f.stream.region == regionPrompt || f.stream.undrawn
		f.latePromptEnds()
		f.pass(f.separate(f.stream.promptEnds))
		f.decider.step(machine.Input{Kind: machine.InInputStart, Ends: ends})
	case prompt.Executed:
		f.takeBack()
		f.decider.step(machine.Input{Kind: machine.InExecuted})
	case prompt.Finished:
		f.finished(e.Code)
		f.decider.step(machine.Input{Kind: machine.InFinished})
	case prompt.Continuation:
		f.takeBack()
		f.pass(f.stream.flush())
		f.decider.step(machine.Input{Kind: machine.InContinuation})
		if f.control.state.Evidence == machine.EvidenceMore || f.stream.endsMore && f.control.state.Step == machine.StepRunning {
			f.stream.wantsMore()
		}
		if l := f.typist.continuedLine(); l != nil {
			l.promptsForMore()
		}
	case prompt.ContinuationEnd:
		f.promptedForMore(true)
		f.stream.moreEnds()
	case prompt.Cwd:
		f.status.cwd = e.Cwd
		if f.cmd != nil {
			f.cmd.facts.cwdReported = true
		}
	}
}

// literal handles a literal marker, which carries the nonce.
func (f *flow) literal(more bool) {
	f.pass(f.stream.flush())
	if more {
		f.decider.step(machine.Input{Kind: machine.InContinuation})
		return
	}
	f.stream.announced(f.plan.Values["marker"])
	f.decider.step(machine.Input{Kind: machine.InMarker})
}

// promptBegins notes that a prompt follows, unless it interrupts a command that has not been seen
// to run: then it may be a redraw.
func (f *flow) promptBegins() {
	if f.cmd != nil && !f.control.state.SawC && !f.control.state.SawD {
		f.pass(f.stream.unasked())
		f.cmd.prelude.redraws()
		return
	}
	f.question(true)
	f.pass(f.stream.outputEnds())
	f.stream.promptBegins()
}

// latePromptEnds notes that the first prompt was drawn after the first line was sent: it is in the
// text that is taken for the line's echo.
func (f *flow) latePromptEnds() {
	c := f.cmd
	if c == nil || !f.stream.undrawn || !c.prelude.expected {
		return
	}
	text := c.prelude.text
	f.stream.lateEnds(text)
	c.prelude.echo.Shown = []byte(prompt.Visible(text[lastLines(text, 1):]))
}

// finished handles D: the output ends here.
func (f *flow) finished(code *int) {
	if f.stream.region != regionPrompt {
		f.question(false)
	}
	f.pass(f.stream.outputEnds())
	if c := f.cmd; c != nil {
		c.facts.code = code
		promptLen := 0
		if f.stream.region == regionPrompt {
			promptLen = len(f.stream.prompt)
		}
		f.printLate(c, c.prelude.giveUp(), promptLen)
		f.stream.commandEnded(c.prelude.redrawAt >= 0)
	}
}

// question starts another prompt of the running command, which may have printed it; the previous
// one is taken back.
func (f *flow) question(began bool) {
	if f.cmd == nil || !f.prog.prompts.printable() {
		return
	}
	if f.stream.unconfirmed.began {
		f.takeBack()
	}
	f.stream.question(began)
}

func (f *flow) takeBack() {
	n := len(f.stream.unconfirmed.text)
	out := f.stream.takeBack(f.control.state.Interrupted())
	if f.stream.region == regionOutput {
		f.events.ledger.last(n, ClassOutput)
	}
	f.pass(out)
}

// pass hands on text that has been classified.
func (f *flow) pass(s classified) {
	switch u := &f.stream.unconfirmed; {
	case len(s.unsolicited) == 0 || !f.prog.unsolicited.enabled || f.stream.leaving:
	case u.open:
		u.unsolicited = append(u.unsolicited, s.unsolicited...)
	default:
		f.printer.enqueue(job{kind: jobUnsolicited}, s.unsolicited)
	}
	if c := f.cmd; c != nil && len(s.output) > 0 && !c.facts.incomplete {
		if c.prelude.typed != nil {
			s.output = f.takeLine(c, s.output)
		}
		late := c.prelude.expected
		if out := c.prelude.feed(s.output); late {
			f.printLate(c, out, 0)
		} else {
			f.print(c, out)
		}
	}
}

// foreign passes on text of other programs, of the latest n bytes of text.
func (f *flow) foreign(text []byte, n int) {
	if len(text) == 0 {
		return
	}
	if len(text) == n {
		f.events.ledger.last(n, ClassOutOfBand)
	}
	f.pass(classified{unsolicited: text})
}

// promptedForMore notes that the prompt for a user's next line has been drawn.
func (f *flow) promptedForMore(marked bool) {
	if l := f.typist.continuedLine(); l != nil {
		f.foreign(l.promptedForMore(marked), 0)
	}
}

// takeLine handles text that arrives until the end of a user's line has been echoed, and returns the
// program's output.
func (f *flow) takeLine(c *command, b []byte) (output []byte) {
	l := c.prelude.typed
	switch {
	case l.prompting:
		f.foreign(l.ask(b), 0)
		return nil
	case l.exact():
		output = f.takeLineEcho(c, l.arrived.echo.feed(b))
		if len(l.arrived.echo.owed) > 0 {
			f.typist.settleLater()
		}
		return output
	}
	l.entered = true
	f.foreign(l.takeEnd(b), len(b))
	if l.below {
		output = l.after
		l.entered, l.below, l.after = false, false, nil
		f.lineEchoed(c)
	}
	return output
}

func (f *flow) takeLineEcho(c *command, d divided) (output []byte) {
	l := c.prelude.typed
	l.take(d.echo)
	f.foreign(d.before, 0)
	switch {
	case len(l.arrived.echo.owed) > 0:
	case l.more: // the user has not finished the next line
		f.foreign(d.after, 0)
	default:
		f.lineEchoed(c)
		return d.after
	}
	return nil
}

// lineEchoed notes that the text before the output of a user's command is complete. An empty line has
// no result that could contain it.
func (f *flow) lineEchoed(c *command) {
	c.prelude.typed = nil
	if c.typed.code() != "" {
		f.printer.enqueue(job{kind: jobBegin, c: c}, nil)
	}
}

// lineEnds concludes that no more of a user's line will be echoed, and returns output of the program
// that was held back.
func (f *flow) lineEnds(c *command) (output []byte) {
	l := c.prelude.typed
	if l == nil {
		return nil
	}
	f.promptedForMore(false)
	if l.exact() {
		l.more = false
		return f.takeLineEcho(c, l.arrived.echo.decide(true))
	}
	l.take(l.arrived.text)
	l.arrived.text = nil
	f.lineEchoed(c)
	return nil
}

func (f *flow) print(c *command, output []byte) {
	if len(output) > 0 && !c.facts.incomplete {
		f.typist.announce(c)
		f.printer.enqueue(job{kind: jobText, c: c}, output)
	}
}

// passEcho hands on text that came before C: text that is not echo does not belong to the command,
// which had not started.
func (f *flow) passEcho(c *command, text []byte) {
	switch {
	case c.prelude.echo.Strategy == echo.Silent:
		f.pass(classified{unsolicited: text})
	case f.prog.unsolicited.enabled:
		f.printer.enqueue(job{kind: jobEcho, c: c, config: c.prelude.echo}, text)
	}
}

// matchPrompt looks for a prompt at the end of the stream.
func (f *flow) matchPrompt() {
	if f.control.state.Step == machine.StepReady {
		return
	}
	found, err := f.detect.prompt(f.stream.tail())
	if err != nil {
		f.life.fail(err)
	} else if found {
		f.decider.step(machine.Input{Kind: machine.InMatch, More: f.detect.match.Tag == tagContinuation})
	}
}

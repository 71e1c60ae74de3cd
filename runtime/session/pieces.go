package session

import (
	"ripple/runtime/internal/echo"
	"ripple/runtime/internal/prompt"
	"ripple/runtime/session/internal/machine"
)

// flow is the way of what the program prints: each stage returns what it made, and
// flow gives it to the next.
type flow struct {
	*core
	decider *decider
	take    func(piece) bool // piece, made once
}

// feed takes what the program printed through the stages, in order.
func (f *flow) feed(b []byte) {
	f.stream.arrived = false
	f.interrupts.printed()
	if f.take == nil {
		f.take = func(p piece) bool { f.piece(p); return true }
	}
	f.detect.pieces(b, f.take)
	if f.stream.arrived {
		f.decider.step(machine.Input{Kind: machine.InText})
		f.matchPrompt()
	}
	f.decider.settle()
}

func (f *flow) piece(p piece) {
	f.book(&p)
	switch p.kind {
	case pieceMarker:
		if f.events.watched() {
			f.events.tell(EventMarker, p.raw, "marker "+p.name())
		}
		f.marker(p.event)
		return
	case pieceLiteral:
		f.events.tell(EventMarker, nil, "marker")
		f.literal(p.more)
		return
	case pieceForged:
		f.events.tell(EventForged, p.raw, "untrusted marker "+p.name())
	}
	if l := f.typist.line; l != nil && f.control.state.Step == machine.StepReady {
		l.take(p.raw)
		f.stream.text(p.raw) // the line's echo, and the prompt that is drawn again
		return
	}
	f.pass(f.stream.text(p.raw))
}

// marker is a trusted marker: the text before it is sorted, then the machine is told.
func (f *flow) marker(e prompt.Event) {
	f.typist.marker(e.Kind)
	switch e.Kind {
	case prompt.PromptStart:
		f.promptBegins()
		f.decider.step(machine.Input{Kind: machine.InPromptStart})
	case prompt.InputStart:
		f.pass(f.parted(f.stream.promptEnds))
		f.decider.step(machine.Input{Kind: machine.InInputStart})
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
		if f.control.state.Proof == machine.ProofMore || f.stream.endsMore && f.control.state.Step == machine.StepRunning {
			f.stream.wantsMore()
		}
	case prompt.ContinuationEnd:
		f.stream.moreEnds()
	case prompt.Cwd:
		f.status.cwd = e.Cwd
		if f.cmd != nil {
			f.cmd.facts.cwdReported = true
		}
	}
}

// literal is a literal marker, which carries the nonce.
func (f *flow) literal(more bool) {
	f.pass(f.stream.flush())
	if more {
		f.decider.step(machine.Input{Kind: machine.InContinuation})
		return
	}
	f.stream.announced(f.plan.Values["marker"])
	f.decider.step(machine.Input{Kind: machine.InMarker})
}

// promptBegins notes that what follows is a prompt, unless it interrupts a
// command that has not been seen to run: then it may be a redraw.
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

// finished is D: the output ends here.
func (f *flow) finished(code *int) {
	if f.stream.region != regionPrompt {
		f.question(false)
	}
	f.pass(f.stream.outputEnds())
	if c := f.cmd; c != nil {
		c.facts.code = code
		behind := 0
		if f.stream.region == regionPrompt {
			behind = len(f.stream.prompt)
		}
		f.printLate(c, c.prelude.giveUp(), behind)
		f.stream.commandEnded(c.prelude.redrawAt >= 0)
	}
}

// question begins another prompt of the running command, where it may have been made
// to print it; that takes back the one before.
func (f *flow) question(began bool) {
	if f.cmd == nil || !f.prog.prompts.printable() {
		return
	}
	if f.stream.unproven.began {
		f.takeBack()
	}
	f.stream.question(began)
}

func (f *flow) takeBack() {
	n := len(f.stream.unproven.text)
	out := f.stream.takeBack(f.control.state.Interrupted())
	if f.stream.region == regionOutput {
		f.events.ledger.last(n, TakenOutput)
	}
	f.pass(out)
}

// pass hands on what text turned out to be.
func (f *flow) pass(s sorted) {
	switch u := &f.stream.unproven; {
	case len(s.aside) == 0 || !f.prog.asides.taken || f.stream.leaving:
	case u.open:
		u.beside = append(u.beside, s.aside...)
	default:
		f.printer.enqueue(job{kind: jobAside}, s.aside)
	}
	if c := f.cmd; c != nil && len(s.output) > 0 && !c.facts.incomplete {
		late := c.prelude.expected
		if out := c.prelude.feed(s.output); late {
			f.printLate(c, out, 0)
		} else {
			f.print(c, out)
		}
	}
}

func (f *flow) print(c *command, output []byte) {
	if len(output) > 0 && !c.facts.incomplete {
		f.typist.announce(c)
		f.printer.enqueue(job{kind: jobText, c: c}, output)
	}
}

// passEcho hands on what came before C: what is no echo is not of the command,
// which had not begun.
func (f *flow) passEcho(c *command, text []byte) {
	switch {
	case c.prelude.echo.Strategy == echo.Silent:
		f.pass(sorted{aside: text})
	case f.prog.asides.taken:
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

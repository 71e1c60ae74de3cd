package session

import (
	"ripple/runtime/internal/echo"
	"ripple/runtime/internal/prompt"
	"ripple/runtime/session/internal/machine"
)

// feed takes what the program printed through the stages, in order.
func (d *driver) feed(b []byte) {
	d.stream.arrived = false
	d.interrupts.printed()
	for p := range d.detect.pieces(b) {
		d.piece(p)
	}
	if d.stream.arrived {
		d.step(machine.Input{Kind: machine.InText})
		d.matchPrompt()
	}
	d.settleEffects()
}

func (d *driver) piece(p piece) {
	switch p.kind {
	case pieceMarker:
		if d.events.watched() {
			d.events.tell(EventMarker, p.raw, "marker "+p.name())
		}
		d.marker(p.event)
		return
	case pieceLiteral:
		d.events.tell(EventMarker, nil, "marker")
		d.literal(p.more)
		return
	case pieceForged:
		d.events.tell(EventForged, p.raw, "untrusted marker "+p.name())
	}
	d.pass(d.stream.text(p.raw))
}

// marker is a trusted marker: the text before it is sorted, then the machine is told.
func (d *driver) marker(e prompt.Event) {
	switch e.Kind {
	case prompt.PromptStart:
		d.promptBegins()
		d.step(machine.Input{Kind: machine.InPromptStart})
	case prompt.InputStart:
		d.pass(d.stream.promptEnds())
		d.step(machine.Input{Kind: machine.InInputStart})
	case prompt.Executed:
		d.takeBack()
		d.step(machine.Input{Kind: machine.InExecuted})
	case prompt.Finished:
		d.finished(e.Code)
		d.step(machine.Input{Kind: machine.InFinished})
	case prompt.Continuation:
		d.takeBack()
		d.pass(d.stream.flush())
		d.step(machine.Input{Kind: machine.InContinuation})
		if d.control.state.Proof == machine.ProofMore || d.stream.endsMore && d.control.state.Step == machine.StepRunning {
			d.stream.wantsMore()
		}
	case prompt.ContinuationEnd:
		d.stream.moreEnds()
	case prompt.Cwd:
		d.status.cwd = e.Cwd
		if d.cmd != nil {
			d.cmd.told.cwdReported = true
		}
	}
}

// literal is a literal marker, which carries the nonce.
func (d *driver) literal(more bool) {
	d.pass(d.stream.flush())
	if more {
		d.step(machine.Input{Kind: machine.InContinuation})
		return
	}
	d.stream.announced(d.plan.Values["marker"])
	d.step(machine.Input{Kind: machine.InMarker})
}

// promptBegins notes that what follows is a prompt, unless it interrupts a
// command that has not been seen to run: then it may be a redraw.
func (d *driver) promptBegins() {
	if d.cmd != nil && !d.control.state.SawC && !d.control.state.SawD {
		d.pass(d.stream.unasked())
		d.cmd.prelude.redraws()
		return
	}
	d.question(true)
	d.pass(d.stream.outputEnds())
	d.stream.promptBegins()
}

// finished is D: the output ends here.
func (d *driver) finished(code *int) {
	if d.stream.region != regionPrompt {
		d.question(false)
	}
	d.pass(d.stream.outputEnds())
	if c := d.cmd; c != nil {
		c.told.code = code
		d.print(c, c.prelude.giveUp())
		d.stream.commandEnded(c.prelude.redrawAt >= 0)
	}
}

// question begins another prompt of the running command, where it may have been made
// to print it; that takes back the one before.
func (d *driver) question(began bool) {
	if d.cmd == nil || !d.prog.prompts.printable() {
		return
	}
	if d.stream.unproven.began {
		d.takeBack()
	}
	d.stream.question(began)
}

func (d *driver) takeBack() { d.pass(d.stream.takeBack(d.control.state.Interrupted())) }

// pass hands on what text turned out to be.
func (d *driver) pass(s sorted) {
	switch u := &d.stream.unproven; {
	case len(s.aside) == 0 || !d.prog.asides.taken || d.stream.leaving:
	case u.open:
		u.beside = append(u.beside, s.aside...)
	default:
		d.printer.enqueue(job{kind: jobAside}, s.aside)
	}
	if c := d.cmd; c != nil && len(s.output) > 0 && !c.told.incomplete {
		d.print(c, c.prelude.feed(s.output))
	}
}

func (d *driver) print(c *command, output []byte) {
	if len(output) > 0 && !c.told.incomplete {
		d.printer.enqueue(job{kind: jobText, c: c}, output)
	}
}

// passEcho hands on what came before C: what is no echo is not of the command,
// which had not begun.
func (d *driver) passEcho(c *command, text []byte) {
	switch {
	case c.prelude.echo.Strategy == echo.Silent:
		d.pass(sorted{aside: text})
	case d.prog.asides.taken:
		d.printer.enqueue(job{kind: jobEcho, c: c, config: c.prelude.echo}, text)
	}
}

// matchPrompt looks for a prompt at the end of the stream.
func (d *driver) matchPrompt() {
	if d.control.state.Step == machine.StepReady {
		return
	}
	found, err := d.detect.prompt(d.stream.tail())
	if err != nil {
		d.life.fail(err)
	} else if found {
		d.step(machine.Input{Kind: machine.InMatch, More: d.detect.match.Tag == tagContinuation})
	}
}

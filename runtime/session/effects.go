package session

import (
	"os"
	"slices"
	"time"

	"example.org/ripple/runtime/session/internal/machine"
	"example.org/ripple/schema"
)

// The machine's decisions are carried out only here: after the stage that caused them, before the
// next piece of the stream is processed.

// decider steps the machine and carries out its effects.
type decider struct {
	*core
	flow   *flow
	sender *sender
}

// step runs the machine and carries out its effects. Effects that start something slow are deferred
// to settle, because the next piece may cancel them.
func (d *decider) step(in machine.Input) {
	in.Now = time.Since(d.control.opened)
	before := d.control.state.Step
	state, effs := d.control.policy.Next(d.control.state, in, d.control.effs[:0])
	d.control.state, d.control.effs = state, effs[:0]
	for _, e := range effs {
		d.apply(e)
	}
	if before != d.control.state.Step {
		d.phaseChanged()
	}
	if d.control.state.Evidence == machine.EvidenceNone && d.control.state.Step != machine.StepSettle {
		d.control.ask = false
	}
}

func (d *decider) apply(e machine.Effect) {
	switch e.Kind {
	case machine.DoInject:
		d.inject()
	case machine.DoEnter:
		d.send(d.prog.input.ending)
	case machine.DoReady:
		d.becomeReady(e)
	case machine.DoNextLine:
		if e.Match { // text held back before the prompt is output
			d.matched()
		}
		d.sender.nextLine()
	case machine.DoSameLine:
		d.cmd.pending = slices.Insert(d.cmd.pending, 0, d.cmd.line.text)
		d.sender.nextLine()
	case machine.DoMore:
		d.more(e)
	case machine.DoBegin:
		d.begin()
	case machine.DoComplete:
		d.complete(e)
	case machine.DoGiveUp:
		d.giveUp(e)
	case machine.DoTakeBack:
		d.flow.takeBack()
	case machine.DoAsk:
		d.control.ask = true
	case machine.DoTimer:
		d.alarm.set(e.Delay)
	case machine.DoNoTimer:
		d.alarm.unset()
	}
}

// settle carries out the effects that are still wanted after a whole read.
func (d *decider) settle() {
	for d.control.ask {
		d.control.ask = false
		ready := d.look()
		d.step(machine.Input{Kind: machine.InReadiness, Ready: ready})
		if ready == machine.ReadyAsks {
			d.flow.matchPrompt() // the question may match a pattern
		}
	}
	d.alarm.settle()
}

func (d *decider) fired(generation int) {
	d.happened(func() {
		if !d.alarm.rings(generation) {
			return
		}
		d.events.report(EventTimer, nil, "timer")
		before := d.control.state.Step
		d.step(machine.Input{Kind: machine.InTimer})
		if before != machine.StepFirst && d.control.state.Step == machine.StepFirst {
			d.flow.matchPrompt() // the prompt may have arrived during a declared delay
		}
		d.settle()
	})
}

// look asks the kernel whether the program waits for input.
func (d *decider) look() machine.Readiness {
	q := question{policy: &d.control.policy, state: &d.control.state, read: d.progress.bytes, prompt: &d.stream.unconfirmed}
	if q.policy.Promptless && d.unfinishedLine() != nil {
		return machine.ReadyMore // the user types the next line
	}
	if d.cmd != nil && d.cmd.prelude.typed != nil && d.typist.uncook != nil && q.policy.InSilence(q.state) {
		return machine.ReadyBusy // the terminal has not echoed the line's end: the program woke because the terminal's modes changed
	}
	if d.cmd != nil {
		q.running, q.waitID = true, d.cmd.line.waitID
		q.confirms = d.prog.prompts.printable() && q.state.Evidence == machine.EvidenceMarker
	}
	ready := d.kernel.look(q)
	if ready == machine.ReadyWaiting && d.lacksRest() {
		return machine.ReadyMore
	}
	return ready
}

// lacksRest reports whether a program without prompts that waits does so for the rest of a command that a user types: the command
// is incomplete by the adapter's rules and has printed nothing, not even an error.
func (d *decider) lacksRest() bool {
	c := d.cmd
	return d.control.policy.Promptless && c != nil && c.typed != nil && !c.typed.announced && !c.typed.broken &&
		d.prog.withdrawal.Setting == settingEscape && d.prog.input.gate(c.typed.code()) != nil
}

// inject sends the integration script.
func (d *decider) inject() {
	sent := d.plan.Inject + d.prog.input.ending
	d.detect.inject(sent)
	d.stream.startup = d.stream.startup[:0]
	d.send(sent)
}

// becomeReady handles the first prompt.
func (d *decider) becomeReady(e machine.Effect) {
	d.detect.injected, d.kernel.onTTY = nil, d.term.IsTerminal(0)
	d.status.needs = d.printer.reports.missing(d.stream.startup)
	if modes, err := d.term.Modes(); err == nil {
		d.kernel.erasing = modes.EchoesErasing()
	}
	d.kernel.kept = !d.plan.TTY.Echo && d.prog.output.echo == schema.EchoNone && !d.term.ModesChanged()
	d.kernel.usual = !d.kernel.elsewhere()
	d.control.policy.Printed = d.control.policy.Printed && d.kernel.usual
	d.printer.reports.readMode("", d.atPrompt(e))
	d.events.ledger.ends(d.rule(e))
	d.life.readyOnce.Do(func() { close(d.life.ready) })
}

// atPrompt records the prompt and returns its text.
func (d *decider) atPrompt(e machine.Effect) (shown string) {
	d.status.byMarker = !e.Match
	if !e.Match {
		return string(d.stream.prompt)
	}
	d.matched()
	return d.detect.confirm()
}

// begin handles C: the text since the line was sent is its echo.
func (d *decider) begin() {
	c := d.cmd
	if c == nil {
		return
	}
	if c.typed != nil && (c.typed.unseen || c.typed.code() != "") {
		d.typist.announce(c)
	}
	d.flow.foreign(d.flow.lineEnds(c), 0)
	expected := c.prelude.expected
	if text := c.prelude.begin(); expected {
		if c.typed == nil {
			d.shown.unechoed = len(text) == 0
		}
		d.flow.passEcho(c, text)
	}
	c.facts.began, d.stream.begins = true, true
	d.printer.enqueue(job{kind: jobBegin, c: c}, nil)
	d.stream.outputBegins()
}

// more handles a continuation prompt at which a user continues a line.
func (d *decider) more(e machine.Effect) {
	line := d.cmd.typed
	d.cmd.prelude.typed, line.more = line, true
	if line.left {
		go d.interrupts.abandon(d.cmd)
	}
	d.phaseChanged()
	if e.Match {
		d.matched()
		line.screen.Write([]byte(d.detect.match.Text))
		d.stream.outputBegins()
	}
}

// giveUp makes the program abandon a command that it wants more of: by the declared escape, else by
// an interrupt, else by the end of input.
func (d *decider) giveUp(e machine.Effect) {
	if e.Match {
		d.askedFor()
	}
	if d.hidesEscape() {
		d.showEscape()
	}
	d.withdraw()
}

// withdraw makes the program abandon the running command, of which it wants more.
func (d *decider) withdraw() {
	d.cmd.facts.incomplete = true // from here on nothing is output: the text is the program's reaction to the withdrawal
	d.printer.enqueue(job{kind: jobMute, c: d.cmd}, nil)
	w := d.prog.withdrawal
	d.cmd.facts.withdrawal = &w
	if w.Setting == settingInterrupt {
		d.interrupts.deliver(w.Key)
		return
	}
	d.send(w.Key)
}

// complete ends the running command. Its result is available once everything that it printed has
// become output.
func (d *decider) complete(e machine.Effect) {
	c := d.cmd
	c.facts.end = ending{by: completedByNames[e.By], elsewhere: e.By == machine.ByIdle && !e.Match}
	if c.typed != nil && c.facts.end.elsewhere { // it has silently asked for more
		c.facts.end.elsewhere = false
		d.flow.pass(d.stream.flush())
		d.stream.region = regionIdle
	}
	if e.By == machine.ByExit {
		d.flow.takeBack()
		d.flow.pass(d.stream.exits())
	} else {
		d.flow.pass(d.stream.confirm())
		c.facts.end.shown = d.atPrompt(e)
		d.status.announced = c.facts.began
	}
	dropped := false
	if c.sent { // unread input would become part of the next line
		if modes, err := d.term.Modes(); err == nil && modes.Canonical() {
			dropped = d.term.DropInput()
		}
	}
	d.typist.commandEnds(dropped)
	d.flow.print(c, d.flow.lineEnds(c))
	d.flow.printLate(c, c.prelude.end(), d.promptLen(e))
	d.events.ledger.ends(d.rule(e))
	if c.typed != nil && c.typed.code() != "" {
		d.typist.announce(c)
	}
	d.typist.restoreModes()
	d.kernel.restoreModes()
	d.printer.enqueue(job{kind: jobEnd, c: c}, nil)
	if c.facts.withdrawal != nil {
		d.term.HideUntil(nil)
	}
	if c.file != "" {
		_ = os.Remove(c.file) // the code may have removed it itself
	}
	d.kernel.used = true
	d.cmd, d.interrupts.interrupt = nil, interrupt{}
}

package session

import (
	"bytes"
	"os"
	"time"

	"ripple/runtime/internal/echo"
	"ripple/runtime/internal/prompt"
	"ripple/runtime/pty"
	"ripple/runtime/session/internal/machine"
	"ripple/schema"
)

// edit gives the line editor keys, and says whether it did.
func (t *typist) edit(k typedKeys) bool {
	if t.stream.region == regionPrompt && t.stream.ends || t.line != nil && t.line.entered && !t.asksOn() {
		return false
	}
	if t.line == nil {
		if t.lends() && t.arrives() {
			return false
		}
		cols, rows := t.term.Size()
		t.line = newTypedLine(cols, rows, t.shownPrompt())
		t.lend()
	}
	waitID := uint64(0)
	if k.enter {
		waitID = t.kernel.sending(t.control.policy.Printed)
		if t.control.policy.Promptless {
			waitID = t.kernel.waitNow()
		}
	}
	modes, err := t.term.Modes() // afterwards they may be those of the command
	t.line.echoes = err != nil || !modes.Canonical() || modes.Echoes()
	if err == nil && modes.Canonical() && !t.line.more {
		k.raw = bytes.ReplaceAll(k.raw, []byte{0x03}, []byte(killLine)) // there are programs that Ctrl-C ends here, or makes lose the next line
	}
	t.send(string(k.raw))
	t.line.interrupted = t.line.interrupted || bytes.IndexByte(k.raw, 0x03) >= 0
	t.line.sent = sentLine{at: time.Now(), to: t.progress.bytes, waitID: waitID}
	switch {
	case !k.enter:
	case t.announcesOutput() && t.prog.input.clear == "": // else it is not known what reads the line
		t.line.entered = true
	default:
		t.submitTyped()
	}
	return true
}

// asksOn says that the program has taken the end of a line, and wants more of it.
func (t *typist) asksOn() bool {
	answered := len(t.line.after) > 0 || time.Since(t.line.sent.at) >= silentFlight // more came than its echo, or there was the time
	if t.term.Queued() > 0 || !answered || t.term.Readiness().State != pty.Waiting || t.term.Readable(t.progress.bytes) {
		return false
	}
	t.line.goesOn()
	return true
}

// submit sends a payload where the program is at its prompt and nobody types there; nil:
// it has ended. Errors: ErrTyping, and ErrBusy when a person's command runs.
func (t *typist) submit(p payload) (c *command, err error) {
	t.locked(func() {
		switch {
		case t.typing():
			err = ErrTyping
		case t.control.state.Step == machine.StepReady:
			c = t.sender.submit(p)
		case t.cmd != nil:
			err = ErrBusy
		}
	})
	if c == nil && p.file != "" {
		_ = os.Remove(p.file) // nobody will read it
	}
	return c, err
}

// submitTyped makes a command of the line.
func (t *typist) submitTyped() {
	line := t.line
	t.line = nil
	c := t.sender.newCommand()
	c.typed, c.line = line, line.sent
	t.cmd, t.stream.used = c, true
	t.decider.step(machine.Input{Kind: machine.InSubmit, Typed: true})
	t.stream.lineSent() // what came meanwhile is the line's echo
	c.prelude = newPrelude(echo.Config{Strategy: echo.Silent}, 0, line.entered, t.stream.begins)
	if line.entered {
		c.prelude.text = line.after
	} else if line.echoes {
		c.prelude.typed = line // its end will be shown
	}
	t.decider.settle()
}

// typing says whether somebody edits a line at the prompt. One that is empty again, as
// far as the program shows it, is none.
func (t *typist) typing() bool {
	switch {
	case t.control.state.Step != machine.StepReady || t.line == nil:
		return len(t.held) > 0 && t.control.state.Step == machine.StepReady
	case len(t.held) > 0 || t.line.entered && t.line.code() != "" || t.term.Queued() > 0 || !t.line.arrived(t.progress.bytes):
		return true
	case t.line.code() != "" || t.term.Readable(t.progress.bytes):
		return true
	}
	if r := t.term.Readiness(); r.State == pty.Busy {
		return true
	}
	t.line = nil
	t.takeLentBack()
	return false
}

// killLine is what takes the unfinished line away in a terminal that edits lines: VKILL.
const killLine = "\x15"

// wipe takes an unfinished line away.
func (t *typist) wipe() {
	modes, err := t.term.Modes()
	switch {
	case err == nil && modes.Canonical() && !t.line.more:
		t.send(killLine)
	case t.prog.interrupt != nil:
		t.interrupts.deliver(*t.prog.interrupt)
	default:
		return
	}
	t.line.sent = sentLine{at: time.Now(), to: t.progress.bytes}
}

// lends says that nothing edits lines at this prompt, nor shows what is typed: the terminal
// shall.
func (t *typist) lends() bool {
	modes, err := t.term.Modes()
	canonical := modes.Canonical()
	own := t.plan.TTY
	silent := canonical || t.prog.output.echo == schema.EchoNone || !own.Echo && canonical == own.Canonical
	return err == nil && !modes.Echoes() && silent
}

// arrives says that the program has printed its prompt and does not read yet. A line editor
// that finds the terminal lent then takes that for the modes it has to restore, and keeps them.
func (t *typist) arrives() bool {
	r := t.term.Readiness()
	return r.State == pty.Busy && !r.Listens
}

// lend lets the terminal edit lines where nothing else does.
func (t *typist) lend() {
	if !t.lends() {
		return
	}
	if undo, err := t.term.Cook(); err == nil {
		t.lent = undo
	}
}

func (t *typist) takeLentBack() {
	if t.lent != nil {
		t.lent()
		t.lent = nil
	}
}

// shownPrompt is the prompt at which the program waits.
func (t *typist) shownPrompt() []byte {
	switch {
	case !t.status.byMarker:
		return []byte(t.detect.match.Text)
	case t.prog.prompts.literals != nil:
		return []byte(t.plan.Values["marker"])
	case len(t.stream.shown) > 0:
		return t.stream.shown
	}
	return t.stream.prompt
}

// marker is what a marker says of the line that a person edits.
func (t *typist) marker(kind prompt.Kind) {
	l := t.line
	if l == nil || t.control.state.Step != machine.StepReady {
		return
	}
	switch kind {
	case prompt.Executed:
		t.submitTyped()
	case prompt.Finished, prompt.PromptStart:
		if l.entered && l.code() != "" { // it had no output, or was refused
			t.submitTyped()
		} else if kind == prompt.PromptStart {
			l.promptBegins()
		}
	case prompt.InputStart:
		if l.began {
			l.promptEnds()
		}
	case prompt.Continuation:
		l.goesOn()
	}
}

// announce tells the caller of a command that a person typed.
func (t *typist) announce(c *command) {
	if c.typed != nil && !c.typed.announced {
		c.typed.announced = true
		t.printer.enqueue(job{kind: jobTypedLine, c: c, typed: &Typed{t.core, c}}, nil)
	}
}

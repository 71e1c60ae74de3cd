package session

import (
	"bytes"
	"context"
	"os"
	"time"

	"ripple/runtime/internal/echo"
	"ripple/runtime/internal/prompt"
	"ripple/runtime/pty"
	"ripple/runtime/session/internal/machine"
	"ripple/schema"
)

// edit gives the line editor keys, and says whether it gave all of them.
func (t *typist) edit(k *typedKeys) bool {
	if !t.takes() {
		return false
	}
	if t.line == nil {
		t.begin()
		t.line.who = k.who
		t.lend()
	}
	l := t.line
	modes, err := t.term.Modes() // afterwards they may be those of the command
	if err != nil || !modes.Canonical() {
		l.edited = nil
	}
	if k.ends > 0 && l.edited == nil && !t.endsAlone(k) {
		return false
	}
	waitID := uint64(0)
	if k.ends > 0 {
		waitID = t.kernel.sending(t.control.policy.Printed)
		if t.control.policy.Promptless {
			waitID = t.kernel.waitNow()
		}
	}
	l.echoes = err != nil || !modes.Canonical() || modes.Echoes()
	if err == nil && modes.Canonical() && !l.more {
		k.raw = bytes.ReplaceAll(k.raw, []byte{0x03}, []byte(killLine)) // there are programs that Ctrl-C ends here, or makes lose the next line
	}
	l.broken = bytes.IndexByte(k.raw, 0x03) >= 0
	l.interrupted = l.interrupted || l.broken
	t.give(k.raw, waitID)
	switch {
	case k.ends == 0:
	case t.announcesOutput() && t.prog.input.clear == "": // else it is not known what reads the line
		l.entered = true
	default:
		t.submitTyped()
	}
	return true
}

// begin is the first key at a prompt.
func (t *editing) begin() {
	cols, rows := t.term.Size()
	t.line = newTypedLine(cols, rows, t.shownPrompt())
	t.line.edited, t.line.changed = &pty.Line{}, -1
}

// endsAlone says that of keys for a program's own line editor only that is left which ends
// the line: what comes of it shows whether the editor is through with the others.
func (t *typist) endsAlone(k *typedKeys) bool {
	if n := len(k.raw) - k.ends; n > 0 {
		t.give(k.raw[:n], 0)
		k.raw = k.raw[n:]
		return false
	}
	return t.line.sent.at.IsZero() || t.taken()
}

// give sends keys to the prompt.
func (t *editing) give(raw []byte, waitID uint64) {
	modes, _ := t.term.Modes() // of one that was closed: they go nowhere
	l := t.line
	if l.edited != nil {
		before := string(l.edited.Bytes())
		modes.Edit(l.edited, raw)
		if string(l.edited.Bytes()) != before {
			l.changed = t.progress.bytes
		}
	}
	wait := t.kernel.woken(modes, raw)
	t.send(string(raw))
	l.sent = sentLine{at: time.Now(), to: t.progress.bytes, waitID: waitID, wait: wait}
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
	if line.owed {
		go t.interrupts.persist(context.Background(), c, "\x03")
	}
	t.cmd, t.stream.used = c, true
	t.decider.step(machine.Input{Kind: machine.InSubmit, Typed: true})
	t.flow.parted(t.stream.lineSent) // what came meanwhile is the line's echo
	c.prelude = newPrelude(echo.Config{Strategy: echo.Silent}, 0, line.entered, t.stream.begins)
	if line.entered {
		c.prelude.text = line.after
	} else if line.echoes {
		c.prelude.typed = line // its end will be shown
	}
	t.decider.settle()
}

// killLine is what takes the unfinished line away in a terminal that edits lines: VKILL.
const killLine = "\x15"

// wipe takes an unfinished line away.
func (t *typist) wipe() {
	modes, err := t.term.Modes()
	switch {
	case err == nil && modes.Canonical() && !t.line.more:
		t.give([]byte(killLine), 0)
	case t.prog.interrupt != nil:
		if t.line.edited != nil {
			modes.Edit(t.line.edited, []byte(*t.prog.interrupt))
		}
		t.interrupts.deliver(*t.prog.interrupt)
		t.line.sent = sentLine{at: time.Now(), to: t.progress.bytes}
	}
}

// lends says that nothing edits lines at this prompt, nor shows what is typed: the terminal
// shall.
func (t *editing) lends() bool {
	modes, err := t.term.Modes()
	canonical := modes.Canonical()
	own := t.plan.TTY
	silent := canonical || t.prog.output.echo == schema.EchoNone || !own.Echo && canonical == own.Canonical
	return err == nil && !modes.Echoes() && silent
}

// lend lets the terminal edit lines where nothing else does.
func (t *editing) lend() {
	if !t.lends() {
		return
	}
	if undo, err := t.term.Cook(); err == nil {
		t.lent = undo
	}
}

func (t *editing) takeLentBack() {
	if t.lent != nil {
		t.lent()
		t.lent = nil
	}
}

// shownPrompt is the prompt at which the program waits.
func (c *core) shownPrompt() []byte {
	switch {
	case !c.status.byMarker:
		return []byte(c.detect.match.Text)
	case c.prog.prompts.literals != nil:
		return []byte(c.plan.Values["marker"])
	case len(c.stream.shown) > 0:
		return c.stream.shown
	}
	return c.stream.prompt
}

// marker is what a marker says of the line that a person edits.
func (t *typist) marker(kind prompt.Kind) {
	if t.control.state.Step != machine.StepReady {
		return
	}
	if t.line == nil && kind == prompt.Executed && t.met { // a command begins: whatever is known of its line, it is one
		t.begin()
		t.line.unseen = true
	}
	l := t.line
	if l == nil {
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

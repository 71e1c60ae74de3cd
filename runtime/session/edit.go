package session

import (
	"bytes"
	"os"
	"strings"
	"time"

	"example.org/ripple/runtime/internal/echo"
	"example.org/ripple/runtime/internal/prompt"
	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/session/internal/machine"
	"example.org/ripple/schema"
)

// edit gives keys to the line editor, and reports whether it gave all of them.
func (t *typist) edit(k *typedKeys) bool {
	if !t.acceptsKeys() || k.drafted && t.drafts() {
		return false
	}
	if t.line == nil {
		t.kernel.learnHome()
		t.begin()
		t.line.who = k.who
		t.cook()
	}
	l := t.line
	modes, err := t.term.Modes() // later they may be those of the command
	if l.edited != nil && (err != nil || !modes.Canonical()) {
		t.divide()
		l.edited = nil
	}
	if k.signal == 'c' && t.escapes(l) {
		t.escape()
		return true
	}
	if k.ends > 0 && l.edited == nil && !t.onlyEndLeft(k) {
		return false
	}
	waitID := uint64(0)
	if k.ends > 0 {
		waitID = t.kernel.sending(&t.control.policy, &t.control.state)
		if t.control.policy.Promptless {
			waitID = t.kernel.waitNow()
		}
	}
	l.echoes = err != nil || !modes.Canonical() || modes.Echoes()
	if err == nil && modes.Canonical() && !l.more {
		k.raw = bytes.ReplaceAll(k.raw, []byte{0x03}, []byte(killLine)) // some programs exit on Ctrl-C here, or lose the next line
	}
	l.broken = bytes.IndexByte(k.raw, 0x03) >= 0
	l.interrupted = l.interrupted || l.broken
	t.give(k.raw, waitID)
	switch {
	case k.ends == 0:
	case t.announcesOutput() && t.prog.input.clear == "": // otherwise it is unknown what reads the line
		l.entered, l.again = true, nil
	default:
		t.submitTyped()
	}
	return true
}

// begin starts a line at the first key at a prompt.
func (t *editing) begin() {
	cols, rows := t.term.Size()
	t.line = newTypedLine(cols, rows, t.shownPrompt())
	t.line.edited, t.line.changed = &pty.Line{}, -1
}

// onlyEndLeft reports whether only the key that ends the line remains, of keys for a program's own
// line editor. It sends the others: their effect shows whether the editor has processed them.
func (t *typist) onlyEndLeft(k *typedKeys) bool {
	if n := len(k.raw) - k.ends; n > 0 {
		t.give(k.raw[:n], 0)
		k.raw = k.raw[n:]
		return false
	}
	return t.line.sent.at.IsZero() || t.consumed()
}

// give sends keys to the program at its prompt.
func (t *editing) give(raw []byte, waitID uint64) {
	modes, _ := t.term.Modes() // zero if the terminal was closed: the keys are lost
	l := t.line
	t.flow.foreign(l.promptedForMore(false), 0)
	l.plain.add(raw)
	wait := t.kernel.woken(modes, raw)
	if l.edited != nil {
		before := string(l.edited.Bytes())
		l.edit(&modes, raw)
		if string(l.edited.Bytes()) != before {
			l.changed = t.progress.bytes
		}
	}
	if !l.exact() {
		if code := l.code(); code != "" {
			l.known = strings.Split(code, "\n")
		}
		if t.term.Readable(t.progress.bytes) {
			l.arrived.give(raw, 0)
		} else {
			l.arrived.give(raw, wait)
		}
		t.settleLater()
	}
	used, _ := t.term.Work()
	t.send(string(raw))
	l.sent = sentLine{at: time.Now(), used: used, to: t.progress.bytes, waitID: waitID, wait: wait}
}

// submit sends a payload if the program is at its prompt and no user is typing there; a nil command
// means that the program has ended. Errors: ErrTyping, and ErrBusy while a user's command runs.
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
		_ = os.Remove(p.file) // nothing will read it
	}
	return c, err
}

// submitTyped turns the line into a command.
func (t *typist) submitTyped() {
	line := t.line
	if line.entered || !line.exact() || !line.echoes { // without an echo of its end, no more of the line's echo is waited for
		t.divide()
	}
	t.line = nil
	c := t.sender.newCommand()
	c.typed, c.line, c.hides = line, line.sent, t.prog.input.hidesAnswers(line.code())
	if line.interruptPending {
		go t.interrupts.persist(c, "\x03")
	}
	t.cmd, t.stream.used = c, true
	t.decider.step(machine.Input{Kind: machine.InSubmit, Typed: true})
	t.flow.separate(t.stream.lineSent) // text that arrived meanwhile is the line's echo
	c.prelude = newPrelude(echo.Config{Strategy: echo.Silent}, 0, line.entered, t.stream.begins)
	if line.entered {
		c.prelude.text = line.after
	} else if c.prelude.typed = line; !line.echoes { // otherwise its end will be echoed
		t.flow.lineEchoed(c)
	}
	t.decider.settle()
}

// killLine is the key that discards the unfinished line in a terminal that edits lines: VKILL.
const killLine = "\x15"

// wipe discards an unfinished line.
func (t *typist) wipe() {
	modes, err := t.term.Modes()
	switch {
	case t.escapes(t.line):
		t.escape()
	case err == nil && modes.Canonical() && !t.line.more:
		t.give([]byte(killLine), 0)
	case t.prog.interrupt != nil:
		t.flow.foreign(t.line.promptedForMore(false), 0)
		if t.line.edited != nil {
			t.line.edit(&modes, []byte(*t.prog.interrupt))
		}
		t.line.arrived.give([]byte(*t.prog.interrupt), 0)
		if err == nil && modes.Canonical() { // the interrupt may be a signal: the terminal keeps a begun next line
			t.term.DropInput()
		}
		t.interrupts.deliver(*t.prog.interrupt)
		t.line.sent = sentLine{at: time.Now(), to: t.progress.bytes}
	}
}

// needsCooking reports whether nothing edits lines at this prompt or echoes input, so that the
// terminal has to.
func (t *editing) needsCooking() bool {
	modes, err := t.term.Modes()
	canonical := modes.Canonical()
	own := t.plan.TTY
	silent := canonical || t.prog.output.echo == schema.EchoNone || !own.Echo && canonical == own.Canonical
	return err == nil && !modes.Echoes() && silent && !t.editorEchoes(&modes)
}

// cook makes the terminal edit lines if nothing else does, unless its echo has been turned off.
func (t *editing) cook() {
	if !t.needsCooking() || t.kernel.home != (pty.Place{}) && t.secret() {
		return
	}
	if undo, err := t.term.MakeCooked(); err == nil {
		t.uncook = undo
	}
}

func (t *editing) restoreModes() {
	if t.uncook != nil {
		t.uncook()
		t.uncook = nil
	}
}

// shownPrompt returns the prompt at which the program waits.
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

// marker handles a marker's meaning for the line that a user edits.
func (t *typist) marker(kind prompt.Kind) {
	if t.control.state.Step != machine.StepReady {
		return
	}
	if t.line == nil && kind == prompt.Executed && t.used { // a command starts, even if its line is unknown
		t.begin()
		t.line.unseen = true
	}
	l := t.line
	if l == nil {
		return
	}
	switch {
	case kind == prompt.Continuation && l.edited == nil && !l.entered:
		l.redraws()
	case kind != prompt.Cwd && kind != prompt.ContinuationEnd:
		t.divide()
		t.flow.foreign(l.promptedForMore(false), 0)
	}
	switch kind {
	case prompt.Executed:
		t.submitTyped()
	case prompt.Finished, prompt.PromptStart:
		if l.entered && l.code() != "" { // it had no output, or was refused
			t.submitTyped()
		} else if kind == prompt.PromptStart {
			t.flow.foreign(wholeLines(l.after), 0)
			l.promptBegins()
		}
	case prompt.InputStart:
		if l.began || t.stream.region == regionPrompt { // the user typed before it was drawn
			l.promptEnds()
		}
		l.again = l.known
	case prompt.Continuation:
		t.flow.foreign(l.continueLine(), 0)
	}
}

// announce reports to the caller a command that a user typed.
func (t *typist) announce(c *command) {
	if c.typed != nil && !c.typed.announced {
		c.typed.announced = true
		t.printer.enqueue(job{kind: jobTypedLine, c: c, typed: &TypedCommand{t.core, c}}, nil)
	}
}

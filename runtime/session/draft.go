package session

import (
	"bytes"
	"slices"

	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/session/internal/machine"
)

// draft is an unfinished line that a user edits in their own terminal. The program receives nothing
// of it until it is entered, and no command of another user or caller is sent meanwhile.
type draft struct {
	who     int         // the user who edits it; 0: none
	dropped map[int]int // number of drafts of each user that others have discarded
}

// begin records that a user has a draft; the first user's draft wins.
func (d *draft) begin(who int) {
	if d.who == 0 {
		d.who = who
	}
}

func (d *draft) end(who int) {
	if d.who == who {
		d.who = 0
	}
}

// others reports whether another user has a draft.
func (d *draft) others(who int) bool { return d.who != 0 && d.who != who }

// drop discards the draft.
func (d *draft) drop() {
	if d.dropped == nil {
		d.dropped = map[int]int{}
	}
	d.dropped[d.who]++
	d.who = 0
}

// dropDraft discards the draft of another user than who, and notifies its user.
func (t *typist) dropDraft(who int) {
	if t.draft.others(who) {
		t.draft.drop()
		t.life.notify()
	}
}

// TypeDraft is Type for a user who edits lines in their own terminal. A running command receives the
// keys as from Type. At the prompt the program does not receive them: they start an unfinished line
// of that user, if no other user has one, and Prompt returns them. Ctrl-C starts no line: the program receives it.
//
// Errors: ErrExited, ErrClosed.
func (s *Session) TypeDraft(who int, b []byte) error { return acceptKeys(s, who, b, true) }

// Enter passes to the program a line, including its line ending, that the user has edited in their
// own terminal, or keys for the program; the user's draft ends. Like Type, it holds input that the
// program cannot accept yet.
//
// Errors: ErrExited, ErrClosed.
func (s *Session) Enter(who int, b []byte) error {
	err := acceptKeys(s, who, b, false)
	s.EndDraft(who)
	return err
}

// EndDraft reports that a user's unfinished line, which began with keys from Prompt, is empty
// again. Until then, or until Enter, Eval fails with ErrTyping, and input of other users is held.
func (s *Session) EndDraft(who int) {
	d := s.driver()
	d.locked(func() {
		d.typist.draft.end(who)
		d.typist.giveKeys()
	})
}

// Prompt describes the program's state for a user who edits lines in their own terminal.
type Prompt struct {
	Phase        Phase
	Continuation bool   // the program asks for another line of a command
	Editable     bool   // the user may edit a line: the program waits at its prompt and echoes input there
	Keys         []byte // keys from Session.TypeDraft that the user is to edit; each is returned once
	Dropped      int    // number of this user's unfinished lines that another user has discarded
	BytesRead    int64  // number of bytes of output read so far, with code that was shown: see Options.OnTerminal
	Cwd          string

	Changes <-chan struct{} // closed at the next change of phase
}

// Prompt returns the program's state for a user, and the keys of the line that the user is to edit.
func (s *Session) Prompt(who int) Prompt {
	d := s.driver()
	changes := d.changes()
	var p Prompt
	d.locked(func() {
		t := d.typist
		p = Prompt{Changes: changes, Phase: t.phase(), Continuation: t.continuedLine().wanted(), Editable: t.takesDraft(who), Dropped: t.draft.dropped[who], BytesRead: t.progress.bytes + t.shown.bytes}
		if p.Editable {
			if p.Keys = t.held.takeDrafted(who); len(p.Keys) > 0 {
				t.draft.begin(who)
			}
		}
	})
	if p.Editable {
		d.printer.upToDate(func() { p.Cwd = d.status.cwd })
	}
	return p
}

// drafts reports whether keys for a draft must not go to the program now. Keys of a line that the
// program has partly received do go to it, and so do keys for a command that reads input.
func (t *typist) drafts() bool {
	switch t.control.state.Step {
	case machine.StepReady:
		return !t.secret() && (!t.edits() || t.line.wanted())
	case machine.StepRunning:
		return t.continuedLine().wanted() && !t.secret()
	}
	return false
}

// continuedLine returns the line for which the program asks for more; nil: none.
func (t *typist) continuedLine() *typedLine {
	if t.cmd != nil {
		return t.cmd.typed
	}
	return t.line
}

// wanted reports whether the program has asked for another line of a command and has received
// nothing of it.
func (l *typedLine) wanted() bool {
	if l == nil || !l.more || l.entered || l.broken || l.edited == nil {
		return false
	}
	return bytes.HasSuffix(l.edited.Bytes(), []byte("\n"))
}

// unfinished reports whether the program asks for more of the line's command. The user may have begun the next line.
func (l *typedLine) unfinished() bool {
	return l != nil && l.more && !l.entered && !l.broken && l.edited != nil
}

// escapes reports whether the adapter's escape withdraws the command of an unfinished line.
func (c *core) escapes(l *typedLine) bool {
	return l.unfinished() && c.prog.withdrawal.Setting == settingEscape
}

// prepareEscape discards what the terminal keeps of the next line, and shows Ctrl-C instead of the escape.
func (t *editing) prepareEscape(l *typedLine) {
	if modes, err := t.term.Modes(); err == nil && modes.Canonical() && !l.wanted() {
		t.send(killLine)
	}
	t.restoreModes() // otherwise the terminal may echo the escape
	if modes, err := t.term.Modes(); err == nil && !modes.Echoes() || t.hidesEscape() {
		t.showEscape()
	}
}

// hidesEscape reports whether the program's answer to the adapter's escape can be hidden: its end is known, since the prompt has a
// marker.
func (c *core) hidesEscape() bool {
	return c.prog.withdrawal.Setting == settingEscape && c.prog.prompts.literals != nil
}

// showEscape shows Ctrl-C instead of the escape, and of the program's answer if it can be hidden.
func (c *core) showEscape() {
	c.show("^C\r\n", nil)
	if c.hidesEscape() {
		c.term.HideUntil([]byte(c.plan.Values["marker"]))
	}
}

// escape withdraws the command of which a user edits the next line at the prompt.
func (t *editing) escape() {
	l := t.line
	t.prepareEscape(l)
	t.give([]byte(t.prog.withdrawal.Key), 0)
	l.broken, l.interrupted, l.edited = true, true, &pty.Line{}
}

// secret reports whether the terminal edits lines at the prompt without echoing them, or does not
// edit them, although it did at the start: something has changed that (stty -echo, stty raw).
func (t *editing) secret() bool {
	if t.uncook != nil || !t.plan.TTY.Echo {
		return false
	}
	return !t.kernel.silent && t.kernel.hides() || t.kernel.edited && !t.kernel.cooked()
}

// takesDraft reports whether a user may edit a line in their own terminal: the program reads at its
// prompt and neither it nor another user has a line there, or it asks this user for another line.
func (t *typist) takesDraft(who int) bool {
	if t.control.state.Step == machine.StepReady && t.line == nil {
		t.kernel.learnHome()
	}
	l := t.continuedLine()
	if !t.drafts() || t.draft.others(who) || l != nil && l.who != who || t.held.undrafted() {
		return false
	}
	reads := t.cmd == nil && t.acceptsKeys()
	if t.cmd != nil {
		_, reads = t.listens()
	}
	return reads && t.term.Queued() == 0 && !t.term.Readable(t.progress.bytes)
}

// undrafted reports whether there are keys for the prompt itself.
func (h held) undrafted() bool {
	return slices.ContainsFunc(h, func(k typedKeys) bool { return !k.drafted })
}

// drafted reports whether a user has typed keys for a draft.
func (h held) drafted(who int) bool {
	return slices.ContainsFunc(h, func(k typedKeys) bool { return k.who == who && k.drafted })
}

// takeDrafted removes and returns the keys that a user has typed for a draft.
func (h *held) takeDrafted(who int) (all []byte) {
	*h = slices.DeleteFunc(*h, func(k typedKeys) bool {
		if k.who != who || !k.drafted {
			return false
		}
		all = append(all, k.raw...)
		return true
	})
	return all
}

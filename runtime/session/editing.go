package session

import (
	"time"

	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/session/internal/machine"
)

// editing is the line that a user edits at the prompt.
type editing struct {
	*core
	flow     *flow
	line     *typedLine // nil: none
	settling bool       // a goroutine settles the line
	uncook   func()     // restores the terminal's modes after it was set to echo and edit lines for the user; nil: it was not
}

// acceptsKeys reports whether the program reads keys at its prompt: it waits for input, and the
// effect of earlier keys is known.
func (t *editing) acceptsKeys() bool {
	switch l := t.line; {
	case t.stream.region == regionPrompt && t.stream.ends, t.starting():
		return false
	case l == nil:
		return true
	case l.entered:
		return t.asksForMore()
	case l.broken:
		return t.consumed()
	}
	return true
}

// completes reports whether the program processes the line that a user edits, so that the terminal
// would interrupt it.
func (t *editing) completes() bool {
	return t.control.state.Step == machine.StepReady && t.line != nil && t.line.edited == nil && t.starting()
}

// starting reports whether the program has printed its prompt but does not read yet. If the
// terminal's modes were changed now, a line editor would take them for the modes to restore later.
func (t *editing) starting() bool {
	r := t.term.Readiness()
	return r.State == pty.Busy && !r.Listens
}

// consumed reports whether the program has read the latest input and waits again. Its output is
// checked while it waits: before that more may follow.
func (t *editing) consumed() bool {
	return t.term.Queued() == 0 && t.waitsAgain() && !t.term.Readable(t.progress.bytes)
}

func (t *editing) waitsAgain() bool {
	l, sent := t.line, &t.line.sent
	passed := time.Since(sent.at)
	switch r := t.term.Readiness(); {
	case l.edited == nil && passed >= keyTimeout:
		return r.State != pty.Busy || r.Listens
	case sent.wait == 0 && !pty.Tells && t.progress.bytes == sent.to:
		return l.unaffected(passed)
	case sent.wait == 0:
		return r.State != pty.Busy && passed >= silentFlight && t.progress.bytes > sent.to
	default:
		now := t.kernel.waitNow()
		return now != 0 && now != sent.wait
	}
}

// unaffected reports whether the keys sent last, which have shown nothing for that long, have no
// effect; the kernel does not report it. A line that looks empty is given more time, because a command
// could be sent in the middle of it; its first character would be shown.
func (l *typedLine) unaffected(passed time.Duration) bool {
	keys := l.arrived.keys
	switch {
	case l.entered, l.broken:
		return false
	case l.code() != "":
		return passed >= silentFlight
	}
	return passed >= unknownFlight && (len(keys) == 0 || keys[0] < ' ' || keys[0] == 0x7f)
}

// delivered reports whether the program has received the latest keys, or whether it does not matter
// when it does: the effect on a line that the terminal edits is known, and the terminal has echoed
// it.
func (t *editing) delivered() bool {
	l, limit := t.line, silentFlight
	printed := t.progress.bytes > l.sent.to
	switch {
	case t.term.Queued() > 0:
		return false
	case l.edited != nil && l.echoes && !l.unseen:
		printed, limit = t.progress.bytes > l.changed && l.displayed(), keyTimeout
	case l.edited != nil && t.uncook == nil:
		return true
	case l.sent.wait != 0:
		now := t.kernel.waitNow()
		printed, limit = printed || now != 0 && now != l.sent.wait, keyTimeout
	}
	return printed || time.Since(l.sent.at) >= limit
}

// asksForMore reports whether the program has read the end of a line and wants more of it, without a
// marker that says so.
func (t *editing) asksForMore() bool {
	l := t.line
	passed := time.Since(l.sent.at)
	shown := l.below || l.edited == nil && passed >= silentFlight || !l.echoes
	if !shown || !t.consumed() {
		return false
	}
	t.flow.foreign(l.continueLine(), 0)
	return true
}

// unfinishedLine returns the line of the running command if the program asks for more of it and its user has not left; nil: none.
func (c *core) unfinishedLine() *typedLine {
	if c.cmd == nil || !c.cmd.typed.unfinished() || c.cmd.typed.left {
		return nil
	}
	return c.cmd.typed
}

// typing reports whether a user types at the prompt, or the next line of an unfinished command.
func (t *typist) typing() bool {
	return t.unfinishedLine() != nil || t.control.state.Step == machine.StepReady && (len(t.held) > 0 || t.draft.who != 0 || t.edits())
}

// whose returns the user who types a line at the prompt; 0: none.
func (t *typist) whose() int {
	if !t.typing() {
		return 0
	}
	if who := t.owner(); who != 0 || len(t.held) == 0 {
		return who
	}
	return t.held[0].who
}

// edits reports whether a user edits a line at the prompt. A line that is known to be empty again
// does not count.
func (t *editing) edits() bool {
	l := t.line
	switch {
	case t.control.state.Step != machine.StepReady || l == nil:
		return false
	case !t.settle():
		return true
	case l.entered && !t.asksForMore(), l.code() != "", !t.delivered(), l.broken && !t.consumed():
		return true
	case l.edited != nil && t.uncook == nil:
	case t.term.Readiness().State == pty.Busy || t.term.Readable(t.progress.bytes):
		return true
	}
	t.line = nil
	t.restoreModes()
	return false
}

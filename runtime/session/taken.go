package session

import (
	"time"

	"ripple/runtime/pty"
	"ripple/runtime/session/internal/machine"
)

// editing is the line that somebody edits at the prompt.
type editing struct {
	*core
	line *typedLine // nil: none
	lent func()     // undoes that the terminal echoes and edits lines for him; nil: it does not
}

// takes says whether the program takes keys at its prompt: it has come to reading, and what
// came of the keys before is known.
func (t *editing) takes() bool {
	switch l := t.line; {
	case t.stream.region == regionPrompt && t.stream.ends, t.arrives():
		return false
	case l == nil:
		return true
	case l.entered:
		return t.asksOn()
	case l.broken:
		return t.taken()
	}
	return true
}

// completes says that the program works on the line that somebody edits, and that the
// terminal would interrupt it.
func (t *editing) completes() bool {
	return t.control.state.Step == machine.StepReady && t.line != nil && t.line.edited == nil && t.arrives()
}

// arrives says that the program has printed its prompt and does not read yet. A line editor
// that finds the terminal lent then takes that for the modes it has to restore, and keeps them.
func (t *editing) arrives() bool {
	r := t.term.Readiness()
	return r.State == pty.Busy && !r.Listens
}

// taken says that the program has had what was sent last, and waits again. What it printed
// on the way is looked for when it waits: before, it may be still to come.
func (t *editing) taken() bool {
	return t.term.Queued() == 0 && t.waitsAgain() && !t.term.Readable(t.progress.bytes)
}

func (t *editing) waitsAgain() bool {
	l, sent := t.line, &t.line.sent
	passed := time.Since(sent.at)
	switch r := t.term.Readiness(); {
	case l.edited == nil && passed >= lostKey:
		return r.State != pty.Busy || r.Listens
	case sent.wait == 0:
		return r.State != pty.Busy && passed >= silentFlight && t.progress.bytes > sent.to
	default:
		now := t.kernel.waitNow()
		return now != 0 && now != sent.wait
	}
}

// arrived says that the program has had the keys that were sent last, or that it does not
// matter when it gets them: what comes of a line that the terminal edits is known, and
// the terminal has shown it.
func (t *editing) arrived() bool {
	l, limit := t.line, silentFlight
	printed := t.progress.bytes > l.sent.to
	switch {
	case t.term.Queued() > 0:
		return false
	case l.edited != nil && l.echoes && !l.unseen:
		printed, limit = t.progress.bytes > l.changed && l.seen() == "", lostKey
	case l.edited != nil && t.lent == nil:
		return true
	case l.sent.wait != 0:
		now := t.kernel.waitNow()
		printed, limit = printed || now != 0 && now != l.sent.wait, lostKey
	}
	return printed || time.Since(l.sent.at) >= limit
}

// asksOn says that the program has taken the end of a line, and wants more of it, without
// a marker that says so.
func (t *editing) asksOn() bool {
	l := t.line
	passed := time.Since(l.sent.at)
	shown := l.below || l.edited == nil && passed >= silentFlight || !l.echoes
	if !shown || !t.taken() {
		return false
	}
	l.goesOn()
	return true
}

// typing says whether somebody types at the prompt.
func (t *typist) typing() bool {
	return t.control.state.Step == machine.StepReady && (len(t.held) > 0 || t.edits())
}

// edits says whether somebody edits a line at the prompt. One that is empty again, as far
// as that is known, is none.
func (t *editing) edits() bool {
	l := t.line
	switch {
	case t.control.state.Step != machine.StepReady || l == nil:
		return false
	case l.entered && !t.asksOn(), l.code() != "", !t.arrived(), l.broken && !t.taken():
		return true
	case l.edited != nil && t.lent == nil:
	case t.term.Readiness().State == pty.Busy || t.term.Readable(t.progress.bytes):
		return true
	}
	t.line = nil
	t.takeLentBack()
	return false
}

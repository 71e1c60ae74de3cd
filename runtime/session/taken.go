package session

import (
	"time"

	"ripple/runtime/pty"
	"ripple/runtime/session/internal/machine"
)

// takes says whether the program takes keys at its prompt: it has come to reading, and what
// came of the keys before is known.
func (t *typist) takes() bool {
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
func (t *typist) completes() bool {
	return t.control.state.Step == machine.StepReady && t.line != nil && t.line.edited == nil && t.arrives()
}

// arrives says that the program has printed its prompt and does not read yet. A line editor
// that finds the terminal lent then takes that for the modes it has to restore, and keeps them.
func (t *typist) arrives() bool {
	r := t.term.Readiness()
	return r.State == pty.Busy && !r.Listens
}

// taken says that the program has had what was sent last, and waits again.
func (t *typist) taken() bool {
	l, sent := t.line, &t.line.sent
	if t.term.Queued() > 0 || t.term.Readable(t.progress.bytes) {
		return false
	}
	passed := time.Since(sent.at)
	switch r := t.term.Readiness(); {
	case l.edited == nil && passed >= lostKey:
		return r.State != pty.Busy || r.Listens
	case sent.wait == 0:
		return r.State != pty.Busy && passed >= silentFlight && t.progress.bytes > sent.to
	default:
		return (r.State == pty.Waiting || r.Listens) && t.term.WaitID() != sent.wait
	}
}

// arrived says that the program has had the keys that were sent last, or that it does not
// matter when it gets them: a line that the terminal edits is known.
func (t *typist) arrived() bool {
	l, limit := t.line, silentFlight
	switch {
	case t.term.Queued() > 0:
		return false
	case l.edited != nil && t.lent == nil, t.progress.bytes > l.sent.to:
		return true
	case l.sent.wait != 0 && t.kernel.waitNow() != l.sent.wait:
		return true
	case l.sent.wait != 0, t.lent != nil:
		limit = lostKey
	}
	return time.Since(l.sent.at) >= limit
}

// asksOn says that the program has taken the end of a line, and wants more of it, without
// a marker that says so.
func (t *typist) asksOn() bool {
	l := t.line
	passed := time.Since(l.sent.at)
	shown := l.below || l.edited == nil && passed >= silentFlight || !l.echoes
	if !shown || !t.taken() {
		return false
	}
	l.goesOn()
	return true
}

// typing says whether somebody edits a line at the prompt. One that is empty again, as
// far as the program shows it, is none.
func (t *typist) typing() bool {
	l := t.line
	switch {
	case t.control.state.Step != machine.StepReady || l == nil:
		return len(t.held) > 0 && t.control.state.Step == machine.StepReady
	case len(t.held) > 0, l.entered && !t.asksOn(), l.code() != "", !t.arrived(), l.broken && !t.taken():
		return true
	case l.edited != nil && t.lent == nil:
	case t.term.Readable(t.progress.bytes) || t.term.Readiness().State == pty.Busy:
		return true
	}
	t.line = nil
	t.takeLentBack()
	return false
}

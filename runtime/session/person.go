package session

import (
	"context"
	"time"

	"ripple/runtime/internal/keys"
	"ripple/runtime/pty"
	"ripple/runtime/session/internal/machine"
)

// typist has what persons type at the program's terminal. At the prompt the line editor is
// his who types the first key: until his line is a command or is empty again, no command
// of others is sent, and keys of other persons are held.
type typist struct {
	*core
	flow    *flow
	decider *decider
	sender  *sender
	viewer  *viewer
	persons
	editing
}

// persons are those who type, and what they have typed.
type persons struct {
	split map[int]*keys.Splitter
	held  held
	gives bool // a goroutine sees to that
	midst int  // who has typed a part of a line that a command reads; 0: nobody
	met   bool // somebody has typed here
}

// Type gives the program what a person types at its terminal; b ends with a whole key. Who
// is a positive number that tells persons apart: what one types comes after the line that
// another one has begun. At the prompt it is a line of his own, which becomes a command
// (Options.Typed), and until then Eval is refused with ErrTyping. While a command runs that
// does not read the terminal, keys are held until it does or has ended; those that are
// signals (Ctrl-C, Ctrl-Z, Ctrl-\) pass, and what was held of him is forgotten, as a
// terminal does. What a terminal answers on its own is dropped: the one that the program
// runs on has answered.
//
// Errors: ErrExited, ErrClosed.
func (s *Session) Type(who int, b []byte) error {
	d := s.driver()
	d.locked(func() {
		t := d.typist
		t.met = true
		key := func(k *keys.Key) { t.key(who, k) }
		split := t.splitter(who)
		split.Feed(b, key)
		split.Flush(key)
		t.giveKeys()
		if len(t.held) > 0 && !t.gives {
			t.gives = true
			go t.keepGiving()
		}
	})
	if d.isDead() {
		return s.ended(d)
	}
	return nil
}

func (p *persons) splitter(who int) *keys.Splitter {
	if p.split == nil {
		p.split = map[int]*keys.Splitter{}
	}
	if p.split[who] == nil {
		p.split[who] = &keys.Splitter{}
	}
	return p.split[who]
}

// Leave says that a person sits at the terminal no more: keys that are held of him are
// forgotten, and a line that he has not finished is taken away as far as the program lets it.
func (s *Session) Leave(who int) {
	d := s.driver()
	d.locked(func() {
		t := d.typist
		delete(t.split, who)
		t.held.forget(who)
		if t.midst == who {
			t.midst = 0
		}
		if t.edits() && t.line.who == who {
			go t.keepWiping(t.line)
		}
	})
}

// enoughWipes is how often a line is taken away whose program does not let it.
const enoughWipes = 5

// keepWiping takes an unfinished line away: a line editor may lose a key that comes
// together with others.
func (t *typist) keepWiping(line *typedLine) {
	timer := time.NewTimer(firstPoll)
	defer timer.Stop()
	for wipes, gone := 0, false; !gone && wipes < enoughWipes; {
		t.locked(func() {
			gone = !t.edits() || t.line != line
			if !gone && !line.entered && t.arrived() && t.term.Readiness().State != pty.Busy {
				t.wipe()
				wipes++
			}
		})
		timer.Reset(longestPoll)
		select {
		case <-timer.C:
		case <-t.life.dead:
			return
		}
	}
}

// key takes a key in its order.
func (t *typist) key(who int, k *keys.Key) {
	signal := rune(0)
	if k.Kind == keys.Typed && k.Ctrl && len(k.Raw) == 1 && signals(k.Code) && t.term.Interrupts() {
		signal = k.Code
	}
	if signal != 0 {
		t.held.forget(who)
	}
	switch {
	case k.Kind == keys.Reply:
	case signal != 0 && t.cmd != nil:
		t.midst = 0
		t.signal(signal, k.Raw)
	case signal == 'c' && t.line != nil && t.line.entered: // for what the line becomes
		t.line.owed = true
	case signal == 'c' && t.completes():
		t.line.broken = true
		t.give(k.Raw, 0)
	default:
		t.held.add(who, k, signal)
	}
}

// signal is a key for the running command that a terminal makes a signal of.
func (t *typist) signal(code rune, raw []byte) {
	if code == 'c' {
		go t.interrupts.persist(context.Background(), t.cmd, "\x03") // it may come too early
		return
	}
	t.sender.typed(raw)
}

// signals says that a terminal makes signals of a control key: termios(3), VINTR, VQUIT, VSUSP.
func signals(code rune) bool { return code == 'c' || code == '\\' || code == 'z' }

// giveKeys gives the program what it may have now.
func (t *typist) giveKeys() {
	for {
		k := t.held.next(t.owner())
		if k == nil || !t.giveNext(k) {
			return
		}
		t.held.given(k)
	}
}

// owner is who is in the midst of a line; 0: nobody.
func (t *typist) owner() int {
	if t.control.state.Step == machine.StepRunning {
		return t.midst
	}
	t.midst = 0
	if t.edits() {
		return t.line.who
	}
	return 0
}

// giveNext gives the program keys, and says whether it may have them.
func (t *typist) giveNext(k *typedKeys) bool {
	switch t.control.state.Step {
	case machine.StepReady:
		return t.edit(k)
	case machine.StepExited:
	case machine.StepRunning:
		switch {
		case k.signal != 0 && t.term.Interrupts():
			t.signal(k.signal, k.raw)
		case !t.listens():
			return false
		default:
			t.goesOn(k)
			t.sender.typed(k.raw)
		}
	default: // somebody answers what it asks at its start
		t.send(string(k.raw))
	}
	return true
}

// goesOn notes whose line it is that a command reads: the terminal gives it whole lines.
func (t *typist) goesOn(k *typedKeys) {
	modes, err := t.term.Modes()
	t.midst = 0
	if err == nil && modes.Canonical() && !k.closed() && k.raw[len(k.raw)-1] != eof {
		t.midst = k.who
	}
}

// eof is the key that has a terminal hand over an unfinished line: VEOF.
const eof = 0x04

// keepGiving gives the program the keys that are held as soon as it may have them: that
// it reads nobody tells.
func (t *typist) keepGiving() {
	timer := time.NewTimer(firstPoll)
	defer timer.Stop()
	left := 0
	for gap := firstPoll; ; gap = min(gap*2, longestPoll) {
		changed := t.changes()
		before := left
		t.locked(func() {
			t.giveKeys()
			left = len(t.held)
			t.gives = left > 0
		})
		if left == 0 {
			return
		}
		if left != before {
			gap = firstPoll
		}
		timer.Reset(gap)
		select {
		case <-changed:
		case <-timer.C:
		case <-t.life.dead:
		}
	}
}

// listens says whether the running command may be given keys: it waits for input, it
// looks for keys now and then, or what it has started took the terminal for itself.
func (t *typist) listens() bool {
	if t.viewer.onItsWay() || t.viewer.prompting() || t.control.policy.InSilence(&t.control.state) { // there its waiting is the end of the command
		return false
	}
	r := t.term.Readiness()
	if t.term.Readable(t.progress.bytes) { // its prompt may be among that
		return false
	}
	switch {
	case r.State == pty.Waiting, r.Listens, r.Timed, !pty.Tells:
		return true
	case r.State == pty.Unknown && t.cmd.typed != nil && time.Since(t.cmd.line.at) > unknownFlight:
		return true
	}
	modes, err := t.term.Modes()
	return err == nil && !modes.Canonical() && !r.Leader
}

// unknownFlight is how long a program that blocks alike at its prompt and in a command
// is given to come to the prompt, before keys go to the person's own command.
const unknownFlight = time.Second

package session

import (
	"context"
	"time"

	"ripple/runtime/internal/keys"
	"ripple/runtime/pty"
	"ripple/runtime/session/internal/machine"
)

// typist has what a person types at the program's terminal; several are one: all keys
// come in one order. At the prompt the line editor is his: from the first key on no
// command of others is sent, until his line is a command or is empty again.
type typist struct {
	*core
	flow    *flow
	decider *decider
	sender  *sender
	viewer  *viewer
	person
}

// person is what he has typed.
type person struct {
	split keys.Splitter
	held  []typedKeys // what the program has not been given
	gives bool        // a goroutine sees to that
	line  *typedLine  // what he edits at the prompt; nil: nothing
	met   bool        // somebody has typed here
	left  bool        // nobody is there any more
	lent  func()      // undoes that the terminal echoes and edits lines for him; nil: it does not
}

// typedKeys are keys up to the end of a line, or as far as they were typed.
type typedKeys struct {
	raw    []byte
	ends   int  // how many bytes the last key has, which ends a line; 0: none does
	signal rune // it is a single key that terminals make signals of; 0: it is not
}

// closed says that what is typed next goes on elsewhere.
func (k *typedKeys) closed() bool { return k.ends > 0 || k.signal != 0 }

// count is how many bytes are held.
func (p *person) count() (n int) {
	for _, k := range p.held {
		n += len(k.raw)
	}
	return n
}

// Type gives the program what a person types at its terminal; b ends with a whole key.
// At the prompt it is a line of his own, which becomes a command (Options.Typed), and
// until then Eval is refused with ErrTyping. While a command runs that does not read the
// terminal, keys are held until it does or has ended; those that are signals (Ctrl-C,
// Ctrl-Z, Ctrl-\) pass, and what was held is forgotten, as a terminal does. What a
// terminal answers on its own is dropped: the one that the program runs on has answered.
//
// Errors: ErrExited, ErrClosed.
func (s *Session) Type(b []byte) error {
	d := s.driver()
	d.locked(func() {
		p := d.typist
		p.met, p.left = true, false
		p.split.Feed(b, p.key)
		p.split.Flush(p.key)
		p.giveKeys()
		if len(p.held) > 0 && !p.gives {
			p.gives = true
			go p.keepGiving()
		}
	})
	if d.isDead() {
		return s.ended(d)
	}
	return nil
}

// Leave says that nobody sits at the terminal any more: keys that are held are
// forgotten, and a line that is not finished is taken away as far as the program lets it.
func (s *Session) Leave() {
	d := s.driver()
	unfinished := false
	d.locked(func() {
		d.typist.held, d.typist.left = nil, true
		unfinished = d.typist.typing()
	})
	if unfinished {
		go d.typist.keepWiping()
	}
}

// enoughWipes is how often a line is taken away whose program does not let it.
const enoughWipes = 5

// keepWiping takes an unfinished line away: a line editor may lose a key that comes
// together with others.
func (t *typist) keepWiping() {
	timer := time.NewTimer(firstPoll)
	defer timer.Stop()
	for wipes, gone := 0, false; !gone && wipes < enoughWipes; {
		t.locked(func() {
			gone = !t.left || !t.typing()
			if !gone && t.line != nil && !t.line.entered && t.arrived() && t.term.Readiness().State != pty.Busy {
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
func (t *typist) key(k *keys.Key) {
	signal := rune(0)
	if k.Kind == keys.Typed && k.Ctrl && len(k.Raw) == 1 && signals(k.Code) && t.term.Interrupts() {
		signal = k.Code
	}
	switch {
	case k.Kind == keys.Reply:
		return
	case signal != 0 && t.cmd != nil:
		t.held = nil
		t.signal(signal, k.Raw)
		return
	case signal == 'c' && t.line != nil && t.line.entered: // for what the line becomes
		t.held, t.line.owed = nil, true
		return
	case signal == 'c' && t.completes():
		t.held, t.line.broken = nil, true
		t.give(k.Raw, 0)
		return
	}
	last := len(t.held) - 1
	if last < 0 || t.held[last].closed() || signal != 0 {
		t.held = append(t.held, typedKeys{signal: signal})
		last++
	}
	t.held[last].raw = append(t.held[last].raw, k.Raw...)
	if k.Enter() {
		t.held[last].ends = len(k.Raw)
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
	for len(t.held) > 0 {
		k := &t.held[0]
		switch t.control.state.Step {
		case machine.StepReady:
			if !t.edit(k) {
				return
			}
		case machine.StepRunning:
			switch {
			case k.signal != 0 && t.term.Interrupts():
				t.signal(k.signal, k.raw)
			case !t.listens():
				return
			default:
				t.sender.typed(k.raw)
			}
		case machine.StepExited:
			t.held = nil
			return
		default: // somebody answers what it asks at its start
			t.send(string(k.raw))
		}
		t.held = t.held[1:]
	}
	t.held = nil
}

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

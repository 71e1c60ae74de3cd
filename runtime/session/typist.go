package session

import (
	"context"
	"time"

	"example.org/ripple/runtime/internal/keys"
	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/session/internal/machine"
)

// typist handles input of users at the program's terminal. At the prompt the line editor belongs to
// the user who types the first key: until that user's line is a command or is empty again, other
// commands are not sent and keys of other users are held.
type typist struct {
	*core
	decider *decider
	sender  *sender
	viewer  *viewer
	userInput
	editing
	draft draft
}

// userInput is the input of users.
type userInput struct {
	split  map[int]*keys.Splitter
	held   held
	giving bool      // a goroutine gives the held keys
	begun  begunLine // in the terminal
	used   bool      // a user has typed here
}

// Type gives the program what a user types at its terminal; b ends with a whole key. The positive
// number who identifies the user: input of one user follows the line that another user has begun.
// At the prompt it is a line of this user, which becomes a command (Options.OnTyped); until then Eval
// fails with ErrTyping. While a command runs that does not read the terminal, keys are held until
// it does or has ended; keys that send signals (Ctrl-C, Ctrl-Z, Ctrl-\) pass, and held input of
// that user is discarded, as a terminal does. A command that asks for a secret gets whole lines; one that is unfinished when the
// question is over is dropped up to its end, even if the command asks for another secret. Other keys are dropped while a command is
// stopped that may have asked for a secret. If the terminal does flow control, Ctrl-S is dropped and Ctrl-Q passes. Replies of the
// user's terminal to queries are dropped: the program's own terminal has answered.
//
// Errors: ErrExited, ErrClosed.
func (s *Session) Type(who int, b []byte) error { return acceptKeys(s, who, b, false) }

// acceptKeys accepts keys of a user; drafted keys come from TypeDraft.
func acceptKeys(s *Session, who int, b []byte, drafted bool) error {
	d, _, err := s.current()
	if err != nil {
		return err
	}
	d.locked(func() {
		t := d.typist
		t.used = true
		key := func(k *keys.Key) { t.key(who, k, drafted) }
		if len(t.held) > 0 {
			t.giveKeys() // keys for a question that is over must not get further ones
		}
		split := t.splitter(who)
		split.Feed(b, key)
		split.Flush(key)
		t.giveKeys()
		if t.held.drafted(who) && t.takesDraft(who) {
			t.draft.begin(who)
		}
		t.giveLater()
	})
	if d.isDead() {
		return s.ended(d)
	}
	return nil
}

func (p *userInput) splitter(who int) *keys.Splitter {
	if p.split == nil {
		p.split = map[int]*keys.Splitter{}
	}
	if p.split[who] == nil {
		p.split[who] = &keys.Splitter{}
	}
	return p.split[who]
}

// Detach reports that a user has left the terminal: held keys of that user are discarded. It returns when
// an unfinished line of the user has been removed, or the program does not allow it, or after a second:
// the line is then removed as soon as the program reads.
func (s *Session) Detach(who int) {
	d := s.driver()
	var left *typedLine
	var unfinished *command
	d.locked(func() {
		t := d.typist
		delete(t.split, who)
		t.held.forget(who)
		t.draft.end(who)
		if t.begun.who == who {
			t.begun.end()
		}
		if t.edits() && t.line.who == who {
			left = t.line
		}
		if c := t.cmd; c != nil && c.typed != nil && c.typed.who == who {
			c.typed.left = true
			if c.typed.more && !c.typed.entered {
				unfinished = c
			}
		}
	})
	if left == nil && unfinished == nil {
		return
	}
	wiped := make(chan struct{})
	go func() {
		defer close(wiped)
		if unfinished != nil {
			d.interrupts.abandon(unfinished)
		} else {
			d.typist.wipeRepeatedly(left)
		}
	}()
	limit := time.NewTimer(detachLimit)
	defer limit.Stop()
	select {
	case <-wiped:
	case <-limit.C: // the program is stopped, or busy at its prompt
	}
}

// detachLimit is how long Detach waits.
const detachLimit = time.Second

// maxWipes is how often removing a line is tried if the program does not remove it.
const maxWipes = 5

// wipeRepeatedly removes an unfinished line. It tries several times, because a line editor may lose
// a key that arrives together with others.
func (t *typist) wipeRepeatedly(line *typedLine) {
	timer := time.NewTimer(firstPoll)
	defer timer.Stop()
	for tries, gone := 0, false; !gone && tries < maxWipes; {
		t.locked(func() {
			gone = !t.edits() || t.line != line
			if !gone && t.wipes(line) {
				t.wipe()
				tries++
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

// wipes reports whether keys that remove the line would be read now: a stopped program reads none, unless
// the terminal edits the line.
func (t *typist) wipes(line *typedLine) bool {
	if line.broken && line.edited != nil && t.prog.withdrawal.Setting == settingEscape {
		return false // the escape was sent
	}
	return !line.entered && (t.delivered() || t.escapes(line)) && t.term.Readiness().State != pty.Busy && (t.kernel.cooked() || t.viewer.stopped() == nil)
}

// key handles a key of a user.
func (t *typist) key(who int, k *keys.Key, drafted bool) {
	signal := rune(0)
	if k.Kind == keys.Typed && k.Ctrl && len(k.Raw) == 1 && signals(k.Code) && t.term.Interrupts() {
		signal = k.Code
	}
	if signal != 0 {
		t.held.forget(who)
		t.held.forgetSecrets()
	}
	switch {
	case k.Kind == keys.Reply:
	case k.Kind == keys.Typed && k.Ctrl && len(k.Raw) == 1 && t.stopsOutput(k.Raw[0]):
	case signal != 0 && t.cmd != nil:
		t.begun.end()
		if signal == 'c' {
			t.dropDraft(who) // of the next line of the command
		}
		t.signal(signal, k.Raw)
	case signal == 'c' && t.line != nil && t.line.entered: // for the command that the line becomes
		t.line.interruptPending = true
	case signal == 'c' && t.control.state.Step == machine.StepReady && t.draft.others(who):
		t.dropDraft(who)
	case signal == 0 && isInterrupt(k) && t.dropsOther(who): // the program's editor would take the key for one of that line
	case signal == 'c' && t.completes():
		t.line.broken = true
		t.give(k.Raw, 0)
	case signal == 0 && t.cmd != nil && t.viewer.hidden() && t.viewer.stopped() != nil: // it may be a secret: if the program never reads it, the next prompt would
	default:
		t.held.add(who, k, signal, drafted && (signal != 'c' || t.draft.who == who))
	}
}

// isInterrupt reports whether a key is Ctrl-C.
func isInterrupt(k *keys.Key) bool {
	return k.Kind == keys.Typed && k.Ctrl && k.Code == 'c' && len(k.Raw) == 1
}

// dropsOther removes the unfinished line of another user than who at the prompt, and reports whether there is one.
func (t *typist) dropsOther(who int) bool {
	switch {
	case t.control.state.Step != machine.StepReady:
		return false
	case t.draft.others(who):
		t.dropDraft(who)
	case t.edits() && t.line.who != who && !t.line.entered:
		go t.wipeRepeatedly(t.line)
	default:
		return false
	}
	t.held.forget(who)
	return true
}

// stopsOutput reports whether the terminal uses the key for flow control (termios(3), IXON). A key
// that stops output is dropped, because the program would be unusable. A key that resumes it is
// sent at once.
func (t *typist) stopsOutput(key byte) bool {
	modes, err := t.term.Modes()
	if err != nil || !modes.Flow(key) {
		return false
	}
	if modes.Resumes(key) {
		t.send(string(key))
	}
	return true
}

// signal sends the running command a key that the terminal turns into a signal.
func (t *typist) signal(code rune, raw []byte) {
	if code == 'c' {
		go t.interrupts.persist(t.cmd, "\x03") // it may come too early
		return
	}
	t.sender.typed(raw)
}

// signals reports whether a terminal turns a control key into a signal: termios(3), VINTR, VQUIT,
// VSUSP.
func signals(code rune) bool { return code == 'c' || code == '\\' || code == 'z' }

// giveKeys gives the program the keys that it may receive now. A secret whose line has not ended delays no line
// of another user: the program has received nothing of it.
func (t *typist) giveKeys() {
	if len(t.held) > 0 && !t.kernel.hides() {
		t.held.endSecrets()
	}
	var unfinished []int // users who have begun a secret
	for {
		k := t.held.next(t.owner(), t.drafts(), unfinished)
		switch {
		case k == nil:
			return
		case t.giveNext(k):
			t.held.given(k)
		case k.secret && !k.closed():
			unfinished = append(unfinished, k.who)
		default:
			return
		}
	}
}

// owner returns the user who is in the middle of a line; 0: none.
func (t *typist) owner() int {
	if l := t.unfinishedLine(); l != nil {
		return l.who
	}
	if t.control.state.Step == machine.StepRunning {
		return t.begun.who
	}
	if t.edits() {
		return t.line.who
	}
	return t.draft.who
}

// giveNext gives keys to the program, and reports whether it may receive them.
func (t *typist) giveNext(k *typedKeys) bool {
	switch t.control.state.Step {
	case machine.StepReady:
		return t.edit(k)
	case machine.StepExited:
	case machine.StepRunning:
		if k.signal != 0 && t.term.Interrupts() {
			t.signal(k.signal, k.raw)
			return true
		}
		return t.giveRunning(k)
	default: // a user answers a question that the program asks at its start
		t.send(string(k.raw))
	}
	return true
}

// giveRunning gives the running command keys, and reports whether none are left: it got them, or they are dropped.
//
// A command that asks for a secret gets whole lines. A terminal that edits lines would keep the beginning of one as well, but if
// the question ends before the line does, such as by a timeout, the shell's own line editor would read it there and show it. A line
// that a user started for one question does not answer another one.
func (t *typist) giveRunning(k *typedKeys) bool {
	r, listens := t.listens()
	if k.drafted && t.drafts() {
		return false
	}
	if listens && t.cmd.typed.wanted() { // the program has set the modes again
		t.restoreModes()
		t.cook()
	}
	hides := t.plan.TTY.Echo && t.kernel.hides()
	switch {
	case hides && listens:
		k.answer(asking{t.term.WaitID(), t.progress.bytes})
	case hides && t.cmd.secret:
		k.secret = true
	}
	modes, err := t.term.Modes()
	switch {
	case k.late && err == nil && modes.Canonical():
		return k.closed()
	case !listens:
		return false
	case k.secret && !hides:
		return true // in raw mode the program may never read the end of a line
	}
	size := 0
	switch {
	case hides:
		if size = passedOn(&modes, k.raw); size == 0 {
			return false
		}
	case err == nil && !modes.Canonical() && r.State == pty.Waiting:
		size = r.Size // a program in raw mode may read no more than this: the rest is for the next prompt
	}
	now := k.cut(size)
	if k.secret {
		k.asked = asking{}
		t.held.endSecrets() // other users have begun theirs for this question
	}
	t.begun.given(&now, t.term, &modes, err == nil && modes.Canonical())
	t.sender.typed(now.raw)
	return len(k.raw) == 0
}

// commandEnds handles the end of a command: the terminal passes on whole lines, so the command has not read a line that a user has
// begun, unless it has changed the terminal's modes. It becomes the beginning of the next line, if the terminal no longer has it.
func (t *typist) commandEnds(dropped bool) {
	if l := &t.begun; dropped && len(l.keys) > 0 && !l.wasRead() {
		t.held.putBack(l)
	}
	t.begun.end()
	t.held.forgetSecrets()
	t.giveLater()
}

// giveLater starts giving the program the held keys, if there are any.
func (t *typist) giveLater() {
	if len(t.held) > 0 && !t.giving {
		t.giving = true
		go t.giveHeldKeys()
	}
}

// giveHeldKeys gives the program the held keys as soon as it may receive them. It polls, because
// nothing reports that the program reads; often again after each change, since more may follow soon.
func (t *typist) giveHeldKeys() {
	left, runs := -1, true
	for left != 0 && runs {
		runs = t.poll(context.Background(), longestPoll, func() (changed bool) {
			before := left
			t.giveKeys()
			left = t.held.size()
			t.giving = left > 0
			return left != before
		})
	}
}

// listens reports whether the running command may receive keys: it waits for input, it checks for
// keys periodically, or a program that it started has put the terminal into raw mode. It also returns how the command waits.
func (t *typist) listens() (r pty.Readiness, listens bool) {
	silent := t.control.policy.InSilence(&t.control.state) && t.unfinishedLine() == nil
	if t.viewer.inFlight() || t.viewer.prompting() || silent { // in these states waiting means the end of the command
		return r, false
	}
	r = t.term.Readiness()
	if t.term.Readable(t.progress.bytes) { // its prompt may be in the unread output
		return r, false
	}
	switch {
	case r.State == pty.Waiting, r.Listens, r.Timed, r.Hidden, !pty.Tells:
		return r, true
	case r.State == pty.Unknown && t.cmd.typed != nil && r.Leader && !t.kernel.sawWaiting() && time.Since(t.cmd.line.at) > unknownFlight:
		return r, true
	}
	return r, !r.Leader && t.rawJob()
}

// rawJob reports whether a program that the started program has brought to the foreground has put the terminal into raw mode.
// A shell sets its own modes before and after its job has the terminal; those must not be taken for the job's.
func (t *typist) rawJob() bool {
	job := t.term.Foreground()
	modes, err := t.term.Modes()
	return err == nil && !modes.Canonical() && job != t.term.PID() && job == t.term.Foreground()
}

// unknownFlight is how long to wait for a program that was not seen to wait at its prompt either, before keys go to
// the user's own command.
const unknownFlight = time.Second

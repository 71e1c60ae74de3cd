package session

import (
	"bytes"

	"ripple/runtime/pty"
	"ripple/runtime/session/internal/machine"
	"ripple/runtime/terminal"
)

// kernel is what the operating system tells of the program: whether it waits, in
// which place, and what its descriptors are.
type kernel struct {
	term    *terminal.Terminal
	events  *events
	visible bool      // at a prompt a thread of the program was seen to wait for input
	reads   bool      // and in a read of the terminal
	waitID  uint64    // which wait the program was last seen in
	place   pty.Place // where it waits for a command
	usual   bool      // its standard output and error were the terminal: some keep that under other numbers
	onTTY   bool      // at the first prompt the program's standard input was the terminal
}

// question is what an answer depends on.
type question struct {
	policy   *machine.Policy
	state    *machine.State
	running  bool      // a command of ours runs
	waitID   uint64    // in which wait the program was when its line was sent
	read     int64     // bytes of output
	confirms bool      // the prompt in question may be one that a command printed
	prompt   *unproven // that prompt
}

// look asks whether the program waits for input. What it printed
// before it came to waiting must have been read, or the prompt in question may
// not be the end of it.
func (k *kernel) look(q question) machine.Readiness {
	r := k.term.Readiness()
	if r.State == pty.Waiting && q.policy.InSilence(q.state) {
		k.waitID = k.term.WaitID()
		if q.state.Proof == machine.ProofSilence && (k.term.Queued() > 0 || k.waitID == q.waitID) {
			return machine.ReadyBusy // the line is on its way
		}
	}
	if q.state.Proof == machine.ProofElsewhere {
		return k.lookElsewhere(r, q)
	}
	if !q.running {
		k.learn(r)
	}
	waits := r.State == pty.Waiting || q.confirms && k.listens(r) || q.state.Step == machine.StepSettle && k.itself(r)
	if k.events.watched() {
		k.events.tell(EventProbe, nil, "kernel: "+r.State.String())
	}
	switch {
	case waits && k.term.Readable(q.read):
		return machine.ReadyBusy
	case q.confirms && waits && k.asks(r, q.prompt):
		return machine.ReadyAsks
	case waits:
		return machine.ReadyWaiting
	case (q.state.Proof == machine.ProofMarker || q.state.Proof == machine.ProofInput) && q.state.Step != machine.StepRunning && r.Listens && (k.itself(r) || !q.seeksPlace(r)):
		return machine.ReadyWaiting // the marker is proof enough of a first prompt
	case r.State == pty.Busy, !r.Leader:
		// Somebody else in the foreground: the program runs a job.
		return machine.ReadyBusy
	case k.reads, k.visible && !r.Timed:
		return machine.ReadyBusy // it sleeps, say: at a prompt it would be seen to wait
	}
	return machine.ReadyUnknown
}

// itself says that the program we started listens, whatever others do that it has started:
// a job in the background works on beside a prompt.
func (k *kernel) itself(r pty.Readiness) bool { return r.Listens && r.Place.PID == k.term.PID() }

// learn notes how the program waits for a command.
func (k *kernel) learn(r pty.Readiness) {
	if r.State == pty.Waiting || k.itself(r) {
		k.place = r.Place
	}
	k.visible, k.reads = k.visible || r.Listens, k.reads || r.Read
}

// seeksPlace says that the program has not quite come to where it waits for commands,
// and that this place has to be known: its prompts may go elsewhere later.
func (q *question) seeksPlace(r pty.Readiness) bool {
	return q.policy.Printed && r.State == pty.Busy
}

// lookElsewhere says that the program waits where it waits for a command, while what
// it prints goes elsewhere. What a command reads it reads in another place.
func (k *kernel) lookElsewhere(r pty.Readiness, q question) machine.Readiness {
	there := r.State == pty.Waiting && r.Place == k.place && k.place != pty.Place{} && k.elsewhere()
	if !there || k.term.Queued() > 0 || k.term.Readable(q.read) || q.waitID != 0 && k.term.WaitID() == q.waitID {
		return machine.ReadyBusy
	}
	return machine.ReadyWaiting
}

// elsewhere says whether standard output or error of the program is not the terminal.
func (k *kernel) elsewhere() bool { return !k.term.Holds(1) || !k.term.Holds(2) }

// unseen says whether the program's prompts are printed elsewhere now. A file that it
// is given then would be opened in the place of a descriptor that is closed.
func (k *kernel) unseen() bool {
	return k.usual && k.elsewhere() && k.term.Has(1) && k.term.Has(2)
}

// woken is in which wait the program is, where input is about to wake it from that: keys
// in the midst of a line do not, while the terminal edits lines. 0: not known.
func (k *kernel) woken(modes pty.Modes, input []byte) uint64 {
	if modes.Canonical() && !bytes.ContainsAny(input, "\r\n\x03\x04\x1c") {
		return 0
	}
	return k.waitNow()
}

// cooked says whether the terminal edits lines itself now.
func (k *kernel) cooked() bool {
	modes, err := k.term.Modes()
	return err == nil && modes.Canonical()
}

// sending is in which wait the program is whose line is about to be sent, where
// nothing else tells that it takes it.
func (k *kernel) sending(printed bool) uint64 {
	if printed {
		k.waitID = 0
		if k.elsewhere() {
			k.waitID = k.term.WaitID()
		}
	}
	return k.waitID
}

// waitNow is in which wait for input the program is; 0: in none that can be told. That it
// waits and which wait that is are two questions: it may have been awake between them.
func (k *kernel) waitNow() uint64 {
	for before, looks := uint64(0), 0; looks < 4; looks++ {
		if r := k.term.Readiness(); r.State != pty.Waiting && !r.Listens {
			return 0
		}
		now := k.term.WaitID()
		if now == before {
			return now
		}
		before = now
	}
	return 0
}

// listens says that the program looks for input as it does behind a prompt: now and
// then, or while what it has started works on.
func (k *kernel) listens(r pty.Readiness) bool {
	return r.Timed || k.itself(r)
}

// asks says that a program which waits does so behind a question, which came after
// a prompt that it had printed: behind the prompt itself it waits in another place.
func (k *kernel) asks(r pty.Readiness, u *unproven) bool {
	if !u.began || u.rest() == "" {
		k.place = r.Place
		return false
	}
	return r.Place != k.place
}

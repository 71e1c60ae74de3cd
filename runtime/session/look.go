package session

import (
	"ripple/runtime/pty"
	"ripple/runtime/session/internal/machine"
)

// look asks the kernel whether the program waits for input. What it printed
// before it came to waiting must have been read, or the prompt in question may
// not be the end of it.
func (d *driver) look() machine.Readiness {
	r := d.term.Readiness()
	if r.State == pty.Waiting && d.policy.Silent {
		d.turn = d.term.Turn()
		if d.state.Proof == machine.ProofSilence && (d.term.Queued() > 0 || d.turn == d.sentTurn()) {
			return machine.ReadyBusy // the line is on its way
		}
	}
	if d.state.Proof == machine.ProofElsewhere {
		return d.lookElsewhere(r)
	}
	if d.cmd == nil {
		if r.State == pty.Waiting {
			d.place = r.Place
		}
		d.visible, d.reads = d.visible || r.Listens, d.reads || r.Read
	}
	confirms := d.prog.prompts.printable() && d.cmd != nil && d.state.Proof == machine.ProofMarker
	waits := r.State == pty.Waiting || confirms && d.listens(r)
	unread := waits && d.term.Readable(d.received)
	if d.watched() {
		d.observe(EventProbe, nil, "kernel: "+r.State.String())
	}
	switch {
	case unread:
		return machine.ReadyBusy
	case confirms && waits && d.asks(r):
		return machine.ReadyAsks
	case waits:
		return machine.ReadyWaiting
	case d.state.Proof == machine.ProofMarker && d.state.Step != machine.StepRunning && r.Listens && !d.seeksPlace(r):
		return machine.ReadyWaiting // the marker is proof enough of a first prompt
	case r.State == pty.Busy, !r.Leader:
		// Somebody else in the foreground: the program runs a job.
		return machine.ReadyBusy
	case d.reads, d.visible && !r.Timed:
		return machine.ReadyBusy // it sleeps, say: at a prompt it would be seen to wait
	}
	return machine.ReadyUnknown
}

// seeksPlace says that the program has not quite come to where it waits for commands,
// and that this place has to be known: its prompts may go elsewhere later.
func (d *driver) seeksPlace(r pty.Readiness) bool { return d.policy.Printed && r.State == pty.Busy }

// lookElsewhere says that the program waits where it waits for a command, while what
// it prints goes elsewhere. What a command reads it reads in another place.
func (d *driver) lookElsewhere(r pty.Readiness) machine.Readiness {
	there := r.State == pty.Waiting && r.Place == d.place && d.place != pty.Place{} && d.elsewhere()
	if !there || d.term.Queued() > 0 || d.term.Readable(d.received) || d.sentTurn() != 0 && d.term.Turn() == d.sentTurn() {
		return machine.ReadyBusy
	}
	return machine.ReadyWaiting
}

// elsewhere says whether standard output or error of the program is not the terminal.
func (d *driver) elsewhere() bool { return !d.term.Holds(1) || !d.term.Holds(2) }

// unseen says whether the program's prompts are printed elsewhere now. A file that it
// is given then would be opened in the place of a descriptor that is closed.
func (d *driver) unseen() bool {
	return d.usual && d.elsewhere() && d.term.Has(1) && d.term.Has(2)
}

// listens says that the program looks for input as it does behind a prompt: now and
// then, or while what it has started works on.
func (d *driver) listens(r pty.Readiness) bool {
	return r.Timed || r.Listens && r.Place.PID == d.term.PID()
}

// asks says that a program which waits does so behind a question, which came after
// a prompt that it had printed: behind the prompt itself it waits in another place.
func (d *driver) asks(r pty.Readiness) bool {
	u := &d.stream.unproven
	if !u.began || u.rest() == "" {
		d.place = r.Place
		return false
	}
	return r.Place != d.place
}

// sentTurn is in which wait the program was when the line was sent.
func (d *driver) sentTurn() uint64 {
	if d.cmd == nil {
		return 0
	}
	return d.cmd.line.turn
}

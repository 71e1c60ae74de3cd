package session

import (
	"ripple/runtime/pty"
)

// look asks the kernel whether the program waits for input. What it printed
// before it came to waiting must have been read, or the prompt in question may
// not be the end of it.
func (d *driver) look() readiness {
	r := d.tty.Readiness()
	if r.State == pty.Waiting && d.policy.silent {
		d.turn = d.tty.Turn()
		if d.state.proof == proofSilence && (len(d.out) > 0 || d.turn == d.sentTurn) {
			return readyBusy // the line is on its way
		}
	}
	if d.state.proof == proofElsewhere {
		return d.lookElsewhere(r)
	}
	if d.cmd == nil {
		if r.State == pty.Waiting {
			d.place = r.Place
		}
		d.visible, d.reads = d.visible || r.Listens, d.reads || r.Read
	}
	unread := r.State == pty.Waiting && d.tty.Readable(d.received)
	if d.watched() {
		d.observe(EventProbe, nil, "kernel: "+r.State.String())
	}
	switch {
	case unread:
		return readyBusy
	case r.State == pty.Waiting:
		return readyWaiting
	case d.state.proof == proofMarker && d.state.step != stepRunning && r.Listens && !d.seeksPlace(r):
		return readyWaiting // the marker is proof enough of a first prompt
	case r.State == pty.Busy, !r.Leader:
		// Somebody else in the foreground: the program runs a job.
		return readyBusy
	case d.reads, d.visible && !r.Timed:
		return readyBusy // it sleeps, say: at a prompt it would be seen to wait
	}
	return readyUnknown
}

// seeksPlace says that the program has not quite come to where it waits for commands,
// and that this place has to be known: its prompts may go elsewhere later.
func (d *driver) seeksPlace(r pty.Readiness) bool { return d.policy.printed && r.State == pty.Busy }

// lookElsewhere says that the program waits where it waits for a command, while what
// it prints goes elsewhere. What a command reads it reads in another place.
func (d *driver) lookElsewhere(r pty.Readiness) readiness {
	there := r.State == pty.Waiting && r.Place == d.place && d.place != pty.Place{} && d.elsewhere()
	if !there || len(d.out) > 0 || d.tty.Readable(d.received) || d.sentTurn != 0 && d.tty.Turn() == d.sentTurn {
		return readyBusy
	}
	return readyWaiting
}

// elsewhere says whether standard output or error of the program is not the terminal.
func (d *driver) elsewhere() bool { return !d.tty.Holds(1) || !d.tty.Holds(2) }

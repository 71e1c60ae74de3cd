package session

import (
	"bytes"

	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/session/internal/machine"
	"example.org/ripple/runtime/terminal"
)

// kernel holds the operating system's reports about the program: whether it waits for input and
// where, and where its descriptors lead.
type kernel struct {
	term    *terminal.Terminal
	events  *events
	visible bool      // at a prompt, a thread of the program was seen to wait for input
	reads   bool      // and it did so in a read of the terminal
	timed   bool      // at a prompt, the program was seen to wait for input with a timeout, as node does while it has timers of its own
	waitID  uint64    // the wait ID last seen
	place   pty.Place // where it waits for a command
	home    pty.Place // the same, as seen at rest
	silent  bool      // the terminal edited lines there without showing them
	edited  bool      // the terminal edited lines there
	erasing bool      // at the first prompt the terminal's modes were those of an echo that shows the effect of keys that erase
	kept    bool      // at the first prompt the terminal's modes were those that ripple had set: the program sets none
	usual   bool      // its standard output and error were the terminal: some programs keep it under other numbers
	onTTY   bool      // at the first prompt the program's standard input was the terminal
	used    bool      // a command has ended
	queries bool      // before that the terminal was sent queries: the program's own line editor may send some
}

// question is the input of a question to the kernel.
type question struct {
	policy   *machine.Policy
	state    *machine.State
	running  bool         // a session's command runs
	waitID   uint64       // the program's wait ID when the command's line was sent
	read     int64        // bytes of output
	confirms bool         // a command may have printed the prompt in question
	prompt   *unconfirmed // that prompt
}

// look asks whether the program waits for input. Everything that it printed before it waited must
// have been read; otherwise the prompt in question may not be the end of its output.
func (k *kernel) look(q question) machine.Readiness {
	r := k.term.Readiness()
	if r.State == pty.Waiting && q.policy.InSilence(q.state) {
		k.waitID = k.term.WaitID()
		if q.state.Evidence == machine.EvidenceSilence && (k.term.Queued() > 0 || k.waitID == q.waitID) {
			return machine.ReadyBusy // the line is on its way
		}
	}
	if q.state.Evidence == machine.EvidenceElsewhere {
		return k.lookElsewhere(r, q)
	}
	if !q.running {
		k.learn(r)
	}
	waits := r.State == pty.Waiting || q.confirms && k.listens(r) || q.state.Step == machine.StepSettle && k.programListens(r)
	if k.events.watched() {
		k.events.report(EventProbe, nil, "kernel: "+r.State.String())
	}
	switch {
	case waits && k.term.Readable(q.read):
		return machine.ReadyBusy
	case q.confirms && waits && k.asks(r, q.prompt):
		return machine.ReadyAsks
	case waits:
		return machine.ReadyWaiting
	case (q.state.Evidence == machine.EvidenceMarker || q.state.Evidence == machine.EvidenceInput) && q.state.Step != machine.StepRunning && r.Listens && (k.programListens(r) || !q.seeksPlace(r)):
		return machine.ReadyWaiting // for a first prompt the marker is sufficient evidence
	case r.State == pty.Busy, !r.Leader:
		// Another process is in the foreground: the program runs a job.
		return machine.ReadyBusy
	case k.reads, k.visible && !r.Timed:
		return machine.ReadyBusy // it sleeps, for example: at a prompt it would be seen to wait
	}
	return machine.ReadyUnknown
}

// programListens reports whether the started program listens, regardless of its child processes: a
// background job keeps working while the program is at its prompt.
func (k *kernel) programListens(r pty.Readiness) bool {
	return r.Listens && r.Place.PID == k.term.PID()
}

// isElsewhere reports whether something other than the program at its prompt waits: another
// process, or the program in another place. Until the program was seen at its prompt that place is
// unknown; then a program whose marker says that the command has begun is not at its prompt.
func (k *kernel) isElsewhere(r pty.Readiness, program int, begun bool) bool {
	switch {
	case r.State != pty.Waiting || r.Place == pty.Place{}:
		return false
	case r.Place.PID != program:
		return true
	case k.home == pty.Place{}:
		return begun
	}
	return r.Place != k.home
}

// learnHome records where the program waits at its prompt, unless that is known. It reports whether
// the program has not reached its prompt's read yet; a program with busy threads may read there.
func (k *kernel) learnHome() (arriving bool) {
	if k.home != (pty.Place{}) {
		return false
	}
	r := k.term.Readiness()
	k.timed = k.timed || r.Timed && r.Polls.PID == k.term.PID()
	if r.State == pty.Waiting && r.Place.PID == k.term.PID() && k.term.Queued() == 0 {
		k.home, k.silent, k.edited = r.Place, k.hides(), k.cooked()
	}
	return r.State == pty.Busy && !r.Listens
}

// hides reports whether the terminal edits lines without echoing them.
func (k *kernel) hides() bool {
	modes, err := k.term.Modes()
	return err == nil && modes.Canonical() && !modes.Echoes()
}

// sawWaiting reports whether the program was seen to wait for input at its prompt: then it would be seen in a command, too.
func (k *kernel) sawWaiting() bool { return k.visible || k.timed || k.home != pty.Place{} }

// learn records how the program waits for a command.
func (k *kernel) learn(r pty.Readiness) {
	if r.State == pty.Waiting || k.programListens(r) {
		k.place = r.Place
	}
	k.visible, k.reads = k.visible || r.Listens, k.reads || r.Read
}

// seeksPlace reports whether the program has not quite reached the place where it waits for
// commands, and this place must be known because its prompts may go elsewhere later.
func (q *question) seeksPlace(r pty.Readiness) bool {
	return q.policy.Printed && r.State == pty.Busy
}

// lookElsewhere reports whether the program waits in the place where it waits for a command, while
// its output goes elsewhere. Input for a command is read in another place.
func (k *kernel) lookElsewhere(r pty.Readiness, q question) machine.Readiness {
	if !k.atHiddenPrompt(r) || k.term.Queued() > 0 || k.term.Readable(q.read) || q.waitID != 0 && k.term.WaitID() == q.waitID {
		return machine.ReadyBusy
	}
	return machine.ReadyWaiting
}

// atHiddenPrompt reports whether the program waits where it waits for a command, while its output goes elsewhere.
func (k *kernel) atHiddenPrompt(r pty.Readiness) bool {
	return r.State == pty.Waiting && r.Place == k.place && k.place != pty.Place{} && k.elsewhere()
}

// elsewhere reports whether the program's standard output or error is not the terminal.
func (k *kernel) elsewhere() bool { return !k.term.IsTerminal(1) || !k.term.IsTerminal(2) }

// promptsElsewhere reports whether the program's prompts are printed elsewhere now. A file that it
// is given then would be opened in place of a closed descriptor.
func (k *kernel) promptsElsewhere() bool {
	return k.usual && k.elsewhere() && k.term.HasFD(1) && k.term.HasFD(2)
}

// woken returns the program's wait ID if input is about to wake it from that wait; keys in the
// middle of a line do not if the terminal edits lines. 0: unknown.
func (k *kernel) woken(modes pty.Modes, input []byte) uint64 {
	if modes.Canonical() && !bytes.ContainsAny(input, "\r\n\x03\x04\x1c") {
		return 0
	}
	return k.waitNow()
}

// restoreModes restores the terminal's modes at the prompt of a program that sets none itself, if a command has turned the echo on.
func (k *kernel) restoreModes() {
	if modes, err := k.term.Modes(); err == nil && k.kept && modes.Echoes() {
		_ = k.term.RestoreModes() // an error means that it is closed
	}
}

// unechoed returns the program's wait ID if the terminal does not echo the line that is about to be sent: nothing but the end
// of that wait shows that the program got it. If the program does not wait now, the ID of its next wait is another. 0: unknown.
func (k *kernel) unechoed() uint64 {
	if modes, err := k.term.Modes(); err != nil || modes.Echoes() {
		return 0
	}
	return k.term.WaitID()
}

// cooked reports whether the terminal itself edits lines now.
func (k *kernel) cooked() bool {
	modes, err := k.term.Modes()
	return err == nil && modes.Canonical()
}

// sending returns the program's wait ID before a line is sent, if only a change of that ID shows
// that the program reads the line.
func (k *kernel) sending(p *machine.Policy, s *machine.State) uint64 {
	switch {
	case p.Printed:
		k.waitID = 0
		if k.elsewhere() {
			k.waitID = k.term.WaitID()
		}
	case p.InSilence(s): // it may wait at another prompt than when it was last asked
		k.waitID = k.waitNow()
	}
	return k.waitID
}

// waitNow returns the ID of the current wait for input; 0: unknown. Whether the program waits and
// which wait that is are two questions; the program may have been awake between them.
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

// listens reports whether the program looks for input as it does at a prompt: periodically, or
// while its child processes run.
func (k *kernel) listens(r pty.Readiness) bool {
	return r.Timed || k.programListens(r)
}

// asks reports whether a program that waits does so at a question that followed a printed prompt:
// at the prompt itself it waits in another place.
func (k *kernel) asks(r pty.Readiness, u *unconfirmed) bool {
	if !u.began || u.rest() == "" {
		k.place = r.Place
		return false
	}
	return r.Place != k.place
}

// pollsElsewhere reports whether a wait for input that has a timeout is a question: another process
// waits, or the program in another system call than at its prompt. If that one is unknown, only a
// terminal that does not echo shows it.
func (k *kernel) pollsElsewhere(r pty.Readiness) bool {
	switch {
	case !r.Timed:
		return false
	case r.Polls.PID != k.term.PID():
		return true
	case k.home == pty.Place{}:
		return k.hides()
	}
	return r.Polls.Call != k.home.Call
}

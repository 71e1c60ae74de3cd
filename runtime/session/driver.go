package session

import (
	"sync"
	"time"

	"ripple/runtime/internal/echo"
	"ripple/runtime/internal/prompt"
	"ripple/runtime/internal/scratch"
	"ripple/runtime/launch"
	"ripple/runtime/session/internal/machine"
	"ripple/runtime/terminal"
)

// driver runs one started program on its terminal: it holds the lock and the
// timer, and keeps the order. What the program prints it takes through the stages,
// piece by piece: detect, sort (stream), and, out of the lock, strip, render and
// keep (printer). Between the pieces the machine decides, and effects.go does what
// it decided. One goroutine reads; callers step the machine under the same lock.
type driver struct {
	prog    *program
	options Options
	plan    launch.Plan
	scratch *scratch.Dir
	term    *terminal.Terminal
	events  events

	mu       sync.Mutex
	control  control
	alarm    alarm
	progress progress

	detect  detector
	stream  stream
	printer printer
	kernel  kernel

	cmd        *command // nil: none runs
	restarted  bool     // the next command is the first one of a new program
	status     status
	interrupts interrupts
	life       life
}

// control is the machine with what it remembers.
type control struct {
	opened time.Time // its clock's zero
	policy machine.Policy
	state  machine.State
	effs   []machine.Effect // the current input's, reused
	ask    bool             // the kernel is to be asked when the read is over
}

// progress is how far the terminal's output has been read.
type progress struct {
	bytes int64
	at    time.Time // when the last ones came
}

// status is what the program has told of itself.
type status struct {
	cwd, mode string
	level     *int
	needs     string // what it lacks, by ready.needs
	late      string // what came after the last command
	byMarker  bool   // the prompt we are at was announced by a marker
	announced bool   // the command before was announced by C
}

// life is how far the program has come.
type life struct {
	readyOnce sync.Once
	ready     chan struct{}
	dead      chan struct{} // closed when the last byte has been read
	failure   error         // why the session cannot go on
	exit      *ExitError
	changed   chan struct{} // replaced on every change that State shows
}

func newLife() life {
	return life{ready: make(chan struct{}), dead: make(chan struct{}), changed: make(chan struct{})}
}

// fail makes the session unusable: a pattern of the adapter cannot be matched.
func (l *life) fail(err error) {
	if l.failure == nil {
		l.failure = err
	}
}

// events tells an observer what happens, one thing at a time.
type events struct {
	to    Observer // nil: nobody
	began time.Time
	mu    sync.Mutex // input is written without the driver's
}

func (e *events) watched() bool { return e.to != nil }

func (e *events) tell(kind EventKind, data []byte, text string) {
	if e.to != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.to.Observe(Event{At: time.Since(e.began), Kind: kind, Data: data, Text: text})
	}
}

// feed takes what the program printed through the stages, in order.
func (d *driver) feed(b []byte) {
	d.stream.arrived, d.interrupts.unanswered = false, false
	for p := range d.detect.pieces(b) {
		d.piece(p)
	}
	if d.stream.arrived {
		d.step(machine.Input{Kind: machine.InText})
		d.matchPrompt()
	}
	d.settleEffects()
}

func (d *driver) piece(p piece) {
	switch p.kind {
	case pieceMarker:
		if d.events.watched() {
			d.events.tell(EventMarker, p.raw, "marker "+p.name())
		}
		d.marker(p.event)
		return
	case pieceLiteral:
		d.events.tell(EventMarker, nil, "marker")
		d.literal(p.more)
		return
	case pieceForged:
		d.events.tell(EventForged, p.raw, "untrusted marker "+p.name())
	}
	d.pass(d.stream.text(p.raw))
}

// marker is a trusted marker: the text before it is sorted, then the machine is told.
func (d *driver) marker(e prompt.Event) {
	switch e.Kind {
	case prompt.PromptStart:
		d.promptBegins()
		d.step(machine.Input{Kind: machine.InPromptStart})
	case prompt.InputStart:
		d.pass(d.stream.promptEnds())
		d.step(machine.Input{Kind: machine.InInputStart})
	case prompt.Executed:
		d.takeBack()
		d.step(machine.Input{Kind: machine.InExecuted})
	case prompt.Finished:
		d.finished(e.Code)
		d.step(machine.Input{Kind: machine.InFinished})
	case prompt.Continuation:
		d.takeBack()
		d.pass(d.stream.flush())
		d.step(machine.Input{Kind: machine.InContinuation})
		if d.control.state.Proof == machine.ProofMore || d.stream.endsMore && d.control.state.Step == machine.StepRunning {
			d.stream.wantsMore()
		}
	case prompt.ContinuationEnd:
		d.stream.moreEnds()
	case prompt.Cwd:
		d.status.cwd = e.Cwd
		if d.cmd != nil {
			d.cmd.told.cwdReported = true
		}
	}
}

// literal is a literal marker, which carries the nonce.
func (d *driver) literal(more bool) {
	d.pass(d.stream.flush())
	if more {
		d.step(machine.Input{Kind: machine.InContinuation})
		return
	}
	d.stream.announced(d.plan.Values["marker"])
	d.step(machine.Input{Kind: machine.InMarker})
}

// promptBegins notes that what follows is a prompt, unless it interrupts a
// command that has not been seen to run: then it may be a redraw.
func (d *driver) promptBegins() {
	if d.cmd != nil && !d.control.state.SawC && !d.control.state.SawD {
		d.pass(d.stream.unasked())
		d.cmd.prelude.redraws()
		return
	}
	d.question(true)
	d.pass(d.stream.outputEnds())
	d.stream.promptBegins()
}

// finished is D: the output ends here.
func (d *driver) finished(code *int) {
	if d.stream.region != regionPrompt {
		d.question(false)
	}
	d.pass(d.stream.outputEnds())
	if c := d.cmd; c != nil {
		c.told.code = code
		d.print(c, c.prelude.giveUp())
		d.stream.commandEnded(c.prelude.redrawAt >= 0)
	}
}

// question begins another prompt of the running command, where it may have been made
// to print it; that takes back the one before.
func (d *driver) question(began bool) {
	if d.cmd == nil || !d.prog.prompts.printable() {
		return
	}
	if d.stream.unproven.began {
		d.takeBack()
	}
	d.stream.question(began)
}

func (d *driver) takeBack() { d.pass(d.stream.takeBack(d.control.state.Interrupted())) }

// pass hands on what text turned out to be.
func (d *driver) pass(s sorted) {
	switch u := &d.stream.unproven; {
	case len(s.aside) == 0 || !d.prog.asides.taken || d.stream.leaving:
	case u.open:
		u.beside = append(u.beside, s.aside...)
	default:
		d.printer.enqueue(job{kind: jobAside}, s.aside)
	}
	if c := d.cmd; c != nil && len(s.output) > 0 && !c.told.incomplete {
		d.print(c, c.prelude.feed(s.output))
	}
}

func (d *driver) print(c *command, output []byte) {
	if len(output) > 0 && !c.told.incomplete {
		d.printer.enqueue(job{kind: jobText, c: c}, output)
	}
}

// passEcho hands on what came before C: what is no echo is not of the command,
// which had not begun.
func (d *driver) passEcho(c *command, text []byte) {
	switch {
	case c.prelude.echo.Strategy == echo.Silent:
		d.pass(sorted{aside: text})
	case d.prog.asides.taken:
		d.printer.enqueue(job{kind: jobEcho, c: c, config: c.prelude.echo}, text)
	}
}

// matchPrompt looks for a prompt at the end of the stream.
func (d *driver) matchPrompt() {
	if d.control.state.Step == machine.StepReady {
		return
	}
	found, err := d.detect.prompt(d.stream.tail())
	if err != nil {
		d.life.fail(err)
	} else if found {
		d.step(machine.Input{Kind: machine.InMatch, More: d.detect.match.Tag == tagContinuation})
	}
}

// locked runs f under the lock. A caller does not wait for the output that f
// may have made due.
func (d *driver) locked(f func()) {
	if d.due(f) {
		go d.printer.passOn()
	}
}

// happened runs f under the lock and then, outside of it, makes and delivers output
// and wakes whoever waits for the command that ended, if one did.
func (d *driver) happened(f func()) (woke bool) { return d.due(f) && d.printer.passOn() }

// due runs f under the lock and says whether there is output to be made.
func (d *driver) due(f func()) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
	return d.printer.due
}

// phaseChanged tells observers and those who wait for a state.
func (d *driver) phaseChanged() {
	d.events.tell(EventPhase, nil, "phase "+string(d.phase()))
	close(d.life.changed)
	d.life.changed = make(chan struct{})
}

package session

import (
	"sync"
	"time"

	"ripple/runtime/internal/scratch"
	"ripple/runtime/launch"
	"ripple/runtime/session/internal/machine"
	"ripple/runtime/terminal"
)

// core is what is known of the program, under one lock.
type core struct {
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
	interrupts *interrupts
	typist     *typist
	life       life
}

func newCore(o Options) *core {
	return &core{options: o, control: control{opened: time.Now()}, events: events{to: o.Observer, began: o.began, ledger: newLedger(o.Observer)}, life: newLife()}
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

// locked runs f under the lock. A caller does not wait for the output that f
// may have made due.
func (c *core) locked(f func()) {
	if c.due(f) {
		go c.printer.passOn()
	}
}

// happened runs f under the lock and then, outside of it, makes and delivers output
// and wakes whoever waits for the command that ended, if one did.
func (c *core) happened(f func()) (woke bool) { return c.due(f) && c.printer.passOn() }

// due runs f under the lock and says whether there is output to be made.
func (c *core) due(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
	return c.printer.due
}

// phaseChanged tells observers and those who wait for a state.
func (c *core) phaseChanged() {
	if c.events.watched() {
		c.events.tell(EventPhase, nil, "phase "+string(c.phase()))
	}
	if c.life.changed != nil {
		close(c.life.changed)
		c.life.changed = nil
	}
}

func (c *core) phase() Phase {
	switch c.control.state.Step {
	case machine.StepReady:
		return PhaseReady
	case machine.StepRunning:
		return PhaseRunning
	case machine.StepExited:
		return PhaseClosed
	}
	return PhaseStarting
}

// isDead says whether the program has ended. A caller who has just been told
// so by a Result may come before the reader is through.
func (c *core) isDead() bool {
	c.mu.Lock()
	ended := c.life.exit != nil
	c.mu.Unlock()
	if ended {
		<-c.life.dead
	}
	return ended
}

// changes is closed at the next change of phase.
func (c *core) changes() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.life.changed == nil {
		c.life.changed = make(chan struct{})
	}
	return c.life.changed
}

// send types s, without waiting for the program to take it.
func (c *core) send(s string) {
	if s != "" {
		_, _ = c.term.Write([]byte(s)) // the program has ended; the reader reports it
	}
}

// restLimit is how many bytes readRest waits for: a program may print for ever.
const restLimit = 1 << 20

// readRest waits until what the program has printed by now was read; for restLimit
// bytes at most, and not when nothing can be read.
func (c *core) readRest() {
	t := time.NewTimer(0)
	defer t.Stop()
	begin, last := int64(-1), int64(-1)
	for gap := firstPoll; gap <= longestPoll; gap *= 2 {
		received, more := int64(0), false
		c.locked(func() { received, more = c.progress.bytes, c.term.Readable(c.progress.bytes) })
		if begin < 0 {
			begin = received
		}
		if !more || received-begin > restLimit {
			return
		}
		if received != last {
			last, gap = received, firstPoll
		}
		t.Reset(gap)
		select {
		case <-t.C:
		case <-c.life.dead:
			return
		}
	}
}

// spillDir is where files for long output go.
func (c *core) spillDir() string {
	if c.options.SpillDir != "" {
		return c.options.SpillDir
	}
	return c.scratch.Path
}

// announcesOutput says that C is to come where a line becomes a command.
func (c *core) announcesOutput() bool {
	return c.status.byMarker && (c.prog.output.announced || c.stream.begins)
}

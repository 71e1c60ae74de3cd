package session

import (
	"context"
	"strings"
	"sync"
	"time"

	"example.org/ripple/runtime/internal/fault"
	"example.org/ripple/runtime/internal/scratch"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/session/internal/machine"
	"example.org/ripple/runtime/terminal"
)

// core is the state of the program, guarded by one lock.
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
	shown    shown

	detect  detector
	stream  stream
	printer printer
	kernel  kernel
	faults  faults

	cmd        *command // nil: no command is running
	restarted  bool     // the next command is the first one of a restarted program
	status     status
	interrupts *interrupts
	typist     *typist
	life       life
}

func newCore(o Options) *core {
	return &core{options: o, faults: faults{reports: fault.Reports{Dir: o.FaultDir}}, control: control{opened: time.Now()}, events: events{to: o.Observer, began: o.began, ledger: newLedger(o.Observer)}, life: newLife()}
}

// control is the machine and its state.
type control struct {
	opened time.Time // zero of the machine's clock
	policy machine.Policy
	state  machine.State
	effs   []machine.Effect // effects of the current input; the slice is reused
	ask    bool             // ask the kernel when the current read has been processed
}

// progress says how far the terminal's output has been read.
type progress struct {
	bytes int64
	at    time.Time // when the last bytes arrived
}

// locked runs f under the lock. It does not wait for output that becomes due because of f.
func (c *core) locked(f func()) {
	if c.due(f) {
		go c.printer.passOn()
	}
}

// happened runs f under the lock; then, without the lock, it produces and delivers output and wakes
// the callers that wait for a command that has ended.
func (c *core) happened(f func()) (woke bool) { return c.due(f) && c.printer.passOn() }

// due runs f under the lock and reports whether there is output to produce or deliver.
func (c *core) due(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
	return c.printer.due
}

// phaseChanged notifies observers and callers that wait for a state.
func (c *core) phaseChanged() {
	if c.events.watched() {
		c.events.report(EventPhase, nil, "phase "+string(c.phase()))
	}
	c.life.notify()
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

// isDead reports whether the program has ended. It waits for the reader to finish, because a caller
// may know of the end from a Result before that.
func (c *core) isDead() bool {
	c.mu.Lock()
	ended := c.life.exit != nil
	c.mu.Unlock()
	if ended {
		<-c.life.dead
	}
	return ended
}

// changes returns a channel that is closed at the next change of phase.
func (c *core) changes() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.life.change()
}

// How often the program's state is checked without a notification: nothing announces that a program
// waits for input.
const (
	firstPoll   = 500 * time.Microsecond
	longestPoll = 50 * time.Millisecond
)

// wait calls look until it returns true, or until ctx ends: at once, on every change of phase, and after
// gaps that grow up to longest; and a last time when the program has ended. It returns the result of the
// last call.
func (c *core) wait(ctx context.Context, longest time.Duration, look func() (done bool)) bool {
	if look() { // as mostly: no channel is needed
		return true
	}
	t := time.NewTimer(firstPoll)
	defer t.Stop()
	for gap := firstPoll; ; gap = min(gap*2, longest) {
		changed := c.changes()
		if look() {
			return true
		}
		t.Reset(gap)
		select {
		case <-changed:
		case <-t.C:
		case <-c.life.dead:
			return look()
		case <-ctx.Done():
			return false
		}
	}
}

// poll is like wait. It calls look under the lock, which is not held between the calls.
func (c *core) poll(ctx context.Context, longest time.Duration, look func() (done bool)) (done bool) {
	return c.wait(ctx, longest, func() bool {
		c.locked(func() { done = look() })
		return done
	})
}

// send writes s to the terminal without waiting for the program to read it.
func (c *core) send(s string) {
	if s != "" {
		if key := c.prog.interrupt; key != nil && strings.Contains(s, *key) {
			c.interrupted()
		}
		_, _ = c.term.Write([]byte(s)) // it fails when the program has ended, which the reader reports
	}
}

// interrupted notes that an interrupt was sent to the program. That a prompt comes again afterwards shows that nothing has run only
// if the program announces what it runs.
func (c *core) interrupted() {
	if c.announcesOutput() {
		c.detect.interrupted()
	}
}

// restLimit is how many bytes readRest waits for, since a program may print forever.
const restLimit = 1 << 20

// readRest waits until the output that the program has printed by now has been read: at most
// restLimit bytes, and only while something can be read.
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

// spillDir returns the directory for files with long output.
func (c *core) spillDir() string {
	if c.options.SpillDir != "" {
		return c.options.SpillDir
	}
	return c.scratch.Path
}

// announcesOutput reports whether C is expected when a line becomes a command.
func (c *core) announcesOutput() bool {
	return c.status.byMarker && (c.prog.output.announced || c.stream.begins)
}

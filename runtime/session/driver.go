package session

import (
	"sync"
	"time"

	"ripple/runtime/internal/scratch"
	"ripple/runtime/launch"
	"ripple/runtime/session/internal/machine"
	"ripple/runtime/terminal"
)

// driver runs one started program on its terminal: it holds the lock and the timer
// and keeps the order. What the program prints it takes through the stages, piece by
// piece; between the pieces the machine decides, and effects.go does what it decided.
// One goroutine reads; callers step the machine under the same lock.
//
// It has more methods than other types, all of them short, since everything that
// happens under the one lock is one: the pieces of the stream (pieces.go), the effects
// (effects.go), what callers do and ask (command.go, interrupt.go, state.go) and the
// start and the end (start.go, terminal.go, close.go). What has a state of its own is a
// type of its own.
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

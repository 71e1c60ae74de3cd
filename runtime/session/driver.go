package session

import (
	"sync"
	"time"

	"ripple/runtime/internal/echo"
	"ripple/runtime/internal/prompt"
	"ripple/runtime/internal/render"
	"ripple/runtime/internal/scratch"
	"ripple/runtime/launch"
	"ripple/runtime/proctree"
	"ripple/runtime/pty"
	"ripple/runtime/session/internal/machine"
)

// driver runs one started program: it alone reads from and writes to the PTY,
// holds the timer and carries out what the machine decides. One goroutine
// reads; callers step the machine under the same lock.
type driver struct {
	prog    *program
	options Options
	plan    launch.Plan
	scratch *scratch.Dir
	tty     *pty.PTY
	tree    *proctree.Tree
	opened  time.Time

	mu     sync.Mutex
	policy machine.Policy
	state  machine.State
	effs   []machine.Effect // the current input's, reused

	// Detection.
	parser     *prompt.Markers // nil: no OSC markers
	classifier *prompt.Classifier
	literal    *prompt.Literal // nil: no literal marker with a nonce
	match      prompt.Match    // the latest candidate
	visible    bool            // at a prompt a thread of the program was seen to wait for input
	reads      bool            // and in a read of the terminal
	turn       uint64          // which wait the program was last seen in
	place      pty.Place       // where it waits for a command
	usual      bool            // its standard output and error were the terminal: some keep that under other numbers
	sentTurn   uint64          // and in which when the line was sent
	// promptLength is the length of the latest proven prompt in characters.
	promptLength int
	needs        string // what the program lacks, by ready.needs

	// The stream.
	region     region
	injected   *echo.Stripper // until the echo of the injected text has passed
	received   int64          // bytes of the terminal's output so far
	arrived    bool           // text that is not a prompt came in this read
	startup    []byte
	unproven   unproven
	promptText []byte
	held       []byte
	more       []byte // what came since F
	endsMore   bool   // this program announces the end of such a prompt (G)
	shown      []byte // the latest prompt, with what it has of sequences
	asideAt    time.Time
	late       string // what came after the last command
	leaving    bool   // the program was asked to end
	beginsSeen bool   // this program announces the beginning of output (C)
	printer    printer
	queries    queries

	// What the program is doing.
	used      bool // a command was sent to it
	restarted bool // the next command is the first one of a new program
	cmd       *command
	announced bool // the command before was announced by C
	onTTY     bool // at the first prompt the program's standard input was the terminal
	byMarker  bool // the prompt we are at was announced by a marker
	cwd       string
	mode      string
	level     *int

	// Effects that wait for the end of the read.
	ask        bool
	wantTimer  bool
	timerDelay time.Duration
	timerDirty bool
	timer      *time.Timer
	timerGen   int

	out        [][]byte  // to be written
	owed       string    // an interrupt that waits for payInterrupt
	owedReads  int       // how often it was looked at
	unanswered bool      // no byte came since the last interrupt
	readAt     time.Time // when the last bytes came
	waiting    bool      // somebody waits until the tty takes more

	readyOnce sync.Once
	ready     chan struct{}
	dead      chan struct{} // closed when the last byte has been read
	failure   error         // why the session cannot go on
	exit      *ExitError
	changed   chan struct{} // replaced on every change that State shows
}

// command is one Eval.
type command struct {
	pending []string // lines not yet sent
	file    string   // tempfile to delete
	started time.Time

	sent     string
	sentAt   time.Time
	sentTo   int64 // how many bytes had been received then
	expectC  bool
	pre      []byte // text before C
	echo     echo.Config
	redrawAt int    // where in pre a prompt began that may be a redraw; -1: nowhere
	end      ending // how it ended

	// Under printer.mu.
	strip     *echo.Stripper
	echoes    echo.Pending    // of input sent while it runs
	endings   *prompt.Literal // of the program's own kind; nil: the terminal's
	rend      *render.Renderer
	pass      func([]byte) // takes final output
	kept      *capture
	mute      bool
	outOfBand string // so far

	restarted   bool
	code        *int
	cwdReported bool
	began       bool // C came
	elsewhere   bool // when it was sent, the program's standard input was not the terminal
	incomplete  bool
	withdrawal  *Withdrawal // what was sent since the input is incomplete
	result      Result
	err         error
	done        chan struct{}
}

// step runs the machine and notes its effects. Effects that start something
// slow wait for settleEffects, because the next byte may cancel them.
func (d *driver) step(in machine.Input) {
	in.Now = time.Since(d.opened)
	before := d.state.Step
	state, effs := d.policy.Next(d.state, in, d.effs[:0])
	d.state, d.effs = state, effs[:0]
	for _, e := range effs {
		d.apply(e)
	}
	if before != d.state.Step {
		d.phaseChanged()
	}
	if d.state.Proof == machine.ProofNone {
		d.ask = false
	}
}

func (d *driver) apply(e machine.Effect) {
	switch e.Kind {
	case machine.DoInject:
		d.inject()
	case machine.DoEnter:
		d.send(d.lineEnding())
	case machine.DoReady:
		d.becomeReady(e)
	case machine.DoNextLine:
		if e.Match { // what is held back before the prompt is output
			d.releaseHeld(min(d.match.Start, len(d.held)))
		}
		d.nextLine()
	case machine.DoBegin:
		d.begin()
	case machine.DoComplete:
		d.complete(e)
	case machine.DoGiveUp:
		d.giveUp()
	case machine.DoTakeBack:
		d.takeBack()
	case machine.DoAsk:
		d.ask = true
	case machine.DoTimer:
		d.wantTimer, d.timerDelay, d.timerDirty = true, e.Delay, true
	case machine.DoNoTimer:
		d.timerDirty = d.timerDirty || d.wantTimer
		d.wantTimer = false
	}
}

// settleEffects carries out what is still wanted after a whole read.
func (d *driver) settleEffects() {
	for d.ask {
		d.ask = false
		ready := d.look()
		d.step(machine.Input{Kind: machine.InReadiness, Ready: ready})
		if ready == machine.ReadyAsks {
			d.matchPrompt() // what it asks may be known
		}
	}
	if !d.timerDirty {
		return
	}
	d.timerDirty = false
	d.timerGen++
	if d.timer != nil {
		d.timer.Stop() // a firing under way is told apart by its generation
	}
	if d.wantTimer {
		gen := d.timerGen
		d.timer = time.AfterFunc(d.timerDelay, func() { d.fired(gen) })
	}
}

func (d *driver) fired(gen int) {
	d.happened(func() {
		if gen != d.timerGen || !d.wantTimer {
			return
		}
		d.wantTimer = false
		d.observe(EventTimer, nil, "timer")
		d.step(machine.Input{Kind: machine.InTimer})
		if d.state.Step == machine.StepFirst {
			d.matchPrompt() // it may have come while a declared delay ran
		}
		d.settleEffects()
	})
}

// locked runs f under the lock. A caller does not wait for the output that f
// may have made due.
func (d *driver) locked(f func()) {
	if d.due(f) {
		go d.passOn()
	}
}

// happened runs f under the lock and then, outside of it, makes and delivers output
// and wakes whoever waits for the command that ended, if one did.
func (d *driver) happened(f func()) (woke bool) { return d.due(f) && d.passOn() }

// due runs f under the lock and says whether there is output to be made.
func (d *driver) due(f func()) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
	return d.printer.due
}

// fail makes the session unusable: a pattern of the adapter cannot be matched.
func (d *driver) fail(err error) {
	if d.failure == nil {
		d.failure = err
		if d.cmd != nil {
			d.cmd.err = err
		}
	}
}

// watched says whether somebody observes.
func (d *driver) watched() bool { return d.options.Observer != nil }

func (d *driver) observe(kind EventKind, data []byte, text string) {
	if d.options.Observer != nil {
		d.options.Observer.Observe(Event{At: time.Since(d.options.began), Kind: kind, Data: data, Text: text})
	}
}

// phaseChanged tells observers and those who wait for a state.
func (d *driver) phaseChanged() {
	d.observe(EventPhase, nil, "phase "+string(d.phase()))
	close(d.changed)
	d.changed = make(chan struct{})
}

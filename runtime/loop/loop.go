package loop

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"ripple/runtime/internal/git"
	"ripple/runtime/loop/config"
	"ripple/runtime/loop/journal"
	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
)

// Options are what a loop needs. Project, Config and Agent must be set.
type Options struct {
	Project    string // the directory that has .ralph
	Config     *config.Config
	Agent      Agent
	AgentName  string           // for messages; may be ""
	DenialHelp string           // what to do about a denied permission; "" for a general word
	Fallback   []Member         // take turns, in this order, while the agents before them are limited
	Prompt     string           // the prompt itself; "": PromptFile
	PromptFile string           // where the prompt is, read for each turn; "": .ralph/PROMPT.md
	Resume     bool             // go on with the run that ended last, however it ended
	Observe    func(Notice)     // gets each notice, from one goroutine at a time; may be nil
	Now        func() time.Time // the wall clock; nil: time.Now

	// ExitCode is what the record says that a process ends with which ran the loop; nil:
	// nothing.
	ExitCode func(*Stop) int

	// Believable is called before anything is written. It must not return when the
	// process and its children are being killed: how they end then is no news. May
	// be nil.
	Believable func()
}

// Loop is one run of the loop. What lasts is in its state; the other fields are what
// only this process knows, each of one of the files of this package, and Run reads as
// the way of a turn through them.
type Loop struct {
	o     Options
	store *journal.Store
	log   *journal.Log
	state record.State
	calls window

	tree     *git.Tree
	who      Member        // takes the turn, or took the last one
	work     *git.Worktree // nil: the agent works in the project
	before   *begunWith    // the tree before the turn
	theirs   map[string][]byte
	last     *git.Snapshot   // the tree after the last turn, if nothing happened since
	since    time.Time       // Run began
	earlier  time.Duration   // what the run took in other processes
	restored bool            // the state is there: how the run ends can be recorded
	checking bool            // the commands of --verify run
	begun    bool            // the turn that comes next was begun before a crash
	told     *record.Line    // the stop that events.jsonl ends with
	noted    map[string]bool // what was said once
	keptIn   int             // the turn that git has nothing more of: refused, or nothing to commit
	free     bool            // it was said that the agent tells no cost
	observer sync.Mutex

	pulled *interrupts
}

// New makes a loop that Run starts.
func New(o Options) *Loop {
	if o.Now == nil {
		o.Now = time.Now
	}
	l := &Loop{o: o, noted: map[string]bool{}, pulled: newInterrupts()}
	l.who = l.team()[0]
	return l
}

// Run takes turn after turn until the work is done or something else ends the
// loop. That ctx ends is an interrupt in the middle of a turn.
func (l *Loop) Run(ctx context.Context) Stop {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-l.pulled.hard:
			cancel()
		case <-over:
		}
	}()
	l.since = time.Now()
	stop := l.run(ctx)
	l.tell(Notice{Kind: NoticeStopped, Turn: l.state.Turn, Stop: stop, Summary: l.summary(ctx)})
	return *stop
}

func (l *Loop) run(ctx context.Context) *Stop {
	closeAll, err := l.open(ctx)
	defer closeAll()
	if err != nil && !l.restored {
		return stopFor(err)
	}
	var stop *Stop
	for stop == nil && err == nil {
		stop, err = l.advance(ctx)
	}
	switch {
	case ctx.Err() != nil && stop == nil:
		stop = interruptStop(l.begun, l.checking)
	case err != nil:
		stop = stopFor(err)
	}
	if stop.Reason == ReasonLocked { // the files are another loop's by now
		return stop
	}
	if err := l.finish(stop); err != nil {
		l.note("the end could not be recorded: " + err.Error())
	}
	return stop
}

// advance does one thing: it finds a reason to stop, waits, or takes a turn. A
// loop that is done does not first wait for the hourly limit.
func (l *Loop) advance(ctx context.Context) (*Stop, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err := l.mend(); err != nil {
		return nil, err
	}
	if err := l.keep(ctx); err != nil {
		return nil, err
	}
	if l.interrupted() {
		return interruptStop(false, false), nil
	}
	p, err := planOf(l.planPath())
	if err != nil {
		return nil, err
	}
	now := l.now()
	if !(*breaker)(&l.state.Breaker).allow(l.thresholds(), now) {
		return cmp.Or(l.cause(), l.openStop(now)), nil
	}
	if stop, err := l.claim(ctx, p); stop != nil || err != nil {
		return stop, err
	}
	if l.interrupted() { // while it was checked
		return interruptStop(false, false), nil
	}
	if stop := cmp.Or(l.cause(), l.budget(p)); stop != nil {
		return stop, nil
	}
	if l.state.NotBefore.After(now) {
		what := "after a failed turn"
		if l.state.Limits > 0 {
			what = "for the provider's limit"
		}
		return nil, l.wait(ctx, l.state.NotBefore, what)
	}
	if d := l.calls.wait(l.o.Config.CallsPerHour, now); d > 0 {
		return nil, l.wait(ctx, now.Add(d), fmt.Sprintf("for the limit of %s an hour", plural(l.o.Config.CallsPerHour, "call")))
	}
	return nil, l.turn(ctx, p)
}

func (l *Loop) resetSession(reason string) {
	if m := l.state.Session.Reset(reason, l.state.Turn, l.now()); m != nil {
		l.state.Moves = append(l.state.Moves, *m)
		l.state.Used = zeroTokens
	}
}

func (l *Loop) now() time.Time { return l.o.Now().Round(0).UTC() }

func (l *Loop) tell(n Notice) {
	if l.o.Observe == nil {
		return
	}
	l.observer.Lock()
	defer l.observer.Unlock()
	l.o.Observe(n)
}

func (l *Loop) note(text string) {
	l.tell(Notice{Kind: NoticeNote, Turn: l.state.Turn, Text: text})
}

func (l *Loop) thresholds() thresholds {
	c := l.o.Config
	t := thresholds{NoProgress: c.NoProgress, SameError: c.SameError, Decline: c.Decline, Cooldown: c.Cooldown}
	if c.DenialMode == "threshold" {
		t.Denials = c.Denials
	}
	return t
}

// planPath is the task list that the agent sees: in a worktree its own.
func (l *Loop) planPath() string { return layout.PlanIn(l.o.Project, l.tree.Dir) }

// planOf counts the boxes of a task list; one that is not there has none.
func planOf(path string) (record.Plan, error) {
	list, err := record.ReadTasks(path)
	return list.Count(), err
}

// task is what the plan has the agent do next. That it cannot be read is said
// elsewhere.
func (l *Loop) task() string {
	list, _ := record.ReadTasks(l.planPath())
	return list.Next()
}

// planForAgent is its name as the agent, in its directory, finds it.
func (l *Loop) planForAgent() string {
	if path := l.planPath(); l.work != nil && path == l.store.Path(layout.PlanFile) {
		return path
	}
	return layout.Dir + "/" + layout.PlanFile
}

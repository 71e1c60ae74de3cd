package loop

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"example.org/ripple/runtime/box"
	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/runtime/loop/record"
)

// Options configures a loop. Project, Config and Agent must be set.
type Options struct {
	Project    string // the directory that contains .ralph
	Config     *config.Config
	Agent      Agent
	AgentName  string            // for messages; may be ""
	DenialHelp string            // advice about a denied permission; "" for a general one
	Fallback   []Member          // agents that take turns, in this order, while those before them are limited
	HatAgents  map[string]Member // agents of hats that have their own, by the keys of the hats
	Prompt     string            // the prompt itself; "": it is in PromptFile
	PromptFile string            // file of the prompt, read before each turn; "": .ralph/PROMPT.md
	Resume     bool              // continue the run that ended last, whatever ended it
	Settings   *record.Settings  // how the run is started, for the record; may be nil
	Observe    func(Notice)      // gets each notice, from one goroutine at a time; may be nil
	Now        func() time.Time  // the wall clock; nil: time.Now
	Box        *box.Box          // where agents and checks run; required if Config.Box is set
	Attended   bool              // a user is at the terminal, and can answer

	// PromptInside is set if a file of the project names PromptFile, and not the user: then the loop stops if that is
	// not a file of the project, or of its repository, or is a link that leads out of there.
	PromptInside bool

	// GitAccepted are the risks of the repository that the user has approved, as [GitRisks] returns them. With others
	// the loop stops before git compares or writes files.
	GitAccepted []string

	// ExitCode returns the exit code that is recorded with a stop. If it is nil, none is.
	ExitCode func(*Stop) int

	// Advice returns the advice that is recorded with a stop. If it is nil, none is.
	Advice func(*Stop) string

	// BeforeWrite is called before anything is written. While the process and its children
	// are being killed it must not return, because how they end then means nothing. May be
	// nil.
	BeforeWrite func()

	// BeforeUnlock is called after the loop has ended and before it releases its lock, so that the caller can
	// end processes that checks and hooks of git left running. May be nil.
	BeforeUnlock func()
}

// Loop is one run of the loop. Run passes each turn through the parts, which share the run;
// each has a state of its own. The run's state is recorded; the rest exists only in this
// process.
type Loop struct {
	*run
	o          Options
	work       *workspace
	backup     *backup
	team       *team
	dispatcher *dispatcher
	judge      *judge
	limits     *limits
	checker    *checker
	committer  *committer
	questions  *questions
	confined   *confined
	interrupts *interrupts
	done       *Summary // set at the end
	prompt     string   // digest of the prompt's file before the turn
	inProject  bool     // the prompt's file is read in the project only, see readTask
	restored   bool     // the state was read, so the end of the run can be recorded
}

// New returns a loop. Run starts it.
func New(o Options) *Loop {
	if o.Now == nil {
		o.Now = time.Now
	}
	r := &run{
		clock: clock{wall: o.Now}, notifier: notifier{observe: o.Observe, noted: map[string]bool{}},
		config: o.Config, project: o.Project, accepted: o.GitAccepted, settings: o.Settings,
	}
	work, backup, team := &workspace{run: r, whole: o.Box}, &backup{run: r}, newTeam(r, &o)
	work.checkouts = &checkouts{run: r, work: work}
	interrupts := newInterrupts()
	questions := &questions{run: r, interrupts: interrupts}
	questions.waits = r.wanted(o.Attended)
	return &Loop{
		run: r, o: o, work: work, backup: backup, team: team,
		dispatcher: &dispatcher{run: r, work: work, team: team, agents: o.HatAgents},
		judge:      &judge{run: r, work: work, team: team, questions: questions},
		limits:     &limits{run: r, team: team},
		checker:    &checker{run: r, work: work, backup: backup, questions: questions},
		committer:  &committer{run: r, work: work, interrupts: interrupts},
		interrupts: interrupts,
		questions:  questions,
		confined:   &confined{run: r, work: work},
	}
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
		case <-l.interrupts.hard:
			cancel()
		case <-over:
		}
	}()
	l.since, l.questions.ctx = time.Now(), ctx
	stop := l.takeTurns(ctx)
	l.questions.hooks.Wait()
	l.tell(Notice{Kind: NoticeStopped, Turn: l.state.Turn, Stop: stop, Summary: l.done})
	return *stop
}

func (l *Loop) takeTurns(ctx context.Context) *Stop {
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
		stop = interruptStop(l.begun(), l.checker.running)
	case err != nil:
		stop = stopFor(err)
	}
	stop.Question = cmp.Or(stop.Question, l.questions.behind(stop))
	if stop.Reason == ReasonLocked { // the files belong to another loop now
		return stop
	}
	l.confined.end(ctx)
	l.done = l.work.summary(ctx)
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
	if err := l.backup.mend(); err != nil {
		return nil, err
	}
	if err := l.committer.commitTurn(ctx); err != nil {
		return nil, err
	}
	if l.interrupts.asked() {
		return interruptStop(false, false), nil
	}
	if err := l.questions.take(); err != nil {
		return nil, err
	}
	if of := l.questions.holding(); of != nil && l.questions.waits {
		l.work.last = nil // users may edit files meanwhile
		return l.questions.await(ctx, *of)
	}
	p, err := planOf(l.project, l.work.tree.Dir)
	if err != nil {
		return nil, err
	}
	if stop := l.limits.cause(); stop != nil {
		return stop, nil
	}
	now := l.now()
	if !(*breaker)(&l.state.Breaker).allow(thresholdsOf(l.config), now) {
		return l.limits.openStop(now), nil
	}
	if stop, ends, err := l.checker.claim(ctx, &p); ends || err != nil {
		return stop, err
	}
	if l.interrupts.asked() { // during the check
		return interruptStop(false, false), nil
	}
	if stop := l.limits.budget(p); stop != nil {
		return stop, nil
	}
	if l.state.NotBefore.After(now) {
		what := "after a failed turn"
		if l.state.Limits > 0 {
			what = cmp.Or(l.judge.waitFor, reactions[l.state.Failed].waits, "for the provider")
		}
		return nil, l.wait(ctx, l.state.NotBefore, what)
	}
	if d := l.calls.wait(l.config.CallsPerHour, now); d > 0 {
		return nil, l.wait(ctx, now.Add(d), fmt.Sprintf("for the limit of %s an hour", plural(l.config.CallsPerHour, "call")))
	}
	return nil, l.turn(ctx)
}

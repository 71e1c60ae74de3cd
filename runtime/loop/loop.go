package loop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Options are what a loop needs. Project, Config and Agent must be set.
type Options struct {
	Project    string // the directory that has .ralph
	Config     *Config
	Agent      Agent
	DenialHelp string           // what to do about a denied permission; "" for a general word
	Prompt     string           // the prompt itself; "": PromptFile
	PromptFile string           // where the prompt is, read for each turn; "": .ralph/PROMPT.md
	Resume     bool             // go on with the run that ended last, however it ended
	Observe    func(Notice)     // gets each notice, from one goroutine at a time; may be nil
	Now        func() time.Time // the wall clock; nil: time.Now
}

// Loop is one run of the loop.
type Loop struct {
	o     Options
	store *store
	log   *log
	state state
	calls window

	tree     *tree
	work     *worktree     // nil: the agent works in the project
	last     *snapshot     // the tree after the last turn, if nothing happened since
	since    time.Time     // Run began
	earlier  time.Duration // what the run took in other processes
	begun    bool          // the turn that comes next was begun before a crash
	told     *line         // the stop that events.jsonl ends with
	observer sync.Mutex

	mu     sync.Mutex
	soft   chan struct{} // closed by the first interrupt
	hard   chan struct{} // closed by the second
	pulled int
}

// New makes a loop that Run starts.
func New(o Options) *Loop {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Loop{o: o, soft: make(chan struct{}), hard: make(chan struct{})}
}

// Interrupt asks the loop to stop: the first time after the turn, the second
// time now, which ends the agent. It does not wait.
func (l *Loop) Interrupt() {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch l.pulled++; l.pulled {
	case 1:
		close(l.soft)
	case 2:
		close(l.hard)
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
		case <-l.hard:
			cancel()
		case <-over:
		}
	}()
	l.since = time.Now()
	stop := l.run(ctx)
	l.tell(Notice{Kind: NoticeStopped, Turn: l.state.Turn, Stop: stop})
	return *stop
}

func (l *Loop) run(ctx context.Context) *Stop {
	closeAll, err := l.open(ctx)
	defer closeAll()
	if err != nil {
		return stopFor(err)
	}
	var stop *Stop
	for stop == nil && err == nil {
		stop, err = l.advance(ctx)
	}
	switch {
	case ctx.Err() != nil && stop == nil:
		stop = interruptStop(true)
	case err != nil:
		stop = stopFor(err)
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
	if err := l.keep(ctx); err != nil {
		return nil, err
	}
	if l.interrupted() {
		return interruptStop(false), nil
	}
	p, err := readPlan(l.planPath())
	if err != nil {
		return nil, err
	}
	now := l.now()
	if !l.state.Breaker.allow(l.thresholds(), now) {
		return l.openStop(now), nil
	}
	if stop, err := l.claim(ctx, p); stop != nil || err != nil {
		return stop, err
	}
	if stop := l.standing(p); stop != nil {
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
		return nil, l.wait(ctx, now.Add(d), fmt.Sprintf("for the limit of %d calls an hour", l.o.Config.CallsPerHour))
	}
	return nil, l.turn(ctx, p)
}

// open takes the lock and reads everything. closeAll is never nil.
func (l *Loop) open(ctx context.Context) (closeAll func(), err error) {
	var closers []func() error
	closeAll = func() {
		for i := range closers {
			_ = closers[len(closers)-1-i]() // what matters was synced
		}
	}
	project, err := filepath.Abs(l.o.Project)
	if err != nil {
		return closeAll, err
	}
	l.o.Project, l.store = project, &store{dir: filepath.Join(project, Dir)}
	if _, err := l.readPrompt(); err != nil {
		return closeAll, err
	}
	if err := os.MkdirAll(l.store.path(LogsDir), 0o755); err != nil {
		return closeAll, err
	}
	unlock, err := l.store.lock(l.now())
	if err != nil {
		return closeAll, err
	}
	closers = append(closers, unlock)
	if err := l.store.sweep(); err != nil {
		return closeAll, err
	}
	if l.log, err = openLog(l.store.path(EventsFile)); err != nil {
		return closeAll, err
	}
	closers = append(closers, l.log.close)
	return closeAll, errors.Join(l.restore(), l.openTrees(ctx), l.project("running", "starting", ""))
}

// readPrompt reads PROMPT.md, each turn anew: people change it as they watch.
func (l *Loop) readPrompt() (string, error) {
	if l.o.Prompt != "" {
		return l.o.Prompt, nil
	}
	path := l.store.path(PromptFile)
	if l.o.PromptFile != "" {
		path = l.o.PromptFile
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", &Stop{
			Reason: ReasonPromptMissing, ExitCode: ExitMissing, Why: fmt.Sprintf("There is no %s.", path),
			Next: "Write the task into it, or let `ripple init` make one.",
		}
	}
	return string(data), err
}

// openTrees finds out where the agent works and how changes are seen.
func (l *Loop) openTrees(ctx context.Context) error {
	dir := l.o.Project
	r, err := openRepo(ctx, dir)
	if err != nil {
		return err
	}
	c := l.o.Config
	if r == nil && (c.Commit || c.Tag || c.Worktree != "") {
		return &Stop{
			Reason: ReasonError, ExitCode: ExitMissing, Why: "The project is in no git repository, which --commit, --tag and --worktree need.",
			Next: "Run `git init` in the project, or leave the option out.",
		}
	}
	if c.Worktree != "" {
		if l.work, err = r.openWorktree(ctx, dir, c.Worktree); err != nil {
			return err
		}
		dir = l.work.dir()
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	l.tree, err = openTree(ctx, dir)
	return err
}

// restore makes the state: of the run that is gone on with, or of a new one,
// which starts with what the files say.
func (l *Loop) restore() error {
	if _, damaged, err := l.store.readJSON(callsFile, &l.calls, func() bool { return true }); err != nil {
		return err
	} else if damaged != "" {
		l.calls = window{}
		l.noteDamage(damaged)
	}
	if l.o.Resume {
		found, err := l.log.recover(func() (io.WriteCloser, error) { return l.store.asideFile(0, l.now()) })
		if err != nil {
			return err
		}
		if found.state != nil {
			l.resume(found)
			return nil
		}
		l.note("there is no run to go on with; a new one begins")
	}
	return l.begin()
}

func (l *Loop) resume(found left) {
	l.state, l.begun, l.told = *found.state, found.begun, found.stopped
	l.state.Moves = nil
	l.earlier = time.Duration(l.state.Millis) * time.Millisecond
	if found.stopped != nil {
		if found.stopped.Reason == ReasonInterrupted && found.begun {
			l.resetSession("manual_interrupt")
		}
		l.state.goOn()
	}
	if l.o.Config.AutoReset {
		l.state.Breaker.close()
	}
}

func (l *Loop) begin() error {
	now := l.now()
	s := state{Run: stamp(now)}
	found, damaged, err := l.store.readJSON(BreakerFile, &s.Breaker, s.Breaker.valid)
	if err != nil {
		return err
	}
	if l.noteDamage(damaged); !found {
		s.Breaker = breaker{State: closed}
	}
	if l.o.Config.AutoReset && s.Breaker.State != closed {
		s.Breaker.close()
	}
	if s.Session, damaged, err = l.store.loadSession(); err != nil {
		return err
	}
	l.noteDamage(damaged)
	l.state = s
	return l.log.add(line{Time: now, Type: runStarted, State: &l.state})
}

func (l *Loop) noteDamage(name string) {
	if name != "" {
		l.note(fmt.Sprintf("the file was damaged and is now %s; the loop begins without it", l.store.path(name)))
	}
}

// finish records how the loop ended. Errors of the store cannot be recorded.
func (l *Loop) finish(stop *Stop) error {
	status := "stopped"
	switch {
	case stop.ExitCode == ExitDone:
		l.resetSession(stop.Reason)
		status = "completed"
	case stop.Reason == ReasonCircuitOpen:
		l.resetSession("circuit_breaker_open")
		status = "halted"
	case stop.Reason == ReasonInterrupted:
		l.resetSession("manual_interrupt")
	case stop.ExitCode == ExitBlocked, stop.ExitCode == ExitUnverified:
		status = "halted"
	case stop.ExitCode == ExitFailed, stop.ExitCode == ExitMissing:
		status = "error"
	}
	if t := l.told; t == nil || t.Reason != stop.Reason || t.Turn != l.state.Turn || l.begun {
		v := line{Turn: l.state.Turn, Time: l.now(), Type: stopped, Reason: stop.Reason, ExitCode: &stop.ExitCode, Why: stop.Why}
		if !l.begun { // the state is that of the line before a turn that was cut off
			v.State = &l.state
		}
		if err := errors.Join(l.log.add(v), l.log.sync()); err != nil {
			return err
		}
	}
	return l.project(status, l.action(stop.Reason), stop.Reason)
}

func (l *Loop) resetSession(reason string) {
	if m := l.state.Session.reset(reason, l.state.Turn, l.now()); m != nil {
		l.state.Moves = append(l.state.Moves, *m)
		l.state.Used = zeroTokens
	}
}

func (l *Loop) now() time.Time { return l.o.Now().Round(0).UTC() }

func (l *Loop) interrupted() bool {
	select {
	case <-l.soft:
		return true
	default:
		return false
	}
}

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
func (l *Loop) planPath() string {
	own := filepath.Join(l.tree.dir, Dir, PlanFile)
	if _, err := os.Stat(own); err == nil {
		return own
	}
	return l.store.path(PlanFile)
}

// elapsed is how long the run takes, its waits included, without the time in
// which no process worked on it.
func (l *Loop) elapsed() time.Duration { return l.earlier + time.Since(l.since) }

// wait shows a countdown until a time comes, an interrupt, or the end of
// --max-runtime. It lasts no longer than it would have with a clock that nobody
// sets.
func (l *Loop) wait(ctx context.Context, until time.Time, what string) error {
	if err := l.project("paused", l.action("waiting "+what), ""); err != nil {
		return err
	}
	l.last = nil // people work meanwhile
	started, whole := time.Now(), until.Sub(l.now())
	if most := l.o.Config.MaxRuntime; most > 0 {
		whole = min(whole, most-l.elapsed())
	}
	for {
		left := min(until.Sub(l.now()), whole-time.Since(started))
		if left <= 0 {
			return nil
		}
		l.tell(Notice{Kind: NoticeWaiting, Turn: l.state.Turn, Text: what, Left: left})
		tick := time.NewTimer(min(left, time.Second))
		select {
		case <-tick.C:
		case <-l.soft:
			tick.Stop()
			return nil
		case <-ctx.Done():
			tick.Stop()
			return ctx.Err()
		}
	}
}

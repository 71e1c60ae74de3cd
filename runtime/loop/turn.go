package loop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ripple/runtime/event"
)

var zeroTokens event.Tokens

// First and longest waits after a failed turn and after a provider's limit that
// does not say when it ends.
const (
	failFirst, failMost   = time.Second, time.Minute
	limitFirst, limitMost = 5 * time.Minute, time.Hour
)

// ended is a turn that the agent has taken.
type ended struct {
	turn          int
	prompt        string
	outcome       Outcome
	said          *analysis
	before, after snapshot
}

func (e *ended) progress() bool { return !e.before.equal(e.after) }

// limited says that the turn ended in a limit of the provider.
func (e *ended) limited() bool {
	return e.outcome.Failure != nil && e.outcome.Failure.Kind == event.Limited
}

// turn takes one turn and records it. A turn that an interrupt cut off is as if
// it had been killed: the next run takes it again.
func (l *Loop) turn(ctx context.Context, p plan) error {
	e := &ended{turn: l.state.Turn + 1, said: &analysis{}}
	var err error
	if e.prompt, err = l.readPrompt(); err != nil {
		return err
	}
	l.expireSession()
	if e.before, err = l.treeBefore(ctx, e.turn); err != nil {
		return err
	}
	if err := l.start(e); err != nil {
		return err
	}
	if err := l.drive(ctx, e, p); err != nil {
		return err
	}
	if e.after, err = l.tree.snapshot(ctx); err != nil {
		return err
	}
	e.said.finish(e.outcome)
	if err := l.judge(ctx, e); err != nil {
		return err
	}
	return l.record(e)
}

func (l *Loop) expireSession() {
	l.state.Moves = nil
	if l.state.Session.expired(l.o.Config.SessionExpiry, l.now()) {
		l.resetSession("session_expired")
	}
}

// begunWith is the content of the file that holds the tree before a turn.
type begunWith struct {
	Run string `json:"run"`
	snapshot
}

// treeBefore is the tree before a turn. One that was begun already keeps the tree
// before its first try: what that try did is the turn's work.
func (l *Loop) treeBefore(ctx context.Context, turn int) (snapshot, error) {
	if l.begun {
		known, err := l.knownBefore(turn)
		if err != nil {
			return snapshot{}, err
		}
		if known != nil {
			return *known, nil
		}
	}
	now, err := l.lookBefore(ctx)
	if err != nil {
		return now, err
	}
	now.Turn = turn
	return now, l.store.writeJSON(snapshotFile, begunWith{l.state.Run, now})
}

// knownBefore reads the tree before a turn, nil when that is not known.
func (l *Loop) knownBefore(turn int) (*snapshot, error) {
	var known begunWith
	found, _, err := l.store.readJSON(snapshotFile, &known, func() bool { return true })
	if err != nil || !found || known.Run != l.state.Run || known.Turn != turn {
		return nil, err
	}
	return &known.snapshot, nil
}

func (l *Loop) lookBefore(ctx context.Context) (snapshot, error) {
	if l.last != nil && l.work == nil {
		return *l.last, nil
	}
	s, err := l.tree.snapshot(ctx)
	if err != nil || l.work == nil {
		return s, err
	}
	if err := l.work.update(ctx, len(s.Files) == 0); err != nil {
		return s, err
	}
	return l.tree.snapshot(ctx)
}

// start writes what must be on the disk before the agent runs.
func (l *Loop) start(e *ended) error {
	now := l.now()
	l.calls.roll(now)
	l.calls.add(now)
	err := errors.Join(
		l.store.writeJSON(callsFile, l.calls),
		l.store.refreshText(StartFile, []byte(e.before.Head+"\n")),
		l.project("running", l.action("executing"), ""),
	)
	if err == nil && !l.begun {
		err = l.log.add(line{Turn: e.turn, Time: now, Type: turnStarted, Session: l.sessionID()})
	}
	l.begun = true
	l.tell(Notice{Kind: NoticeTurnStarted, Turn: e.turn})
	return err
}

func (l *Loop) sessionID() string {
	if !l.o.Config.SessionContinuity {
		return ""
	}
	return l.state.Session.ID
}

// drive has the agent take the turn, and keeps each event. When an event cannot
// be kept, the agent is ended.
func (l *Loop) drive(ctx context.Context, e *ended, p plan) error {
	live, err := l.liveLog(e.turn)
	if err != nil {
		return err
	}
	defer live.Close() // for people; the events are in events.jsonl
	turnCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	emit := func(ev event.Event) {
		e.said.note(ev)
		if err := l.log.event(e.turn, l.now(), ev); err != nil {
			cancel(err)
		}
		_, _ = io.WriteString(live, render(ev)) // see above
		l.tell(Notice{Kind: NoticeEvent, Turn: e.turn, Event: &ev})
	}
	c := l.o.Config
	r := Request{
		Turn: e.turn, Prompt: e.prompt, SessionID: l.sessionID(), Used: l.state.Used,
		Dir: l.tree.dir, Timeout: c.Timeout, IdleTimeout: c.IdleTimeout,
	}
	r.Context = about{e.turn, c.MaxTurns, p, l.state.Breaker.State, l.state.Last, l.state.VerifyFailed}.context()
	e.outcome, err = l.o.Agent.Turn(turnCtx, r, emit)
	switch cause := context.Cause(turnCtx); {
	case ctx.Err() != nil:
		return ctx.Err()
	case cause != nil:
		return cause
	case err != nil:
		return agentStop(err)
	}
	return nil
}

// logs are where a turn is told for people.
type logs []*os.File

func (l logs) Write(data []byte) (int, error) {
	for _, f := range l {
		if n, err := f.Write(data); err != nil {
			return n, err
		}
	}
	return len(data), nil
}

func (l logs) Close() (err error) {
	for _, f := range l {
		err = errors.Join(err, f.Close())
	}
	return err
}

// liveLog opens live.log, which begins anew, and the turn's own log.
func (l *Loop) liveLog(turn int) (logs, error) {
	name := fmt.Sprintf("turn_%04d_%s.log", turn, stamp(l.now()))
	var files logs
	for _, path := range []string{l.store.path(LiveFile), filepath.Join(l.store.dir, LogsDir, name)} {
		f, err := os.Create(path)
		if err != nil {
			return nil, errors.Join(err, files.Close())
		}
		files = append(files, f)
	}
	return files, nil
}

// judge works out what a turn means for the state.
func (l *Loop) judge(ctx context.Context, e *ended) error {
	s, c, o, now := &l.state, l.o.Config, e.outcome, l.now()
	s.Turn, s.Progress = e.turn, e.progress()
	s.Millis = l.elapsed().Milliseconds()
	s.CostUSD += e.said.cost
	s.Failed, s.NotBefore = "", time.Time{}
	if o.Failure != nil {
		s.Failed = o.Failure.Kind
	}
	l.judgeSession(e, now)
	if e.limited() {
		l.judgeLimit(e, now)
		return nil
	}
	s.Limits, s.Waited = 0, 0
	text := e.said.text.String()
	b := parseBlock(text, e.prompt)
	denied := e.said.denied > 0
	s.Halted = denied && c.DenialMode == "halt"
	says := said{block: b, promise: promised(text, c.Promise), denied: denied, failed: o.Failure != nil}
	if b != nil {
		s.Recommended = oneLine(b.Recommendation, 200)
		changed, err := l.changed(ctx, e)
		if err != nil {
			return err
		}
		says.onlyTests = l.onlyTests(changed)
	}
	s.Gate.note(says)
	s.Failures = count(s.Failures, o.Failure != nil)
	if o.Failure != nil {
		s.NotBefore = now.Add(backoff(s.Failures-1, failFirst, failMost))
	}
	s.Breaker.observe(&s.Memory, observation{
		turn: e.turn, progress: s.Progress, denied: denied, failed: o.Failure != nil,
		errors: signatures(e.said.errors), output: e.said.output,
	}, l.thresholds(), now)
	if s.Breaker.State == open {
		l.resetSession("circuit_breaker_open")
	}
	s.Last = e.summary(b)
	return nil
}

// judgeSession keeps the session of a turn that went well.
func (l *Loop) judgeSession(e *ended, now time.Time) {
	switch f := e.outcome.Failure; {
	case f == nil && e.said.session != "":
		if m := l.state.Session.use(e.said.session, e.turn, now); m != nil {
			l.state.Moves = append(l.state.Moves, *m)
		}
		l.state.Used = e.outcome.Used
	case f != nil && f.Kind == event.SessionUnknown:
		l.resetSession("session_unknown")
	}
}

// judgeLimit finds out how long to wait for the provider.
func (l *Loop) judgeLimit(e *ended, now time.Time) {
	s := &l.state
	s.NotBefore = e.said.resetsAt
	if !s.NotBefore.After(now) {
		s.NotBefore = now.Add(backoff(s.Limits, limitFirst, limitMost))
	}
	s.Limits++
	if s.Examined == s.Turn { // nothing new was said
		s.Examined++
	}
	s.Waited += s.NotBefore.Sub(now)
	s.Last = e.summary(nil)
}

// changed are the files that differ after the turn, a commit's too.
func (l *Loop) changed(ctx context.Context, e *ended) ([]string, error) {
	list := e.before.changed(e.after)
	if e.before.Head == e.after.Head || e.before.Head == "" {
		return list, nil
	}
	more, err := l.tree.repo.differ(ctx, e.before.Head, e.after.Head)
	return append(list, more...), err
}

// onlyTests is as seen from the project: its directory may lie deep in a
// repository.
func (l *Loop) onlyTests(changed []string) bool {
	if l.tree.repo == nil {
		return onlyTests(changed)
	}
	own := make([]string, len(changed))
	for i, name := range changed {
		own[i] = strings.TrimPrefix(name, l.tree.repo.prefix)
	}
	return onlyTests(own)
}

// summary is one line on a turn, for the next one and for people.
func (e *ended) summary(b *block) string {
	text := "no change"
	if e.progress() {
		text = "made progress"
	}
	if f := e.outcome.Failure; f != nil {
		return oneLine(fmt.Sprintf("failed (%s): %s", f.Kind, orElse(f.Message, text)), 300)
	}
	if e.said.denied > 0 {
		text += fmt.Sprintf(", %s denied", plural(e.said.denied, "permission"))
	}
	if b != nil && b.Status != "" {
		text += ", status " + b.Status
	}
	if b != nil && b.Recommendation != "" {
		text += ", " + b.Recommendation
	}
	return oneLine(text, 300)
}

const maxChanged = 50 // files named in the line of a turn

// record makes the turn last: one line with the whole state, then the files that
// are made from it.
func (l *Loop) record(e *ended) error {
	l.last = &e.after
	list := e.before.changed(e.after)
	err := l.log.add(line{
		Turn: e.turn, Time: l.now(), Type: turnEnded, Session: l.state.Session.ID, Progress: &l.state.Progress,
		Changed: list[:min(len(list), maxChanged)], Failure: e.outcome.Failure, State: &l.state,
	})
	if err != nil {
		return err
	}
	l.begun, l.told = false, nil
	status := "success"
	if e.outcome.Failure != nil {
		status = "error"
	}
	err = l.project(status, l.action(l.state.Last), "")
	l.tell(Notice{Kind: NoticeTurnEnded, Turn: e.turn, Text: l.state.Last})
	return err
}

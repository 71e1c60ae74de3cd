package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/fault"
	"example.org/ripple/runtime/internal/git"
	"example.org/ripple/runtime/loop/hats"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

var zeroTokens event.Tokens

// ended is a turn that the agent has taken.
type ended struct {
	turn          int
	task          string
	prompt        string
	outcome       Outcome
	said          *analysis
	baseline      *baseline
	before, after git.Snapshot // before is the baseline's
	changed       []string     // files, committed or not
	progress      bool         // one of them is not the loop's own
	begun         time.Time

	hat        string           // that took it; "" for none
	hatContext []string         // lines for the hat
	unseen     error            // why it is not known what the turn changed
	checkout   *record.Checkout // after the turn; nil: the same branch as before
	project    *git.Snapshot    // the user's own checkout before; nil if it is the agent's tree
	users      *record.Project  // how the user's own checkout changed
	topics     []hats.Topic
	handed     bool // a hat published something new

	answer
	unread string            // why the answer could not be read; "": it was
	heard  int               // number of denials in its prompt and earlier ones
	talk   talk              // users' messages in the prompt
	asked  []record.Question // that came with the turn's end, or ended with it
}

// answer has the statements of a turn's text about the work.
type answer struct {
	block       *block // the status block that counts
	gavePromise bool   // the last line is the completion promise
	promised    bool   // the promise counts, given in this or another way
	uncounted   string // why the promise does not count
	odd         string // why a part of the text does not count
	wrong       string // the same for the agent, topics included

	last   string   // its last sentence
	errors []string // the signatures of the errors in it
	missed string   // a tag of a topic that does not count, and why
}

// reaction returns what the loop does after the turn; the zero reaction if it did not fail.
func (e *ended) reaction() reaction {
	if e.outcome.Failure == nil {
		return reaction{}
	}
	return reactions[e.outcome.Failure.Kind]
}

// failed reports whether the turn failed. A turn that ran out of time, of steps or of context after it
// changed something did not fail: the next turn continues from there.
func (e *ended) failed() bool {
	return e.outcome.Failure != nil && !(e.progress && e.reaction().goesOn)
}

// waits reports whether the turn ended because of the provider, which the loop waits for.
func (e *ended) waits() bool { return e.reaction().waits != "" }

// turn takes one turn and records it. A turn that was interrupted is repeated by the next run, as
// after a crash.
func (l *Loop) turn(ctx context.Context) error {
	e := &ended{turn: l.state.Turn + 1, said: &analysis{}}
	var err error
	if e.prompt, err = l.readPrompt(); err != nil {
		return err
	}
	l.trim()
	l.dispatcher.choose()
	l.expireSession()
	l.team.choose()
	if err := l.questions.begin(e); err != nil {
		return err
	}
	if err := l.dispatcher.begin(e); err != nil {
		return err
	}
	if err := l.confined.begin(ctx, e); err != nil {
		return err
	}
	if e.baseline, err = l.work.baselineOf(ctx, e.turn, l.confined.files); err != nil {
		return err
	}
	e.before, e.project = *e.baseline.read(), e.baseline.Project.read()
	p, err := planOf(l.project, l.work.tree.Dir) // after a rebase of the working tree, which may change it
	if err != nil {
		return err
	}
	if err := l.assign(e, p); err != nil {
		return err
	}
	if l.state.Turn == 0 {
		l.state.Start = e.before.Head
		if !e.before.BranchUnknown {
			l.state.Checkouts.First = &e.before.Branch
		}
	}
	l.work.last = nil // the agent is about to change it
	l.backup.remember(e.baseline)
	if err := l.start(e); err != nil {
		return err
	}
	err = l.drive(ctx, e, p)
	l.confined.takeDenials(nil)
	if err != nil {
		return l.cutShort(ctx, e, err)
	}
	if err := l.backup.mend(); err != nil {
		return err
	}
	l.interpret(e)
	if e.unseen = l.look(ctx, e); ctx.Err() != nil {
		return l.cutShort(ctx, e, ctx.Err())
	}
	e.unseen = errors.Join(e.unseen, l.compareAssignment(e))
	l.confined.takeDenials(e)
	l.confined.takeFiles(ctx, e.changed)
	l.judge.take(e)
	err = l.recordTurn(e)
	l.questions.turnOver(e)
	l.limits.untold(e)
	return errors.Join(e.unseen, err)
}

// interpret reads the agent's answer. If that cannot be done, nothing in the answer counts, and the turn
// has failed.
func (l *Loop) interpret(e *ended) {
	l.reading(e, e.said.text.String(), func() {
		e.said.finish(e.outcome)
		e.read(l.config.Promise)
	})
	if e.unread == "" {
		return
	}
	e.answer = answer{}
	if e.outcome.Failure == nil {
		e.outcome.Failure = &event.Failure{Kind: event.Crashed, Message: e.unread}
	}
}

// reading calls f, which interprets text of the agent. A panic of f costs the turn its answer, and never
// the loop.
func (r *run) reading(e *ended, text string, f func()) {
	if caught := fault.Catch(readingAnswer, []byte(text), f); caught != nil && e.unread == "" { // of several panics the first one explains the others
		e.unread = r.noteFault(e.turn, *caught, "nothing in the answer of this turn counts")
	}
}

const readingAnswer = "reading the agent's answer"

// noteFault reports a panic and returns the message.
func (r *run) noteFault(turn int, caught fault.Fault, cost string) string {
	notice := r.faults.Keep(caught, cost)
	r.note(fmt.Sprintf("turn %d: %s", turn, notice))
	return notice
}

// look finds what the turn changed and published. The turn counts even if this fails: the agent has
// completed it, and its files are committed when the loop continues.
func (l *Loop) look(ctx context.Context, e *ended) error {
	e.unseen = l.compare(ctx, e)
	err := errors.Join(e.unseen, l.publishTopics(ctx, e))
	if ctx.Err() != nil { // the log of HEAD is read once
		return err
	}
	if lerr := l.work.checkouts.turnOver(ctx, e); lerr != nil && err == nil { // otherwise the two errors have the same cause
		l.note(fmt.Sprintf("git did not say which commits turn %d left on no branch: %v", e.turn, lerr))
	}
	return err
}

// compare finds what the turn changed.
func (l *Loop) compare(ctx context.Context, e *ended) (err error) {
	if e.after, err = l.work.tree.Snapshot(ctx); err != nil {
		return err
	}
	e.changed, err = l.work.tree.Changed(ctx, e.before, e.after)
	e.progress = isWork(l.work.tree, e.changed)
	return err
}

// publishTopics records the topics that the turn published. Changes made by the check of its
// hat count as the turn's work.
func (l *Loop) publishTopics(ctx context.Context, e *ended) error {
	t, err := l.dispatcher.said(e)
	if err != nil {
		return err
	}
	checked, err := l.dispatcher.check(ctx, &t, e.unseen != nil)
	if err == nil && checked {
		err = errors.Join(l.backup.mend(), l.compare(ctx, e))
	}
	if err == nil {
		l.dispatcher.end(e, t)
	}
	return err
}

// start writes the records that must be on the disk before the agent runs.
func (l *Loop) start(e *ended) error {
	now := l.now()
	e.begun, e.task = now, l.work.task()
	l.calls.roll(now)
	l.calls.add(now)
	err := errors.Join(
		l.store.WriteJSON(layout.CallsFile, l.calls),
		l.store.RefreshText(layout.StartFile, []byte(e.before.Head+"\n")),
	)
	v := record.Line{
		Turn: e.turn, Time: now, Type: record.TurnStarted, Session: l.sessionID(), Agent: l.team.who.Name, Branch: l.config.Worktree,
		Task: e.task, MaxTurns: l.mostTurns(), Circuit: l.state.Breaker.State, Calls: l.calls.count(),
		Hat: l.dispatcher.hat(), Takes: l.dispatcher.takes(), Subject: l.dispatcher.subject(), Answers: e.talk.answers, Guides: e.talk.guides,
	}
	if err == nil {
		err = l.log.Add(v)
	}
	if err != nil {
		return err
	}
	l.inTurn = true
	l.tell(Notice{
		Kind: NoticeTurnStarted, Turn: e.turn, Agent: l.team.who.Name, Branch: l.config.Worktree, Task: e.task, Hat: v.Hat, Subject: v.Subject,
		Cost: l.state.CostUSD, Elapsed: l.elapsed(), Record: &journal.Record{Line: v},
	})
	return l.publish("running", l.action("executing"), "")
}

// emitFinal emits the final message of an agent without text events as one, so that the loop shows
// and keeps every text that it believes.
func (e *ended) emitFinal(emit func(event.Event)) {
	if e.outcome.Text != "" && e.said.silent() {
		emit(event.Event{Type: event.Text, Text: e.outcome.Text})
	}
}

// drive lets the agent take the turn, and records each event. If an event cannot be recorded, the
// agent is ended.
func (l *Loop) drive(ctx context.Context, e *ended, p record.Plan) error {
	live, err := l.liveLog(e.turn)
	if err != nil {
		return err
	}
	defer live.Close() // errors are ignored: the log is for users, and events.jsonl has the events
	kept := &cappedEvents{run: l.run, turn: e.turn}
	turnCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	emit := func(ev event.Event) {
		l.reading(e, ev.Text, func() { e.said.note(ev) })
		r := journal.Record{Line: record.Line{Turn: e.turn, Time: l.now(), Type: string(ev.Type)}, Event: &ev}
		if err := kept.add(r.Time, ev); err != nil {
			cancel(err)
		}
		_, _ = io.WriteString(live, render(ev)) // see above
		l.tell(Notice{Kind: NoticeEvent, Turn: e.turn, Event: &ev, Record: &r})
	}
	c := l.config
	var asking sync.WaitGroup
	r := Request{
		Turn: e.turn, Prompt: e.prompt, SessionID: l.sessionID(), PriorTokens: l.state.Used,
		Dir: l.work.tree.Dir, Timeout: cmp.Or(l.dispatcher.timeout(), l.team.who.Timeout, c.Timeout), IdleTimeout: c.IdleTimeout,
		Env: l.dispatcher.env(), AllowedTools: l.state.Allowed, Box: l.work.box(),
		Ask: func(ctx context.Context, q event.Question) (event.Answer, error) {
			asking.Add(1)
			defer asking.Done()
			a, err := l.questions.ask(ctx, e.turn, q)
			if err != nil && ctx.Err() == nil {
				cancel(err)
			}
			return a, err
		},
	}
	r.Context = about{c.Project(), e.turn, l.mostTurns(), e.hatContext, p, l.work.planForAgent(), l.state.Breaker.State, l.state.Last, l.state.Refusal, l.state.VerifyFailed, l.missing()}.context()
	e.outcome, err = l.team.who.Agent.Turn(turnCtx, r, emit)
	asking.Wait()
	e.emitFinal(emit)
	if err := errors.Join(kept.close(), l.questions.decisions.close(l.run, e.turn)); err != nil {
		cancel(err)
	}
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

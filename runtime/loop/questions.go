package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// questions keeps the agents' questions, the answers to them, and users' messages to agents.
type questions struct {
	*run
	interrupts *interrupts
	waits      bool // a user may answer

	mu      sync.Mutex // guards the questions in the state while a turn runs
	waiting int        // number of questions that wait for an answer now
	since   time.Time  // when the first of them began to wait

	decisions decisions

	ctx   context.Context // context of the run, for the commands that report questions
	hooks sync.WaitGroup  // the running commands
}

// pace returns the interval at which the file of replies is read, by the time that the question
// has waited.
func pace(lasted time.Duration) time.Duration {
	switch {
	case lasted < time.Minute:
		return 100 * time.Millisecond
	case lasted < time.Hour:
		return time.Second
	}
	return 5 * time.Second
}

// behind returns the question that caused a stop, or nil. Its answer lets the loop continue.
func (q *questions) behind(s *Stop) *record.Question {
	if !slices.Contains([]string{ReasonBlocked, ReasonQuestion, ReasonPermissionDenied}, s.Reason) {
		return nil
	}
	return q.holding()
}

// wanted reports whether a user may answer questions in a run with these settings. attended means
// that a user is at its terminal.
func (r *run) wanted(attended bool) bool {
	switch r.config.WaitForAnswer {
	case "always":
		return true
	case "never":
		return false
	}
	return attended || r.config.OnQuestion != ""
}

// holding returns the oldest open question without whose answer the loop does not continue, or nil.
func (q *questions) holding() *record.Question {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.state.Questions {
		if of := q.state.Questions[i]; of.Holds && of.Open() {
			return &of
		}
	}
	return nil
}

// await waits, between two turns, until a question is answered.
func (q *questions) await(ctx context.Context, of record.Question) (*Stop, error) {
	q.tellAsked(of)
	_, _, err := q.poll(ctx, of, true) // without an answer, the loop was asked to stop, which its next step checks
	if stop, is := errors.AsType[*Stop](err); is {
		return stop, nil
	}
	return nil, err
}

// poll waits until a question is no longer open, and returns its answer. It reports whether
// there is one: the question can end without an answer, and between turns a request to stop the
// loop ends the wait.
func (q *questions) poll(ctx context.Context, of record.Question, between bool) (a event.Answer, answered bool, err error) {
	start, err := q.stopClock(of, between)
	defer start()
	if err != nil {
		return a, false, err
	}
	began := q.now()
	soft := q.interrupts.soft
	if !between {
		soft = nil // a request to stop waits for the end of the turn, which waits for the answer
	}
	for {
		if err := q.take(); err != nil {
			return a, false, err
		}
		if now := q.question(of.ID); now == nil || !now.Open() {
			if now == nil || now.Given == nil {
				return a, false, nil
			}
			return *now.Given, true, nil
		}
		lasted := q.now().Sub(began)
		if most := q.config.QuestionTimeout; most > 0 && lasted >= most {
			return a, false, unanswered(of, most)
		}
		tick := time.NewTimer(pace(lasted))
		select {
		case <-tick.C:
		case <-soft:
			tick.Stop()
			return a, false, nil
		case <-ctx.Done():
			tick.Stop()
			return a, false, ctx.Err()
		}
	}
}

// unanswered returns the stop for a question whose time limit has passed.
func unanswered(of record.Question, after time.Duration) *Stop {
	return &Stop{Reason: ReasonUnanswered, Message: sentence(fmt.Sprintf("Nobody answered %s within %v: %s", of.ID, after, FormatQuestion(of))), Question: &of}
}

// stopClock stops the run's clock until start is called, and writes the reason to status.json.
func (q *questions) stopClock(of record.Question, between bool) (start func(), err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting++; q.waiting == 1 {
		q.since = time.Now()
		err = q.status("paused", q.action("waiting for an answer to "+of.ID), "")
	}
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.waiting--; q.waiting == 0 {
			q.stood.Add(int64(time.Since(q.since)))
			if !between {
				_ = q.status("running", q.action("executing"), "") // the turn's end writes it again
			}
		}
	}, err
}

// question returns the question with an ID, or nil.
func (q *questions) question(id string) *record.Question {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := q.index(id); i >= 0 {
		of := q.state.Questions[i]
		return &of
	}
	return nil
}

func (q *questions) index(id string) int {
	return slices.IndexFunc(q.state.Questions, func(o record.Question) bool { return o.ID == id })
}

// take adds users' new replies to the state. Between two turns, the state on the disk has them,
// and they are removed from the file of replies. During a turn, which may be repeated, they stay
// in that file until the turn has ended.
func (q *questions) take() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	replies, err := journal.NewReplies(q.store).Read()
	for _, r := range replies {
		if r.Run != q.state.Run && !q.inTurn {
			q.note("answers to the previous run came too late: this is a new run")
		}
		if err == nil && q.isNew(r) {
			err = q.hear(r)
		}
	}
	if err != nil || len(replies) == 0 || q.inTurn {
		return err
	}
	return q.forget()
}

// forget removes, from their file, the replies that the state on the disk has and those to other runs.
func (q *questions) forget() error {
	heard := q.state.Heard
	err := journal.NewReplies(q.store).Drop(func(r journal.Reply) bool { return r.Run != q.state.Run || slices.Contains(heard, r.ID) })
	if err == nil {
		q.state.Heard = nil // IDs of replies are unique
	}
	return err
}

// isNew reports whether a reply is for this run, and is not in its state.
func (q *questions) isNew(r journal.Reply) bool {
	return r.Run == q.state.Run && !slices.Contains(q.state.Heard, r.ID)
}

// preview adds the waiting replies to the state without recording or reporting them.
func (q *questions) preview() error {
	replies, err := journal.NewReplies(q.store).Read()
	for _, r := range replies {
		if q.isNew(r) {
			q.apply(r)
		}
	}
	return err
}

// apply adds a reply to the state. It returns the message, or the question with its answer; neither
// if the question was answered before.
func (q *questions) apply(r journal.Reply) (*record.Guide, *record.Question) {
	q.state.Heard = append(q.state.Heard, r.ID)
	if r.Question == "" {
		g := record.Guide{ID: r.ID, Text: r.Guide, Time: r.Time}
		q.state.Guides = append(q.state.Guides, g)
		return &g, nil
	}
	i := q.index(r.Question)
	if i < 0 || !q.state.Questions[i].Open() {
		return nil, nil
	}
	of := &q.state.Questions[i]
	of.Given = &r.Answer
	settled(&q.state, *of)
	copied := *of
	return nil, &copied
}

// hear adds a reply to the state, records it and reports it.
func (q *questions) hear(r journal.Reply) error {
	v := record.Line{Turn: q.state.Turn, Time: q.now(), Type: record.Guided}
	n := Notice{Kind: NoticeGuided, Turn: v.Turn, Text: r.Guide}
	v.Guide, v.Question = q.apply(r)
	switch {
	case v.Question != nil:
		v.Type = record.Answered
		n.Kind, n.Question, n.Text = NoticeAnswered, v.Question, ""
	case v.Guide == nil:
		return nil
	}
	if q.begun() {
		v.Turn++
	}
	if !q.inTurn {
		v.State = q.stateNow()
	}
	n.Record = &journal.Record{Line: v}
	err := q.log.Add(v)
	q.tell(n)
	return err
}

// settled resets the counts that stop a loop without a user, since a user has answered.
func settled(s *record.State, of record.Question) {
	s.Gate.Blocked, s.Asked, s.Halted = 0, "", false
	if s.Breaker.State != record.Open {
		s.Breaker.NoProgress, s.Breaker.PermissionDenials = 0, 0
		s.Memory.Unchanged = 0
	}
	allow(s, of)
}

// tellAsked reports the question to the user, and to the command that on_question names.
func (q *questions) tellAsked(of record.Question) {
	n := Notice{Kind: NoticeAsked, Turn: of.Turn, Question: &of, Text: FormatQuestion(of), OK: q.waits}
	n.Record = &journal.Record{Line: record.Line{Turn: of.Turn, Time: of.Asked, Type: record.Asked, Question: &of}}
	q.tell(n)
	if q.config.OnQuestion != "" {
		q.hooks.Go(func() { q.hook(q.ctx, of) })
	}
}

package loop

import (
	"cmp"
	"fmt"
	"time"

	"example.com/ripple/runtime/event"
	"example.com/ripple/runtime/loop/layout"
	"example.com/ripple/runtime/loop/record"
	"example.com/ripple/runtime/loop/resets"
)

// First and longest waits after a failed turn, and after a provider's limit without a reset time.
const (
	failFirst, failMost   = time.Second, time.Minute
	limitFirst, limitMost = 5 * time.Minute, time.Hour
)

// judge evaluates turns.
type judge struct {
	*run
	work *workspace
	team *team

	questions *questions
	waitFor   string // the reason of a wait for a limit, if not the usual one
}

// take applies a turn to the state.
func (j *judge) take(e *ended) {
	s, c, o, now := &j.state, j.config, e.outcome, j.now()
	s.Turn, s.Progress = e.turn, e.progress
	s.Task, s.Said = e.task, lastSentence(e.said.text.String())
	s.Millis = j.elapsed().Milliseconds()
	s.CostUSD = event.SumUSD(s.CostUSD, e.said.cost)
	s.Tokens = s.Tokens.Add(e.said.used)
	s.Failed, s.Hint, s.Asked, s.NotBefore = "", "", "", time.Time{}
	if o.Failure != nil {
		s.Failed, s.Hint = o.Failure.Kind, o.Failure.Hint
	} else if !s.Progress && e.unseen == nil {
		s.Asked = record.OneLine(e.said.asked, 1000)
	}
	j.session(e, now)
	defer func() { e.asked = j.questions.after(e) }()
	if e.limited() {
		j.limit(e, now)
		return
	}
	s.Limits, s.Waited = 0, 0
	b := e.block
	denied := e.said.denied > 0
	s.Halted = denied && c.DenialMode == "halt"
	says := said{hat: e.hat, block: b, promise: e.promised, uncounted: e.uncounted, denied: denied, failed: o.Failure != nil}
	if b != nil {
		s.Recommended = record.OneLine(b.Recommendation, 200)
		says.onlyTests = e.unseen == nil && onlyTests(j.work.tree, e.changed)
	}
	(*gate)(&s.Gate).note(says)
	s.Failures = count(s.Failures, e.failed())
	if e.failed() {
		s.NotBefore = now.Add(backoff(s.Failures-1, failFirst, failMost))
	}
	(*breaker)(&s.Breaker).observe((*memory)(&s.Memory), observation{
		turn: e.turn, progress: s.Progress || e.handed || e.unseen != nil, changed: s.Progress || e.unseen != nil, denied: denied, failed: e.failed(),
		errors: signatures(e.said.errors), output: e.said.output,
	}, thresholdsOf(j.config), now)
	if s.Breaker.State == record.Open {
		j.resetSession("circuit_breaker_open")
	}
	s.Last = e.summary(b)
	if wrong := e.wrong; wrong != "" {
		wrong = record.OneLine(wrong, 250)
		s.Last = record.OneLine(s.Last, 300-len(wrong)) + "; " + wrong
	}
	if e.odd != "" {
		j.noteOnce(e.odd, "", fmt.Sprintf("turn %d: %s (said once)", e.turn, e.odd))
	}
}

// session records the session of a successful turn.
func (j *judge) session(e *ended, now time.Time) {
	switch f := e.outcome.Failure; {
	case f == nil && e.said.session != "":
		if m := j.state.Session.Use(e.said.session, j.team.who.Name, e.turn, now); m != nil {
			j.state.Moves = append(j.state.Moves, *m)
		}
		j.state.Used = e.outcome.Used
	case f != nil && f.Kind == event.SessionUnknown:
		j.resetSession("session_unknown")
	}
}

// limit determines how long to wait for the provider; a limit that ended during the turn needs no
// wait. A reset time from before the turn is ignored.
func (j *judge) limit(e *ended, now time.Time) {
	s := &j.state
	s.NotBefore, j.waitFor = e.said.resetsAt, ""
	if !s.NotBefore.After(e.begun) {
		s.NotBefore, j.waitFor = j.limitInWords(e, now)
	}
	s.NotBefore = j.team.limit(s.NotBefore, now)
	s.Limits++
	if s.Examined == s.Turn { // no new limit was reported
		s.Examined++
	}
	if s.NotBefore.After(now) {
		s.Waited += s.NotBefore.Sub(now)
	}
	s.Last = e.summary(nil)
}

// limitInWords returns the end of a limit according to the agent's message. If it has none, the
// loop retries with increasing delays.
func (j *judge) limitInWords(e *ended, now time.Time) (until time.Time, what string) {
	for _, words := range []string{e.outcome.Failure.Message, e.said.limit} {
		if at, ok := resets.Parse(words, now, time.Local); ok {
			return at, ""
		}
	}
	return now.Add(backoff(j.state.Limits, limitFirst, limitMost)), "for the provider's limit, whose end is unknown"
}

// result returns the outcome of a turn.
func (e *ended) result() string {
	text := "no change"
	switch {
	case e.unseen != nil:
		text = "its changes are unknown"
	case e.progress:
		text = "made progress"
	case len(e.changed) > 0:
		text = "no change outside of " + layout.Dir
	}
	if f := e.outcome.Failure; e.failed() {
		return fmt.Sprintf("failed (%s): %s", f.Kind, cmp.Or(f.Message, text))
	} else if f != nil {
		text += fmt.Sprintf(" and was cut off (%s): %s", f.Kind, f.Message)
	}
	if e.said.denied > 0 {
		text += fmt.Sprintf(", %s denied", plural(e.said.denied, "permission"))
	}
	return text
}

// summary returns one line about a turn, for the next turn and for the user.
func (e *ended) summary(b *block) string {
	text := e.result()
	if e.failed() {
		return record.OneLine(text, 300)
	}
	if b != nil && b.Status != "" {
		text += ", status " + b.Status
	}
	if b != nil && b.Tests == testsFailing {
		text += ", tests FAILING"
		if b.ExitSignal || b.Status == statusComplete {
			text += ": so it is not done"
		}
	}
	if b != nil && b.Files > 0 && len(e.changed) == 0 {
		text += fmt.Sprintf(", although it reports %s", plural(b.Files, "file"))
	}
	if b != nil && b.Recommendation != "" {
		text += ", " + b.Recommendation
	}
	return record.OneLine(text, 300)
}

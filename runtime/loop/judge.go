package loop

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/fault"
	"example.org/ripple/runtime/loop/internal/resets"
	"example.org/ripple/runtime/loop/record"
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
	s.Task, s.Said = e.task, e.last
	s.Millis = j.elapsed().Milliseconds()
	s.CostUSD = event.SumUSD(s.CostUSD, e.said.cost)
	s.Tokens = s.Tokens.Add(e.said.used)
	before := s.Failed
	s.Failed, s.Hint, s.Asked, s.NotBefore = "", "", "", time.Time{}
	if o.Failure != nil {
		s.Failed, s.Hint = o.Failure.Kind, o.Failure.Hint
		j.countFailure(o.Failure.Kind)
	} else if !s.Progress && e.unseen == nil {
		s.Asked = record.OneLine(e.said.asked, 1000)
	}
	j.session(e, now)
	defer func() { e.asked = j.questions.after(e) }()
	if e.waits() {
		if e.progress {
			s.Limits, s.Waited = 0, 0 // the provider worked in between
		} else {
			s.Lost++
			s.Waited += now.Sub(e.begun)
		}
		if s.Failed != before {
			s.Limits = 0 // the pauses of another kind of failure start over
		}
		s.Gate.Failed = true
		j.pause(e, now)
		return
	}
	s.Limits, s.Waited = 0, 0
	delete(s.Handed, j.team.who.Name)
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
		s.NotBefore = now.Add(countedPauses.after(s.Failures - 1))
	}
	(*breaker)(&s.Breaker).observe((*memory)(&s.Memory), observation{
		turn: e.turn, progress: s.Progress || e.handed || e.unseen != nil, changed: s.Progress || e.unseen != nil, denied: denied, failed: e.failed(),
		errors: e.errors, output: e.said.output,
	}, thresholdsOf(j.config), now)
	if s.Breaker.State == record.Open {
		j.resetSession("circuit_breaker_open")
	}
	j.openTasks(e)
	s.Last = e.summary(b)
	if wrong := e.wrong; wrong != "" {
		wrong = record.OneLine(wrong, 250)
		s.Last = record.OneLine(s.Last, 300-len(wrong)) + "; " + wrong
	}
	if e.odd != "" {
		j.noteOnce(e.odd, "", fmt.Sprintf("turn %d: %s", e.turn, e.odd))
	}
}

// openTasks reports a promise that does not count because tasks of the plan are open, to the agent and in the summary of the turn.
func (j *judge) openTasks(e *ended) {
	p, _ := planOf(j.project, j.work.tree.Dir) // the loop reads it again, and reports the error
	open := (*gate)(&j.state.Gate).openTasks(p, j.work.planInProject())
	if open == "" {
		return
	}
	e.wrong = strings.TrimPrefix(e.wrong+"; "+j.config.Promise+" does not count: "+open, "; ")
}

func (j *judge) countFailure(k event.Kind) {
	if j.state.FailedTurns == nil {
		j.state.FailedTurns = map[event.Kind]int{}
	}
	j.state.FailedTurns[k]++
}

// session records the session of a turn, and ends one that cannot continue. A failed turn does not replace a
// session. If the session is new, it is kept when the provider, or a limit of time or steps, ended the turn:
// only that session knows what was done by then.
func (j *judge) session(e *ended, now time.Time) {
	if id := e.said.noID; id != "" {
		j.noteOnce("session_id", "", fmt.Sprintf("%s reported the session %q, which is not a session ID (%s): it is ignored", cmp.Or(j.team.who.Name, "the agent"), record.Shorten(id, 100), event.SessionIDForm))
	}
	goesOn := e.outcome.Failure == nil || j.state.Session.ID == "" && (e.waits() || !e.failed())
	switch f := e.outcome.Failure; {
	case goesOn && !e.reaction().renews && e.said.session != "":
		if m := j.state.Session.Use(e.said.session, j.team.who.Name, e.turn, now); m != nil {
			j.state.Moves = append(j.state.Moves, *m)
		}
		j.state.Used = e.outcome.SessionTokens
	case e.reaction().renews:
		if j.sessionID() != "" {
			j.note(fmt.Sprintf("the session is not continued (%s): the next turn begins a new one", f.Kind))
		}
		j.resetSession(string(f.Kind))
	}
}

// pause determines how long to wait for the provider.
func (j *judge) pause(e *ended, now time.Time) {
	s, r := &j.state, e.reaction()
	j.waitFor = ""
	until := now.Add(r.pauses.after(s.Limits))
	if s.Failed == event.Limited {
		until = j.limitEnds(e, until, now)
	}
	if s.Limits > 0 { // the end that was reported before was not the end: do not ask again at once, without end
		if least := now.Add(leastPauses.after(s.Limits - 1)); until.Before(least) {
			until = least
		}
	}
	s.NotBefore = j.team.limit(until, now, r.away)
	s.Limits++
	if s.NotBefore.After(now) {
		s.Waited += s.NotBefore.Sub(now)
	}
	s.Last = e.summary(nil)
}

// limitEnds returns the end of the provider's limit that the agent reported, in a field or in its words, or else the given time.
// A limit that ended during the turn needs no wait; a time from before the turn is ignored.
func (j *judge) limitEnds(e *ended, otherwise, now time.Time) time.Time {
	if e.said.resetsAt.After(e.begun) {
		return e.said.resetsAt
	}
	for _, words := range []string{e.outcome.Failure.Message, e.said.limit} {
		var at time.Time
		found := false
		caught := fault.Catch(readingAnswer, []byte(words), func() { at, found = resets.Parse(words, now, time.Local) })
		if caught != nil { // the rest of the answer has been read
			j.noteFault(e.turn, *caught, "the time at which the limit ends is not known")
		}
		if found {
			return at
		}
	}
	j.waitFor = "for the provider's limit, whose end is unknown"
	return otherwise
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
		text += fmt.Sprintf("; the turn was cut off (%s): %s", f.Kind, f.Message)
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

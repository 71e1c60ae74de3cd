package loop

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/record"
)

// limits stop a loop whose work is unfinished.
type limits struct {
	*run
	team   *team
	silent bool // the missing cost was reported
}

// cause returns the stop caused by the last turn: further turns cannot fix it, or too many failed
// in the same way. It is more specific than an open circuit, and takes precedence, also over a claim.
func (l *limits) cause() *Stop {
	s := &l.state
	stop := func(reason, why, do string) *Stop {
		return &Stop{Reason: reason, Message: sentence(why), Fix: do, CircuitOpen: s.Breaker.State == record.Open}
	}
	switch {
	case s.Halted:
		return stop(ReasonPermissionDenied, "The agent was denied a permission, and PERMISSION_DENIAL_MODE is halt.", l.team.denialHelp())
	case reactions[s.Failed].stops != "":
		return stop(reactions[s.Failed].stops, reactions[s.Failed].why+": "+s.Last, s.Hint)
	case s.Asked != "":
		return stop(ReasonQuestion, "The agent asks: "+s.Asked, "")
	case s.Failures >= l.config.MaxFailures:
		return stop(ReasonMaxFailures, fmt.Sprintf("%s failed in a row, the last with: %s", plural(s.Failures, "turn"), s.Last), "")
	}
	return nil
}

// openStop returns the stop for an open breaker, with the end of its cooldown.
func (l *limits) openStop(now time.Time) *Stop {
	b := l.state.Breaker
	left := l.config.Cooldown
	if b.OpenedAt != nil && !now.Before(b.OpenedAt.Time) {
		left -= now.Sub(b.OpenedAt.Time)
	}
	why := "The circuit breaker is open: " + cmp.Or(b.Reason, "no reason was recorded")
	if l.state.Turn > 0 && l.state.Last != "" {
		why += "; the last turn: " + l.state.Last
	}
	if missing := l.missing(); missing != "" {
		why = strings.TrimSuffix(why, ".") + "; " + (*gate)(&l.state.Gate).speaker() + " said that the work is done, and " + missing
	}
	if l.state.Said != "" {
		why = strings.TrimSuffix(why, ".") + "; the agent said last: “" + strings.TrimSuffix(l.state.Said, ".") + "”"
	}
	stop := &Stop{Reason: ReasonCircuitOpen, Message: sentence(why), CircuitOpen: true, Cooldown: left}
	if l.state.Gate.Denied {
		stop.Fix = l.team.denialHelp()
	}
	return stop
}

// counted returns the tokens that MAX_TOKENS counts: input and output, without cache reads and
// writes.
func counted(s *record.State) int64 { return s.Tokens.Input + s.Tokens.Output }

// budget returns the stop for an exhausted budget: claims, turns, time, money.
func (l *limits) budget(p record.Plan) *Stop {
	s, c := &l.state, l.config
	limit := func(reason, why string, args ...any) *Stop {
		if l.begun() {
			why += fmt.Sprintf("; turn %d was interrupted and is repeated when the loop continues", s.Turn+1)
		}
		return &Stop{Reason: reason, Message: sentence(fmt.Sprintf(why, args...))}
	}
	switch {
	case s.Claims >= c.VerifyAttempts && len(c.Verify) > 0:
		return limit(ReasonUnverified, "The agent claimed %s that the work is done, but verification failed: %s", plural(s.Claims, "time"), s.VerifyFailed)
	case s.Waited > c.MaxWait && s.Failed == event.Overloaded:
		return limit(ReasonOverloaded, "The provider is overloaded or unreachable, and the loop would have to wait longer than the maximum wait, %v; the last turn: %s", c.MaxWait, s.Last)
	case s.Waited > c.MaxWait && !s.NotBefore.After(l.now()):
		return limit(ReasonProviderLimit, "The provider's limit has ended every turn for longer than the maximum wait, %v; the last turn: %s", c.MaxWait, s.Last)
	case s.Waited > c.MaxWait:
		return limit(ReasonProviderLimit, "The provider's limit lasts until %s, longer than the maximum wait, %v", s.NotBefore.Local().Format(time.DateTime), c.MaxWait)
	case l.rules().Exhausted(s.Hats) != "":
		return limit(ReasonHatExhausted, "%s", l.rules().Exhausted(s.Hats))
	case s.Turn >= l.mostTurns():
		taken := plural(s.Turn-s.Lost, "turn") + " taken"
		if s.Lost > 0 {
			taken += fmt.Sprintf(" and %d lost to the provider", s.Lost)
		}
		return limit(ReasonMaxTurns, "%s, the limit is %d; %s", taken, c.MaxTurns, l.notDone(p))
	case c.MaxRuntime > 0 && l.elapsed() >= c.MaxRuntime:
		return limit(ReasonMaxRuntime, "The loop ran for %v, the limit is %v", l.elapsed().Round(time.Second), c.MaxRuntime)
	case c.MaxCost > 0 && s.CostUSD >= c.MaxCost:
		return limit(ReasonMaxCost, "The turns cost %s, the limit is %s", FormatUSD(s.CostUSD), FormatUSD(c.MaxCost))
	case c.MaxTokens > 0 && counted(s) >= c.MaxTokens:
		return limit(ReasonMaxTokens, "The turns used %d tokens, the limit is %d", counted(s), c.MaxTokens)
	}
	return nil
}

// notDone describes why the work does not count as done.
func (l *limits) notDone(p record.Plan) string {
	s, who := &l.state, (*gate)(&l.state.Gate).speaker()
	switch g := s.Gate; {
	case s.VerifyFailed != "":
		return "the work is not done, the check failed: " + s.VerifyFailed
	case l.missing() != "":
		return who + " said that the work is done, and " + l.missing()
	case g.Claimed && g.Denied:
		return who + " said that the work is done, which does not count in a turn that was denied a permission"
	case g.Claimed && g.Failing:
		return who + " said that the work is done, but also that its tests fail"
	case g.Claimed && s.Failed != "":
		return fmt.Sprintf("%s said that the work is done, which does not count in a failed turn (%s)", who, s.Failed)
	case g.Claimed && s.Refusal != "":
		return who + " said that the work is done, but it is not committed: " + s.Refusal
	case g.Uncounted != "":
		return who + " said that the work is done, which does not count: " + g.Uncounted
	case g.Claimed && l.rules().Waits(s.Hats):
		return who + " said that the work is done, but a topic waits for a hat"
	case (g.Claimed || p.Complete()) && l.unheard():
		return "the agent has not received the user's last message yet"
	case p.Complete() && g.Failed:
		return "every task is ticked, which does not count after a failed turn"
	case g.Promise && p.Open > 0:
		return fmt.Sprintf("%s said that the work is done, but %d of %d tasks are open", who, p.Open, p.Open+p.Ticked)
	case p.Open+p.Ticked > 0:
		return fmt.Sprintf("%d of %d tasks are open", p.Open, p.Open+p.Ticked)
	case g.Claimed:
		return fmt.Sprintf("%s said that the work is done, which counts once %d turns in a row say so and the last has EXIT_SIGNAL: true", who, indicatorsToFinish)
	}
	return "the agent did not say that the work is done"
}

// untold reports once that the agent does not report a budget's quantity.
func (l *limits) untold(e *ended) {
	s, c := &l.state, l.config
	lacks := func(topic, what, limit string) {
		l.silent = true
		l.noteAbout(topic, fmt.Sprintf("%s did not report the %s of this turn, so %s cannot stop the loop", cmp.Or(l.team.who.Name, "the agent"), what, limit))
	}
	hat := c.Hats.Hat(e.hat)
	switch {
	case e.outcome.Failure != nil || l.silent:
	case c.MaxCost > 0 && s.CostUSD == 0:
		lacks(TopicCost, "cost", "that limit")
	case c.MaxTokens > 0 && counted(s) == 0:
		lacks(TopicTokens, "tokens", "that limit")
	case hat != nil && hat.MaxCost > 0 && s.Hats.Costs[hat.Key] == 0:
		lacks("", "cost", "max_cost of the hat "+hat.Key)
	}
}

package loop

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/record"
)

// Member is one of several agents that take the turns of a loop.
type Member struct {
	Name       string // not ""
	Agent      Agent
	DenialHelp string
	Timeout    time.Duration // of a turn; 0: the configured one
}

// team has the agents of a loop.
type team struct {
	*run
	members []Member // in order of preference
	own     *Member  // takes the turn in any case, as its hat's agent; nil: one of the members does
	who     Member   // the agent of the current or last turn
}

func newTeam(r *run, o *Options) *team {
	first := Member{Name: o.AgentName, Agent: o.Agent, DenialHelp: o.DenialHelp}
	return &team{run: r, members: append([]Member{first}, o.Fallback...), who: first}
}

// member returns the agent with a name, or the first one if the name is unknown.
func (t *team) member(name string) Member {
	for _, m := range t.members {
		if m.Name == name {
			return m
		}
	}
	return t.members[0]
}

// choose selects the agent of the next turn: the first whose provider is not limited, else the
// one whose limit ends first. A conversation is not handed over: another agent could not continue
// it.
func (t *team) choose() {
	if t.own != nil {
		t.who = *t.own
		t.keepSession()
		return
	}
	now := t.now()
	who, until := t.available(now)
	if s := &t.state; s.Agent != who.Name {
		if s.Agent != "" {
			t.resetSession("agent_changed")
			why := "the wait for its provider is over"
			if of := s.Limited[s.Agent]; of.After(now) {
				why = fmt.Sprintf(cmp.Or(reactions[s.Failed].hands, reactions[event.Limited].hands), s.Agent, of.Local().Format(time.DateTime))
			}
			t.note(fmt.Sprintf("%s takes the next turns: %s", who.Name, why))
		}
		s.Agent = who.Name
	}
	if until.IsZero() {
		delete(t.state.Limited, who.Name)
	}
	t.who = who
	t.keepSession()
}

// keepSession ends a session that belongs to another agent: the previous run's, or one that hats
// share.
func (t *team) keepSession() {
	if of := t.state.Session.Agent; of != "" && of != t.who.Name {
		t.resetSession("agent_changed")
	}
}

// available returns the agent that can work first, and the time; zero: now.
func (t *team) available(now time.Time) (who Member, from time.Time) {
	for i, m := range t.members {
		until := t.state.Limited[m.Name]
		if !until.After(now) {
			return m, time.Time{}
		}
		if i == 0 || until.Before(from) {
			who, from = m, until
		}
	}
	return who, from
}

// limit records the end of a limit of the last turn's agent. It returns the time until which all
// agents are limited; zero if one can work now. That one then takes the turns for at least the time
// away, which grows until the agent answers again: each change of agents ends a conversation.
func (t *team) limit(until, now time.Time, away pauses) time.Time {
	if len(t.members) == 1 || t.own != nil {
		return until
	}
	if t.state.Limited == nil {
		t.state.Limited = map[string]time.Time{}
	}
	s, name := &t.state, t.who.Name
	s.Limited[name] = until
	_, from := t.available(now)
	if !from.IsZero() || !until.After(now) || away.most == 0 {
		return from
	}
	if least := now.Add(away.after(s.Handed[name])); until.Before(least) {
		s.Limited[name] = least
	}
	if s.Handed == nil {
		s.Handed = map[string]int{}
	}
	s.Handed[name]++
	return from
}

// denialHelp returns the adapter's advice about a denied permission, or "".
func (t *team) denialHelp() string {
	return strings.TrimSuffix(record.OneLine(t.who.DenialHelp, 400), ".")
}

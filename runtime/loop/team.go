package loop

import (
	"fmt"
	"strings"
	"time"

	"ripple/runtime/loop/record"
)

// Member is an agent of several that take the turns of a loop.
type Member struct {
	Name       string // not ""
	Agent      Agent
	DenialHelp string
	Timeout    time.Duration // of a turn; 0: the configuration's
}

// team are the agents of a loop.
type team struct {
	*run
	members []Member // the one that is wanted first
	own     *Member  // takes the turn in any case: its hat's; nil: one of the members does
	who     Member   // takes the turn, or took the last one
}

func newTeam(r *run, o *Options) *team {
	first := Member{Name: o.AgentName, Agent: o.Agent, DenialHelp: o.DenialHelp}
	return &team{run: r, members: append([]Member{first}, o.Fallback...), who: first}
}

// member is the agent of a name, the first one when it is of the team no more.
func (t *team) member(name string) Member {
	for _, m := range t.members {
		if m.Name == name {
			return m
		}
	}
	return t.members[0]
}

// choose finds who takes the next turn: the first whose provider lets it work, else
// the one whose limit ends first. A conversation is not handed on: another agent
// could not go on with it.
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
			why := "its limit is over"
			if of := s.Limited[s.Agent]; of.After(now) {
				why = fmt.Sprintf("%s is limited until %s", s.Agent, of.Local().Format(time.DateTime))
			}
			t.note(fmt.Sprintf("%s takes the turns now: %s", who.Name, why))
		}
		s.Agent = who.Name
	}
	if until.IsZero() {
		delete(t.state.Limited, who.Name)
	}
	t.who = who
	t.keepSession()
}

// keepSession ends a session that is another agent's: one of the run before, or one that
// hats share.
func (t *team) keepSession() {
	if of := t.state.Session.Agent; of != "" && of != t.who.Name {
		t.resetSession("agent_changed")
	}
}

// available is the agent that can work first, and from when on; zero: now.
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

// limit notes until when the provider of the last turn's agent lets it not work. It
// returns until when nobody can; zero: somebody can now.
func (t *team) limit(until, now time.Time) time.Time {
	if len(t.members) == 1 || t.own != nil {
		return until
	}
	if t.state.Limited == nil {
		t.state.Limited = map[string]time.Time{}
	}
	t.state.Limited[t.who.Name] = until
	_, from := t.available(now)
	return from
}

// denialHelp is what the adapter says about a denied permission, "" for nothing.
func (t *team) denialHelp() string {
	return strings.TrimSuffix(record.OneLine(t.who.DenialHelp, 400), ".")
}

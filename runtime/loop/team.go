package loop

import (
	"fmt"
	"time"
)

// Member is an agent of several that take the turns of a loop.
type Member struct {
	Name       string // not ""
	Agent      Agent
	DenialHelp string
	Timeout    time.Duration // of a turn; 0: the configuration's
}

// team are the agents, the one that is wanted first.
func (l *Loop) team() []Member {
	first := Member{Name: l.o.AgentName, Agent: l.o.Agent, DenialHelp: l.o.DenialHelp}
	return append([]Member{first}, l.o.Fallback...)
}

// member is the agent of a name, the first one when it is of the team no more.
func (l *Loop) member(name string) Member {
	team := l.team()
	for _, m := range team {
		if m.Name == name {
			return m
		}
	}
	return team[0]
}

// choose finds who takes the next turn: the first whose provider lets it work, else
// the one whose limit ends first. A conversation is not handed on: another agent
// could not go on with it.
func (l *Loop) choose() {
	now := l.now()
	who, until := l.available(now)
	if s := &l.state; s.Agent != who.Name {
		if s.Agent != "" {
			l.resetSession("agent_changed")
			why := "its limit is over"
			if of := s.Limited[s.Agent]; of.After(now) {
				why = fmt.Sprintf("%s is limited until %s", s.Agent, of.Local().Format(time.DateTime))
			}
			l.note(fmt.Sprintf("%s takes the turns now: %s", who.Name, why))
		}
		s.Agent = who.Name
	}
	// A session of the run before may be another agent's.
	if of := l.state.Session.Agent; of != "" && of != who.Name {
		l.resetSession("agent_changed")
	}
	if until.IsZero() {
		delete(l.state.Limited, who.Name)
	}
	l.who = who
}

// available is the agent that can work first, and from when on; zero: now.
func (l *Loop) available(now time.Time) (who Member, from time.Time) {
	for i, m := range l.team() {
		until := l.state.Limited[m.Name]
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
func (l *Loop) limit(until, now time.Time) time.Time {
	if len(l.o.Fallback) == 0 {
		return until
	}
	if l.state.Limited == nil {
		l.state.Limited = map[string]time.Time{}
	}
	l.state.Limited[l.who.Name] = until
	_, from := l.available(now)
	return from
}

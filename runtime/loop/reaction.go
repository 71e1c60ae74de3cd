package loop

import (
	"time"

	"example.org/ripple/runtime/event"
)

// reaction says how the loop continues after a failed turn. The zero reaction: the turn counts as
// failed and, unless it changed a file, as one without progress, and the next turn begins after one
// of the countedPauses.
type reaction struct {
	// waits is what the loop waits for, with pauses that add up to at most MaxWait. The turn does not
	// count: the provider ended it. "": the turn counts.
	waits  string
	pauses pauses
	hands  string // why another agent takes the turns: a format of the agent's name and the time of its next turn
	away   pauses // least time for which another agent takes them

	renews bool   // the next turn begins a new session
	goesOn bool   // a turn that changed a file has not failed
	stops  string // reason for which the loop stops: further turns would fail, too
	why    string // beginning of the stop's message
}

// reactions has the reaction to each kind of failure; that to a kind without an entry is the zero reaction.
var reactions = map[event.Kind]reaction{
	event.Limited: {
		waits: "for the provider's limit", pauses: pauses{5 * time.Minute, time.Hour}, // if nothing says when it ends
		hands: "%s has reached a limit of its provider, which lasts until %s",
	},
	event.Overloaded: {
		waits: "for the provider, which is overloaded or unreachable", pauses: pauses{5 * time.Second, 5 * time.Minute},
		hands: "the provider of %s is overloaded or unreachable, and is tried again at %s", away: pauses{5 * time.Minute, time.Hour},
	},
	event.ContextFull:    {renews: true, goesOn: true},
	event.SessionUnknown: {renews: true},
	event.MaxTurns:       {goesOn: true},
	event.Timeout:        {goesOn: true},
	event.Auth:           {stops: ReasonAuth, why: "The agent has no access to its provider"},
	event.Version:        {stops: ReasonVersion, why: "This version of the agent is not supported"},
	event.BadUsage:       {stops: ReasonUsage, why: "The agent rejects its command line"},
}

// pauses are waits that double with each repetition.
type pauses struct{ first, most time.Duration }

// countedPauses are those after turns that count as failed.
var countedPauses = pauses{time.Second, time.Minute}

// leastPauses are the minimum pauses between consecutive turns that the provider ended, regardless of
// the end that it reports. Because pauses add up to at most MaxWait, they limit the number of turns.
var leastPauses = pauses{5 * time.Second, 5 * time.Minute}

// after returns the pause after a number of earlier ones.
func (p pauses) after(earlier int) time.Duration { return backoff(earlier, p.first, p.most) }

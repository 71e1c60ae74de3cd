package record

import (
	"time"

	"ripple/runtime/event"
)

// Question is what an agent asks a person, under an ID that is unique in its run.
type Question struct {
	event.Question
	Turn  int           `json:"turn"` // in which it was asked
	Asked time.Time     `json:"asked"`
	From  string        `json:"from"`             // how it was asked: FromRequest…
	Holds bool          `json:"holds,omitempty"`  // the loop does not go on without an answer
	Given *event.Answer `json:"answer,omitempty"` // nil: there is none yet
	Ended string        `json:"ended,omitempty"`  // why nobody needs an answer any more
}

// How an agent asks.
const (
	FromRequest = "request" // in the middle of a turn, which waits
	FromBlock   = "block"   // STATUS: BLOCKED at the end of a turn
	FromTool    = "tool"    // with a tool that nobody could answer in the turn
	FromDenial  = "denial"  // it was refused a tool
)

// Open says that an answer is wanted.
func (q Question) Open() bool { return q.Given == nil && q.Ended == "" }

// Same says that both ask the same, whenever they do.
func (q Question) Same(o Question) bool {
	return q.From == o.From && q.Kind == o.Kind && q.Tool == o.Tool && q.Name == o.Name && q.Text == o.Text && string(q.Input) == string(o.Input)
}

// Guide is what a person says to an agent that did not ask.
type Guide struct {
	ID   string    `json:"id"`
	Text string    `json:"text"`
	Time time.Time `json:"time"`
}

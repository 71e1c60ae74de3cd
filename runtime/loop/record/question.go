package record

import (
	"time"

	"example.org/ripple/runtime/event"
)

// Question is an agent's question to the user, with an ID that is unique in its run.
type Question struct {
	event.Question
	Turn  int           `json:"turn"` // the turn that asked it
	Asked time.Time     `json:"asked"`
	From  string        `json:"from"`             // the way it was asked: one of From…
	Holds bool          `json:"holds,omitempty"`  // the loop cannot continue without an answer
	Given *event.Answer `json:"answer,omitempty"` // nil if unanswered
	Ended string        `json:"ended,omitempty"`  // the reason that an answer is no longer needed
}

// Ways in which an agent asks.
const (
	FromRequest = "request" // during a turn, which waits for the answer
	FromBlock   = "block"   // STATUS: BLOCKED at the end of a turn
	FromTool    = "tool"    // with a tool that could not be answered in the turn
	FromDenial  = "denial"  // a tool was denied
)

// Open reports whether the question needs an answer.
func (q Question) Open() bool { return q.Given == nil && q.Ended == "" }

// Same reports whether both questions have the same content, regardless of their times.
func (q Question) Same(o Question) bool {
	return q.From == o.From && q.Kind == o.Kind && q.Tool == o.Tool && q.Name == o.Name && q.Text == o.Text && string(q.Input) == string(o.Input)
}

// Guide is a user's message to an agent that did not ask.
type Guide struct {
	ID   string    `json:"id"`
	Text string    `json:"text"`
	Time time.Time `json:"time"`
}

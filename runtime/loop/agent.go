package loop

import (
	"context"
	"time"

	"example.org/ripple/runtime/box"
	"example.org/ripple/runtime/event"
)

// Agent takes turns. Turn calls emit for each event, in order and from one goroutine at a time,
// before it returns. If ctx ends, Turn ends the agent and all processes that it started, and
// returns an outcome or an error.
//
// A turn that failed is an Outcome with a Failure. An error means that the turn could not start,
// and ends the loop: with the returned *Stop, or with ReasonError for any other error.
type Agent interface {
	Turn(ctx context.Context, r Request, emit func(event.Event)) (Outcome, error)
}

// Request describes one turn to an agent.
type Request struct {
	Turn         int           // number of the turn, from 1
	Prompt       string        // the content of the prompt's file, and the hat's instructions
	Context      string        // text that the loop adds, at most 500 characters
	SessionID    string        // the session to continue; "" starts a new one
	PriorTokens  event.Tokens  // by that session so far
	Dir          string        // the agent's working directory
	Timeout      time.Duration // limit of the turn
	IdleTimeout  time.Duration // limit of the time without output; 0: none
	Env          []string      // "NAME=value", for programs that the agent runs
	Ask          event.Ask     // answers the agent's questions during the turn; an error of it ends the turn
	AllowedTools []string      // additional tools, which the user allowed after a denial
	Box          *box.Box      // where the agent must run; nil: without a box
	Hat          string        // of a preview: the hat that would take the turn; "" for none
}

// Outcome is the result of a turn.
type Outcome struct {
	Failure       *event.Failure // nil: the turn succeeded
	SessionID     string         // the session, to continue it; "": none
	Text          string         // the final message; if the turn reported no text, it becomes an event as well
	CostUSD       float64        // cost of the turn in US dollars
	SessionTokens event.Tokens   // by the session so far: PriorTokens of the next Request
	Prompt        string         // the next prompt, if the Agent itself replaced the content of its file; "": it did not
}

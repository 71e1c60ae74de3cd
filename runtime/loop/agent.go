package loop

import (
	"context"
	"time"

	"example.org/ripple/runtime/box"
	"example.org/ripple/runtime/event"
)

// Agent takes one turn. It calls emit for each event, in order and from one
// goroutine at a time, before it returns. When ctx ends it ends the agent with
// all that it started and returns an outcome or an error.
//
// A turn that failed is an Outcome with a Failure. The error is for a turn that
// could not even begin: a *Stop ends the loop as it says, any other with exit
// code 3.
type Agent interface {
	Turn(ctx context.Context, r Request, emit func(event.Event)) (Outcome, error)
}

// Request is what the loop asks of an agent.
type Request struct {
	Turn        int    // from 1
	Prompt      string // PROMPT.md as it is
	Context     string // what the loop adds, at most 500 characters
	SessionID   string // the session to continue; "" starts a new one
	Used        event.Tokens
	Dir         string // where the agent works
	Timeout     time.Duration
	IdleTimeout time.Duration // 0: none
	Env         []string      // "NAME=value", for what the agent runs
	Ask         event.Ask     // answers what the agent asks in the turn; its error ends the turn
	Allowed     []string      // tools that a person allowed besides, after a denial
	Box         *box.Box      // where the agent must run; nil: without a box
	Hat         string        // of a preview: whose turn it would be; "" for none
}

// Outcome is how a turn ended.
type Outcome struct {
	Failure   *event.Failure // nil: it worked
	SessionID string         // to continue; "": none
	Text      string         // the final message; an event of the turn, too, if it had no text
	CostUSD   float64
	Used      event.Tokens // of the session so far, the next Request's
	Prompt    string       // what the Agent itself wrote as the next prompt into its file; "": nothing
}

// Package agent takes one turn of a coding agent: a prompt in, normalised events
// out, a judged Outcome at the end. What is special about an agent is in its
// adapter's agent section; see SCHEMA.md.
//
// Run is the main path: Command builds the command line of a Turn, the process
// starts in a session of its own, both its streams are drained together, a
// reader makes events of them, and the turn is judged when the process and what
// it left behind are gone. Run always ends: the wall clock, silence and the
// context bound it, and what ignores SIGINT and SIGTERM is killed with all of
// its tree. Replay judges a recorded turn the same way.
package agent

import (
	"time"

	"ripple/runtime/event"
	"ripple/schema"
)

// Turn is what is asked of an agent. Empty fields ask for nothing; asking for
// what the adapter has no option for is an *UnsupportedError.
type Turn struct {
	Prompt         string
	SessionID      string // go on with this session
	NewSessionID   string // begin a session with this id
	Model          string
	Context        string // added to the system prompt, or put before the prompt
	AllowedTools   []string
	PermissionMode string
	MaxTurns       int // bound of the agent's own steps; 0: none
	Directory      string
}

// TurnOf is the turn that a test of an adapter declares.
func TurnOf(t schema.AgentTurn) Turn {
	return Turn{
		Prompt: t.Prompt, SessionID: t.SessionID, NewSessionID: t.NewSessionID, Model: t.Model, Context: t.Context,
		AllowedTools: t.AllowedTools, PermissionMode: t.PermissionMode, MaxTurns: t.MaxTurns, Directory: t.Directory,
	}
}

// Outcome is how a turn ended.
type Outcome struct {
	Failure  *event.Failure `json:"failure,omitempty"` // nil: it worked
	ExitCode int            `json:"exit_code"`         // -1: ended by a signal
	Signal   string         `json:"signal,omitempty"`

	SessionID string `json:"session_id,omitempty"` // to go on with; empty when the agent told none
	Text      string `json:"text,omitempty"`       // the final message
	// Tokens is what this turn used; Session what the session has used so far,
	// for agents that count so: the next turn's Options.Used.
	Tokens  event.Tokens `json:"tokens"`
	Session event.Tokens `json:"session_tokens,omitzero"`

	Denials  []event.Event `json:"denials,omitempty"`  // refused tools
	Asked    []string      `json:"asked,omitempty"`    // questions that nobody could answer
	Unknown  int           `json:"unknown,omitempty"`  // lines that the adapter does not know
	Problems []string      `json:"problems,omitempty"` // what the mapping failed on, what outlived the turn
	Duration time.Duration `json:"duration_ns"`
	Stderr   string        `json:"-"` // its last 64 KiB
}

// OK says that the turn worked, no tool was refused and nothing was asked.
func (o Outcome) OK() bool { return o.Failure == nil && len(o.Denials) == 0 && len(o.Asked) == 0 }

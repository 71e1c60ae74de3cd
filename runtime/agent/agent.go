// Package agent runs one turn of a coding agent: it takes a prompt, reports normalized
// events, and returns an Outcome. The differences between agents are in the agent section
// of their adapters; see SCHEMA.md.
//
// Run does the following: Command builds the command line of a Turn, the process starts in
// a new session, both its streams are read together, a reader converts them to events, and
// the turn is judged when the process and the processes it left behind have ended. Run
// always returns: total time, silence and the context limit it, and a process that ignores
// SIGINT and SIGTERM is killed with its whole process tree. Replay judges a recorded turn
// in the same way.
package agent

import (
	"encoding/json"
	"time"

	"example.org/ripple/runtime/event"
	"example.org/ripple/schema"
)

// Turn is a request to an agent. Empty fields have no effect; a field for which the adapter has
// no option causes an *UnsupportedError.
type Turn struct {
	Prompt         string
	SessionID      string // continue this session
	NewSessionID   string // start a session with this ID
	Model          string
	Context        string // added to the system prompt, or prepended to the prompt
	AllowedTools   []string
	PermissionMode string
	MaxTurns       int // limit of the agent's own steps; 0: none
	Directory      string

	// Servers are MCP servers, in the form of session/new in the Agent Client Protocol; only
	// agents with that transport receive them.
	Servers []json.RawMessage
}

// TurnOf returns the turn that a test of an adapter declares.
func TurnOf(t schema.AgentTurn) Turn {
	return Turn{
		Prompt: t.Prompt, SessionID: t.SessionID, NewSessionID: t.NewSessionID, Model: t.Model, Context: t.Context,
		AllowedTools: t.AllowedTools, PermissionMode: t.PermissionMode, MaxTurns: t.MaxTurns, Directory: t.Directory,
	}
}

// Outcome is the result of a turn.
type Outcome struct {
	Failure  *event.Failure `json:"failure,omitempty"` // nil: success
	ExitCode int            `json:"exit_code"`         // -1: ended by a signal
	Signal   string         `json:"signal,omitempty"`

	SessionID string `json:"session_id,omitempty"` // to continue it; empty if the agent reported none
	Text      string `json:"text,omitempty"`       // the final message
	// Tokens is the usage of this turn. SessionTokens is the usage of the session so far, for agents
	// that report it: the next turn's Options.PriorTokens.
	Tokens        event.Tokens `json:"tokens"`
	SessionTokens event.Tokens `json:"session_tokens,omitzero"`

	Denials      []event.Event `json:"denials,omitempty"`  // denied tools
	Unanswered   []string      `json:"asked,omitempty"`    // questions that nobody could answer
	UnknownLines int           `json:"unknown,omitempty"`  // lines that are unknown to the adapter
	Problems     []string      `json:"problems,omitempty"` // mapping errors, processes that outlived the turn
	Duration     time.Duration `json:"duration_ns"`
	Stderr       string        `json:"-"` // its last 64 KiB
}

// OK reports whether the turn succeeded, with no denied tool and no question.
func (o Outcome) OK() bool { return o.Failure == nil && len(o.Denials) == 0 && len(o.Unanswered) == 0 }

package ui

import (
	"errors"

	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/launch"
)

// turnOutcome is the last line of --json.
type turnOutcome struct {
	Type       string         `json:"type"`
	Failure    *event.Failure `json:"failure,omitempty"`
	ExitCode   int            `json:"exit_code"`
	Signal     string         `json:"signal,omitempty"`
	SessionID  string         `json:"session_id,omitempty"`
	Text       string         `json:"text,omitempty"`
	Tokens     event.Tokens   `json:"tokens"`
	Denials    int            `json:"denials,omitempty"`
	Asked      []string       `json:"asked,omitempty"`
	Unknown    int            `json:"unknown,omitempty"`
	Problems   []string       `json:"problems,omitempty"`
	DurationMS int64          `json:"duration_ms,omitempty"`
}

// NewTurnOutcome returns the result of a turn in the form that --json prints.
func NewTurnOutcome(o agent.Outcome) turnOutcome {
	return turnOutcome{
		Type: "outcome", Failure: o.Failure, ExitCode: o.ExitCode, Signal: o.Signal, SessionID: o.SessionID, Text: o.Text,
		Tokens: o.Tokens, Denials: len(o.Denials), Asked: o.Unanswered, Unknown: o.UnknownLines, Problems: o.Problems, DurationMS: o.Duration.Milliseconds(),
	}
}

// TurnError returns the error for a turn that did not start.
func TurnError(err error) error {
	var missing *launch.MissingError
	var unsupported *agent.UnsupportedError
	switch {
	case errors.As(err, new(*launch.DirError)):
		return FailWith(ExitUsage, err, "")
	case errors.As(err, &missing):
		return FailWith(ExitMissing, err, "")
	case errors.As(err, &unsupported):
		return FailWith(ExitUsage, err, "to see what the agent can do: ripple adapter show")
	}
	return FailWith(ExitFailed, err, "")
}

var kindCodes = map[event.Kind]int{
	event.Auth: ExitBlocked, event.Denied: ExitBlocked, event.Limited: ExitLimit, event.Overloaded: ExitLimit, event.MaxTurns: ExitLimit,
	event.Timeout: ExitTimeout, event.Interrupted: ExitInterrupted, event.Version: ExitMissing,
	event.BadUsage: ExitUsage,
}

// TurnExit returns the exit code of a turn.
func TurnExit(o agent.Outcome) int {
	switch {
	case o.OK():
		return ExitOK
	case o.Failure == nil:
		return ExitBlocked
	}
	if code, known := kindCodes[o.Failure.Kind]; known {
		return code
	}
	return ExitFailed
}

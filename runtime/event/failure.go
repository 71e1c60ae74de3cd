package event

import "time"

// Kind is the kind of a failed turn.
type Kind string

// Kinds of failures.
const (
	Auth           Kind = "auth"              // not logged in, or login refused
	Limited        Kind = "rate_limited"      // a limit of the provider; ResetsAt if reported
	SessionUnknown Kind = "session_unknown"   // the session to resume does not exist
	Denied         Kind = "permission_denied" // a tool was denied and the agent gave up
	MaxTurns       Kind = "max_turns"         // the agent's own limit
	Version        Kind = "version"           // the program is too old or too new for the adapter
	BadUsage       Kind = "usage"             // the program refused its command line
	Crashed        Kind = "crashed"           // it exited without giving a reason
	Timeout        Kind = "timeout"           // ended by ripple: the time limit or silence
	Interrupted    Kind = "interrupted"       // ended by ripple: the caller asked
	ModelError     Kind = "model_error"       // the model's service failed, and gives no reason that is a kind of its own
	Overloaded     Kind = "overloaded"        // the model's service cannot be reached or answers with 5xx; the same turn may work later
	ContextFull    Kind = "context_full"      // the session is longer than the model's context window
)

// Failure is the reason that a turn failed.
type Failure struct {
	Kind     Kind      `json:"kind"`
	Message  string    `json:"message"`
	ResetsAt time.Time `json:"resets_at,omitzero"` // Limited: time of the next attempt
	Hint     string    `json:"hint,omitempty"`     // the adapter's advice
}

func (f *Failure) Error() string {
	if f.Message == "" {
		return string(f.Kind)
	}
	return string(f.Kind) + ": " + f.Message
}

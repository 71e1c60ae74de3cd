package event

import "time"

// Kind is the kind of a failed turn.
type Kind string

// The kinds of failure.
const (
	Auth           Kind = "auth"              // not logged in, or refused
	Limited        Kind = "rate_limited"      // a limit of the provider; ResetsAt when it said so
	SessionUnknown Kind = "session_unknown"   // the session to resume does not exist
	Denied         Kind = "permission_denied" // a tool was refused and the agent gave up
	MaxTurns       Kind = "max_turns"         // the agent's own bound
	Version        Kind = "version"           // the program is too old or too new for the adapter
	BadUsage       Kind = "usage"             // the program refused its command line
	Crashed        Kind = "crashed"           // it ended without saying why
	Timeout        Kind = "timeout"           // ended by us: the wall clock or silence
	Interrupted    Kind = "interrupted"       // ended by us: the caller asked
	ModelError     Kind = "model_error"       // the model's service failed
)

// Failure is why a turn failed.
type Failure struct {
	Kind     Kind      `json:"kind"`
	Message  string    `json:"message"`
	ResetsAt time.Time `json:"resets_at,omitzero"` // Limited: when to try again
	Hint     string    `json:"hint,omitempty"`     // what to do, in the adapter's words
}

func (f *Failure) Error() string {
	if f.Message == "" {
		return string(f.Kind)
	}
	return string(f.Kind) + ": " + f.Message
}

// Package event defines what a coding agent does in a turn, in one form for all
// agents: an Event for each thing that happened, and the Failure of a turn.
//
// The JSON form is what `ripple agent run --json` prints and what a loop keeps in
// its events.jsonl: one object a line, keys that do not apply left out.
package event

import (
	"encoding/json"
	"math"
	"time"
)

// Type is the kind of an event.
type Type string

// The types. Ignored and the Delta form exist between a mapping and its reader
// only; consumers never see them.
const (
	Session          Type = "session"           // ID
	Text             Type = "text"              // Text: a whole block of the agent's answer
	Reasoning        Type = "reasoning"         // Text
	ToolUse          Type = "tool_use"          // ID, Tool, Name, Input
	ToolResult       Type = "tool_result"       // ID, IsError, Content
	Usage            Type = "usage"             // Input… of the turn so far
	RateLimited      Type = "rate_limited"      // Message, ResetsAt: a limit was hit; the turn may go on
	PermissionDenied Type = "permission_denied" // ID, Tool, Name, Detail
	Error            Type = "error"             // Message, Fatal, Kind
	Finished         Type = "finished"          // IsError, Kind, Result, DurationMS, CostUSD
	Unknown          Type = "unknown"           // Raw: a line that the adapter does not know
	Ignored          Type = "ignored"
)

// Tool is the common name of an agent's tool, as the adapter's agent.tools.canonical
// says it: read, edit, write, bash, glob, grep, question or other.
type Tool string

const (
	// Asking is a tool that asks a person, which nobody can answer where the agent
	// has no other way to ask (Question).
	Asking Tool = "question"
	// Command is a tool that runs commands of a shell, whichever it is.
	Command Tool = "bash"
	// Other is a tool that agents do not have in common.
	Other Tool = "other"
)

// Scopes of a usage event as a mapping gives it.
const (
	ScopeTurn    = "turn"    // the turn so far; replaces what was known
	ScopeStep    = "step"    // one request of the turn; adds up
	ScopeSession = "session" // the whole session so far; a reader makes it the turn's
)

// Event is one thing that happened. Which fields mean something is said at its
// type.
type Event struct {
	Type Type `json:"type"`

	ID      string          `json:"id,omitempty"`
	Text    string          `json:"text,omitempty"`
	Delta   bool            `json:"delta,omitempty"`
	Tool    Tool            `json:"tool,omitempty"`
	Name    string          `json:"name,omitempty"` // the agent's own name of the tool
	Input   json.RawMessage `json:"input,omitempty"`
	Content string          `json:"content,omitempty"`
	Detail  string          `json:"detail,omitempty"`
	IsError bool            `json:"is_error,omitempty"`

	Tokens *Tokens `json:"-"` // of Usage; its fields stand beside type

	Message  string    `json:"message,omitempty"`
	ResetsAt time.Time `json:"resets_at,omitzero"`
	Fatal    bool      `json:"fatal,omitempty"`
	Kind     Kind      `json:"kind,omitempty"`

	Result     string  `json:"result,omitempty"`
	DurationMS int64   `json:"duration_ms,omitempty"`
	CostUSD    float64 `json:"cost_usd,omitempty"` // of Finished

	Raw string `json:"raw,omitempty"`
}

// Tokens is what a turn used. CostUSD is what the agent says it cost; 0 when it
// does not say.
type Tokens struct {
	Input      int64   `json:"input"`
	Output     int64   `json:"output"`
	CacheRead  int64   `json:"cache_read,omitempty"`
	CacheWrite int64   `json:"cache_write,omitempty"`
	CostUSD    float64 `json:"cost_usd,omitempty"`
	Scope      string  `json:"scope,omitempty"` // mappings only
}

// Add is the sum of both; the scope is t's.
func (t Tokens) Add(o Tokens) Tokens {
	t.Input += o.Input
	t.Output += o.Output
	t.CacheRead += o.CacheRead
	t.CacheWrite += o.CacheWrite
	t.CostUSD = SumUSD(t.CostUSD, o.CostUSD)
	return t
}

// Since is what was used after an earlier count of the same session. A count
// that became smaller began anew and is taken as it is.
func (t Tokens) Since(earlier Tokens) Tokens {
	if t.Input < earlier.Input || t.Output < earlier.Output {
		return t
	}
	t.Input -= earlier.Input
	t.Output -= earlier.Output
	t.CacheRead = max(0, t.CacheRead-earlier.CacheRead)
	t.CacheWrite = max(0, t.CacheWrite-earlier.CacheWrite)
	t.CostUSD = max(0, SumUSD(t.CostUSD, -earlier.CostUSD))
	return t
}

// SumUSD adds amounts of US dollars, to the billionth of a dollar: a sum of binary
// fractions ends in digits that nobody paid.
func SumUSD(amounts ...float64) (sum float64) {
	const billionth = 1e9
	for _, a := range amounts {
		sum = math.Round((sum+a)*billionth) / billionth
	}
	return sum
}

// usage is the JSON form of a Usage event, where input is a number.
type usage struct {
	Type Type `json:"type"`
	Tokens
}

// MarshalJSON writes the one-line form.
func (e Event) MarshalJSON() ([]byte, error) {
	if e.Type == Usage && e.Tokens != nil {
		return json.Marshal(usage{e.Type, *e.Tokens})
	}
	type plain Event
	return json.Marshal(plain(e))
}

// UnmarshalJSON reads the one-line form.
func (e *Event) UnmarshalJSON(b []byte) error {
	var kind struct{ Type Type }
	if err := json.Unmarshal(b, &kind); err != nil {
		return err
	}
	if kind.Type == Usage {
		u := usage{}
		err := json.Unmarshal(b, &u)
		*e = Event{Type: Usage, Tokens: &u.Tokens}
		return err
	}
	type plain Event
	return json.Unmarshal(b, (*plain)(e))
}

// Package event defines the events of a coding agent's turn in a form common to all agents: an
// Event for each thing that happened, and the Failure of a turn.
//
// `ripple agent run --json` prints the JSON form, and a loop stores it in its events.jsonl: one
// object per line, without keys that do not apply.
package event

import (
	"encoding/json"
	"math"
	"time"
)

// Type is the kind of an event.
type Type string

// Types of events. Ignored and the Delta form exist only between a mapping and its reader;
// consumers never see them.
const (
	Session          Type = "session"           // ID
	Text             Type = "text"              // Text: a whole block of the agent's answer
	Reasoning        Type = "reasoning"         // Text
	ToolUse          Type = "tool_use"          // ID, Tool, Name, Input
	ToolResult       Type = "tool_result"       // ID, IsError, Content
	Usage            Type = "usage"             // Input… of the turn so far
	RateLimited      Type = "rate_limited"      // Message, ResetsAt: a limit was hit; the turn may continue
	PermissionDenied Type = "permission_denied" // ID, Tool, Name, Detail
	Error            Type = "error"             // Message, Fatal, Kind
	Finished         Type = "finished"          // IsError, Kind, Result, DurationMS, CostUSD
	Unknown          Type = "unknown"           // Raw: a line that is unknown to the adapter
	Ignored          Type = "ignored"
)

// Tool is the common name of an agent's tool, from the adapter's agent.tools.canonical: read,
// edit, write, bash, glob, grep, question or other.
type Tool string

const (
	// ToolQuestion is a tool that asks the user. It cannot be answered unless the agent also sends a
	// [Question].
	ToolQuestion Tool = "question"
	// ToolCommand is a tool that runs shell commands, in any shell.
	ToolCommand Tool = "bash"
	// ToolOther is a tool without a common name.
	ToolOther Tool = "other"
)

// Scopes of a usage event in a mapping.
const (
	ScopeTurn    = "turn"    // the turn so far; replaces earlier values
	ScopeStep    = "step"    // one request of the turn; is added
	ScopeSession = "session" // the whole session so far; a reader converts it to the turn's
)

// Event is one thing that happened. The documentation of each Type lists the fields that it sets.
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

	Tokens *Tokens `json:"-"` // Usage only; its fields are on the same level as type

	Message  string    `json:"message,omitempty"`
	ResetsAt time.Time `json:"resets_at,omitzero"`
	Fatal    bool      `json:"fatal,omitempty"`
	Kind     Kind      `json:"kind,omitempty"`

	Result     string  `json:"result,omitempty"`
	DurationMS int64   `json:"duration_ms,omitempty"`
	CostUSD    float64 `json:"cost_usd,omitempty"` // Finished only

	Raw string `json:"raw,omitempty"`
}

// Tokens is the usage of a turn. CostUSD is the cost as reported by the agent; 0 if it reports
// none.
type Tokens struct {
	Input      int64   `json:"input"`
	Output     int64   `json:"output"`
	CacheRead  int64   `json:"cache_read,omitempty"`
	CacheWrite int64   `json:"cache_write,omitempty"`
	CostUSD    float64 `json:"cost_usd,omitempty"`
	Scope      string  `json:"scope,omitempty"` // mappings only
}

// Add returns the sum of both, with the scope of t.
func (t Tokens) Add(o Tokens) Tokens {
	t.Input += o.Input
	t.Output += o.Output
	t.CacheRead += o.CacheRead
	t.CacheWrite += o.CacheWrite
	t.CostUSD = SumUSD(t.CostUSD, o.CostUSD)
	return t
}

// Since returns the tokens used after an earlier count of the same session. If a count
// became smaller, the counter was restarted and the new count is returned unchanged.
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

// SumUSD adds amounts in US dollars and rounds to a billionth of a dollar, which removes the
// error of binary fractions.
func SumUSD(amounts ...float64) (sum float64) {
	const billionth = 1e9
	for _, a := range amounts {
		sum = math.Round((sum+a)*billionth) / billionth
	}
	return sum
}

// usageJSON is the JSON form of a Usage event, in which input is a number.
type usageJSON struct {
	Type Type `json:"type"`
	Tokens
}

// MarshalJSON writes the one-line form.
func (e Event) MarshalJSON() ([]byte, error) {
	if e.Type == Usage && e.Tokens != nil {
		return json.Marshal(usageJSON{e.Type, *e.Tokens})
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
		u := usageJSON{}
		err := json.Unmarshal(b, &u)
		*e = Event{Type: Usage, Tokens: &u.Tokens}
		return err
	}
	type plain Event
	return json.Unmarshal(b, (*plain)(e))
}

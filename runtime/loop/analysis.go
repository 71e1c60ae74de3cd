package loop

import (
	"encoding/json"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/hats"
)

// maxText is the maximum length, in bytes, of the end of an answer that is kept for its status
// block.
const maxText = 1 << 20

// analysis collects the data of one turn's events. Tool results, reasoning and the agent's input
// are ignored.
type analysis struct {
	mu       sync.Mutex
	text     strings.Builder
	output   int      // text length in characters
	errors   []string // error events, and text lines that report an error
	denied   int
	refused  []event.Event              // the first denials
	inputs   map[string]json.RawMessage // inputs of the last tools, by ID
	asked    string                     // the last question to the user
	session  string
	noID     string    // the invalid session ID that the agent reported
	resetsAt time.Time // of the last rate limit
	limit    string    // its message
	cost     float64
	used     event.Tokens  // usage of the turn so far, without its cost
	topics   *hats.Scanner // nil in a loop without topics
}

// maxErrors limits the errors of a turn that are examined.
const maxErrors = 1000

// Limits on the denied tools recorded for a turn.
const maxRefused, maxInputs = 20, 200

func (a *analysis) note(e event.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch e.Type {
	case event.Session:
		a.reports(e.ID)
	case event.Text:
		a.addText(e.Text)
	case event.Error:
		a.addErrors(e.Message)
	case event.RateLimited:
		a.resetsAt, a.limit = e.ResetsAt, e.Message
	case event.ToolUse:
		a.noteInput(e)
		if text := e.QuestionText(); text != "" {
			a.asked = text
		}
	case event.PermissionDenied:
		a.denied++
		if len(a.refused) < maxRefused {
			e.Input = a.inputs[e.ID]
			a.refused = append(a.refused, e)
		}
	case event.Usage:
		if e.Tokens != nil {
			a.cost = max(a.cost, e.Tokens.CostUSD)
			a.used = *e.Tokens
			a.used.CostUSD, a.used.Scope = 0, ""
		}
	case event.Finished:
		a.cost = max(a.cost, e.CostUSD)
	}
}

// noteInput keeps the input of a tool: a denial has only its ID.
func (a *analysis) noteInput(e event.Event) {
	if a.inputs == nil || len(a.inputs) > maxInputs {
		a.inputs = map[string]json.RawMessage{}
	}
	if e.ID != "" {
		a.inputs[e.ID] = event.TruncateInput(e.Input)
	}
}

func (a *analysis) addText(text string) {
	a.output += utf8.RuneCountInString(text)
	if a.topics != nil {
		a.topics.Text(text)
	}
	if a.text.Len()+len(text) > 2*maxText { // the relevant part is at the end
		kept := (a.text.String() + text)
		a.text.Reset()
		text = kept[len(kept)-maxText:]
	}
	a.text.WriteString(text)
	if !strings.HasSuffix(text, "\n") {
		a.text.WriteByte('\n')
	}
	a.addErrors(errorLines(text)...)
}

func (a *analysis) addErrors(list ...string) {
	room := max(0, maxErrors-len(a.errors))
	a.errors = append(a.errors, list[:min(len(list), room)]...)
}

// silent reports whether the turn had no text.
func (a *analysis) silent() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.text.Len() == 0
}

// finish adds the data that only the outcome has.
func (a *analysis) finish(o Outcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if o.Failure != nil && !o.Failure.ResetsAt.IsZero() {
		a.resetsAt = o.Failure.ResetsAt
	}
	if o.SessionID != "" {
		a.reports(o.SessionID)
	}
	a.cost = max(a.cost, o.CostUSD)
}

// reports takes the session ID that an agent reported.
func (a *analysis) reports(id string) {
	a.session, a.noID = strings.TrimSpace(id), ""
	if !event.IsSessionID(a.session) {
		a.session, a.noID = "", a.session
	}
}

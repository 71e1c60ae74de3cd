package loop

import (
	"encoding/json"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"ripple/runtime/event"
	"ripple/runtime/loop/hats"
)

// maxText is how much of an answer is kept for its status block, in bytes.
const maxText = 1 << 20

// analysis gathers what the events of one turn say. Tool results, reasoning and
// what the agent was told are never read.
type analysis struct {
	mu       sync.Mutex
	text     strings.Builder
	output   int      // characters of text
	errors   []string // error events, and lines of text that report an error
	denied   int
	refused  []event.Event              // the first of these
	inputs   map[string]json.RawMessage // of the last tools, by their ids
	asked    string                     // the last question for a person
	session  string
	resetsAt time.Time // of the last limit
	cost     float64
	used     event.Tokens  // the turn so far, without its cost
	topics   *hats.Scanner // nil in a loop without topics
}

// maxErrors bounds the errors of a turn that are looked at.
const maxErrors = 1000

// Bounds of what is known of refused tools in a turn.
const maxRefused, maxInputs = 20, 200

func (a *analysis) note(e event.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch e.Type {
	case event.Session:
		a.session = strings.TrimSpace(e.ID)
	case event.Text:
		a.addText(e.Text)
	case event.Error:
		a.addErrors(e.Message)
	case event.RateLimited:
		a.resetsAt = e.ResetsAt
	case event.ToolUse:
		a.noteInput(e)
		if text := e.Asked(); text != "" {
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

// noteInput keeps what a tool was given: a refusal has only its id.
func (a *analysis) noteInput(e event.Event) {
	if a.inputs == nil || len(a.inputs) > maxInputs {
		a.inputs = map[string]json.RawMessage{}
	}
	if e.ID != "" {
		a.inputs[e.ID] = event.BoundInput(e.Input)
	}
}

func (a *analysis) addText(text string) {
	a.output += utf8.RuneCountInString(text)
	if a.topics != nil {
		a.topics.Text(text)
	}
	if a.text.Len()+len(text) > 2*maxText { // what matters stands at the end
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

// finish adds what only the outcome tells.
func (a *analysis) finish(o Outcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.text.Len() == 0 && o.Text != "" {
		a.addText(o.Text)
	}
	if o.Failure != nil && !o.Failure.ResetsAt.IsZero() {
		a.resetsAt = o.Failure.ResetsAt
	}
	if o.SessionID != "" {
		a.session = strings.TrimSpace(o.SessionID)
	}
	a.cost = max(a.cost, o.CostUSD)
}

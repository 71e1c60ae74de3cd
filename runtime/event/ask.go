package event

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
)

// Question is what an agent asks while its turn is open: whether it may use a
// tool, which of several ways to go, or for words. The turn waits until there is
// an Answer.
type Question struct {
	ID      string          `json:"id"` // unique in its turn
	Kind    QuestionKind    `json:"kind"`
	Tool    Tool            `json:"tool,omitempty"`  // of AskPermission: the common name
	Name    string          `json:"name,omitempty"`  // of AskPermission: the agent's own name, or its title
	Input   json.RawMessage `json:"input,omitempty"` // what the tool is given; at most MaxInput bytes
	Text    string          `json:"text,omitempty"`  // the question in words
	Options []Option        `json:"options,omitempty"`
}

// QuestionKind says what an answer must have.
type QuestionKind string

// The kinds of questions.
const (
	AskPermission QuestionKind = "permission" // one of the options, which allow and reject
	AskChoice     QuestionKind = "choice"     // one of the options
	AskText       QuestionKind = "text"       // words, or one of the options
)

// Option is one way to answer.
type Option struct {
	ID   string     `json:"id"`
	Name string     `json:"name,omitempty"` // for people
	Kind OptionKind `json:"kind,omitempty"` // of AskPermission
}

// OptionKind is what choosing an option means, in the words of the Agent Client
// Protocol (https://agentclientprotocol.com/protocol/tool-calls).
type OptionKind string

// The kinds of options.
const (
	AllowOnce    OptionKind = "allow_once"
	AllowAlways  OptionKind = "allow_always"
	RejectOnce   OptionKind = "reject_once"
	RejectAlways OptionKind = "reject_always"
)

// Allows says that the tool may be used.
func (k OptionKind) Allows() bool { return k == AllowOnce || k == AllowAlways }

// Answer is the answer to a Question: one of its options, or words, or both. The
// zero Answer chooses nothing: the agent is told that the question was dismissed.
type Answer struct {
	Option string `json:"option,omitempty"` // its ID
	Text   string `json:"text,omitempty"`
	By     string `json:"by,omitempty"` // who decided: a person, a rule; for the record
}

// Ask gets a question answered. It may take as long as it takes: the turn's clocks
// stand still meanwhile. It returns an error when there will be no answer, and
// when ctx ends, which is when the turn does or when the agent takes the question
// back.
type Ask func(ctx context.Context, q Question) (Answer, error)

// Choose is the answer by the first option of the first of these kinds that the
// question has; false when it has none of them.
func (q Question) Choose(by string, kinds ...OptionKind) (Answer, bool) {
	for _, kind := range kinds {
		if i := slices.IndexFunc(q.Options, func(o Option) bool { return o.Kind == kind }); i >= 0 {
			return Answer{Option: q.Options[i].ID, By: by}, true
		}
	}
	return Answer{}, false
}

// Option is the option with this id.
func (q Question) Option(id string) (Option, bool) {
	i := slices.IndexFunc(q.Options, func(o Option) bool { return o.ID == id })
	if i < 0 {
		return Option{}, false
	}
	return q.Options[i], true
}

// MaxInput is how many bytes of a tool's input a Question carries.
const MaxInput = 64 << 10

// cutSizes are how many bytes are kept of a long value of a tool's input: of one, and
// where several would be too much.
var cutSizes = [...]int{8 << 10, 1 << 10}

const cutMark = "…"

// BoundInput is input as a Question carries it: as it is, or, when it is longer than
// MaxInput, with the beginnings of its long values, as strings; what stands beside them
// stays whole, so that a long text says which file it is for. What is no object is the
// beginning of its JSON, as a string.
func BoundInput(input json.RawMessage) json.RawMessage {
	if len(input) <= MaxInput {
		return input
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(input, &all) == nil {
		for _, size := range cutSizes {
			if b := boundValues(all, size); len(b) <= MaxInput {
				return b
			}
		}
	}
	return beginning(string(input), MaxInput/6-len(cutMark)) // a character may become \u0000
}

// boundValues is an object whose values have so many bytes and no more.
func boundValues(all map[string]json.RawMessage, size int) json.RawMessage {
	short := make(map[string]json.RawMessage, len(all))
	for key, value := range all {
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		if short[key] = value; len(text) > size {
			short[key] = beginning(text, size)
		}
	}
	return encode(short)
}

func beginning(text string, size int) json.RawMessage {
	return encode(strings.ToValidUTF8(text[:size], "") + cutMark)
}

func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return nil // strings, and values that were JSON, always have a form
	}
	return b
}

// WasCut says that a value is only the beginning of what it was (BoundInput).
func WasCut(value string) bool {
	return len(value) >= cutSizes[len(cutSizes)-1] && strings.HasSuffix(strings.TrimSuffix(value, `"`), cutMark)
}

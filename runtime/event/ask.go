package event

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Question is an agent's question during a turn: for permission to use a tool, for a choice of
// several options, or for text. The turn waits for an Answer.
type Question struct {
	ID      string          `json:"id"` // unique in its turn
	Kind    QuestionKind    `json:"kind"`
	Tool    Tool            `json:"tool,omitempty"`  // AskPermission: the common name
	Name    string          `json:"name,omitempty"`  // AskPermission: the agent's own name for the tool, or its title
	Input   json.RawMessage `json:"input,omitempty"` // the tool's input; at most MaxInput bytes
	Text    string          `json:"text,omitempty"`  // the text of the question
	Options []Option        `json:"options,omitempty"`
}

// QuestionKind determines the form of the answer.
type QuestionKind string

// Kinds of questions.
const (
	AskPermission QuestionKind = "permission" // one of the options, which allow or reject
	AskChoice     QuestionKind = "choice"     // one of the options
	AskText       QuestionKind = "text"       // text, or one of the options
)

// Option is one of the possible answers.
type Option struct {
	ID   string     `json:"id"`
	Name string     `json:"name,omitempty"` // display name
	Kind OptionKind `json:"kind,omitempty"` // AskPermission only
}

// OptionKind is the meaning of an option, with the values of the Agent Client Protocol
// (https://agentclientprotocol.com/protocol/tool-calls).
type OptionKind string

// Kinds of options.
const (
	AllowOnce    OptionKind = "allow_once"
	AllowAlways  OptionKind = "allow_always"
	RejectOnce   OptionKind = "reject_once"
	RejectAlways OptionKind = "reject_always"
)

// Allows reports whether the option permits use of the tool.
func (k OptionKind) Allows() bool { return k == AllowOnce || k == AllowAlways }

// Answer is the answer to a Question: one of its options, text, or both. The zero Answer chooses
// nothing: the agent receives a dismissed question.
type Answer struct {
	Option string `json:"option,omitempty"` // the option's ID
	Text   string `json:"text,omitempty"`
	By     string `json:"by,omitempty"` // who decided, for the record: a user or a rule

	From *Caller `json:"from,omitempty"` // the command with which a user answered; nil: none
}

// Caller is the process of a command with which a user answered.
type Caller struct {
	PID    int    `json:"pid"`
	Parent int    `json:"parent"`        // ID of the parent process
	UID    int    `json:"uid"`           // -1 on Windows
	TTY    string `json:"tty,omitempty"` // path of its controlling terminal; empty: no terminal

	Loop *CallingLoop `json:"loop,omitempty"` // the loop that started it, directly or not; nil: none is known
}

// CallingLoop is a loop that started a command with which a user answered.
type CallingLoop struct {
	PID     int    `json:"pid"`
	Project string `json:"project"` // its directory
}

// String returns the process ID, the terminal and the loop, if there is one.
func (c Caller) String() string {
	text := fmt.Sprintf("process %d, %s", c.PID, cmp.Or(c.TTY, "no terminal"))
	if c.Loop != nil {
		text += fmt.Sprintf(", started by the loop in %s, process %d", c.Loop.Project, c.Loop.PID)
	}
	return text
}

// Ask returns the answer to a question. It may take any time: the turn's clocks are paused
// meanwhile. It returns an error if there will be no answer, and when ctx ends, which happens
// when the turn ends or the agent withdraws the question.
type Ask func(ctx context.Context, q Question) (Answer, error)

// Choose returns the answer with the first option of the first of the given kinds that the
// question has; false if it has none of them.
func (q Question) Choose(by string, kinds ...OptionKind) (Answer, bool) {
	for _, kind := range kinds {
		if i := slices.IndexFunc(q.Options, func(o Option) bool { return o.Kind == kind }); i >= 0 {
			return Answer{Option: q.Options[i].ID, By: by}, true
		}
	}
	return Answer{}, false
}

// Option returns the option with this ID.
func (q Question) Option(id string) (Option, bool) {
	i := slices.IndexFunc(q.Options, func(o Option) bool { return o.ID == id })
	if i < 0 {
		return Option{}, false
	}
	return q.Options[i], true
}

// MaxInput is the maximum size of a tool's input in a Question, in bytes.
const MaxInput = 64 << 10

// cutSizes are the sizes, in bytes, to which long values of a tool's input are cut: for a single
// one, and smaller ones if several are too long.
var cutSizes = [...]int{8 << 10, 1 << 10}

const cutMark = "…"

// TruncateInput returns input in the form for a Question: unchanged if it has at most MaxInput
// bytes; otherwise its long values are cut and written as strings, and short values are kept, so
// that a long text still shows which file it is for. JSON that is not an object is cut as a whole
// and returned as a string.
func TruncateInput(input json.RawMessage) json.RawMessage {
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

// boundValues returns an object whose values have at most size bytes each.
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
		return nil // strings and raw JSON always marshal
	}
	return b
}

// IsTruncated reports whether TruncateInput cut a value.
func IsTruncated(value string) bool {
	return len(value) >= cutSizes[len(cutSizes)-1] && strings.HasSuffix(strings.TrimSuffix(value, `"`), cutMark)
}

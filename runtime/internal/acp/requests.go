package acp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/rpc"
)

// maxOpen is how many questions may be open at once; an agent that asks more is refused.
const maxOpen = 100

// asked is a request of the agent's that waits for a person or a rule.
type asked struct {
	id       json.RawMessage // of the request
	question event.Question
	call     string                           // of the tool
	give     func(event.Answer) (any, string) // the result, and what it says; nil: more is asked
}

// request is a request of the agent. Capabilities that it was not offered are refused, as
// the protocol requires, and the request is kept.
func (c *Client) request(m rpc.Message, line []byte) {
	switch {
	case m.Method == "session/request_permission":
		c.permission(m, line)
	case c.turn.Files && slices.Contains(fileMethods, m.Method), c.turn.Terminals && slices.Contains(terminalMethods, m.Method):
		c.work(m, line)
	case c.turn.Elicits && m.Method == "elicitation/create":
		c.elicit(m, line)
	case m.Method == "session/update": // it wants no answer, and some send it as if it did
		c.update(m, line)
		c.Reply(m.ID, map[string]any{})
	default:
		c.Refuse(m.ID, rpc.CodeNoMethod, "unknown method: "+m.Method)
		c.unknown(m.Method, line)
	}
}

// unknown keeps what the protocol, as it is known here, does not have. Names with an
// underscore are everybody's own
// (https://agentclientprotocol.com/protocol/v1/extensibility).
func (c *Client) unknown(name string, line []byte) {
	if !strings.HasPrefix(name, "_") {
		c.Emit(event.Event{Type: event.Unknown, Raw: string(line)})
	}
}

// dismissed is the answer that chooses nothing.
var dismissed = map[string]any{"outcome": map[string]any{"outcome": "cancelled"}}

// permission is a request for leave to use a tool
// (https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission).
// Those of sub-agents come with sessions of their own and are asked as well.
func (c *Client) permission(m rpc.Message, line []byte) {
	var p struct {
		ToolCall update `json:"toolCall"`
		Options  []struct {
			ID   string           `json:"optionId"`
			Name string           `json:"name"`
			Kind event.OptionKind `json:"kind"`
		} `json:"options"`
	}
	if json.Unmarshal(m.Params, &p) != nil {
		c.Refuse(m.ID, rpc.CodeBadParams, "invalid parameters for session/request_permission")
		c.unknown(m.Method, line)
		return
	}
	if c.again(m) {
		return
	}
	call := c.calls.merge(c, p.ToolCall)
	c.calls.announce(c, p.ToolCall.ID)
	q := event.Question{
		Kind: event.AskPermission, Tool: call.tool, Name: call.called(), Input: event.TruncateInput(call.input), Text: call.title,
	}
	if text := call.text(c.Printed); text != "" {
		q.Text = strings.TrimSpace(q.Text + "\n" + text)
	}
	for _, o := range p.Options {
		q.Options = append(q.Options, event.Option{ID: o.ID, Name: o.Name, Kind: o.Kind})
	}
	c.ask(asked{id: m.ID, question: q, call: p.ToolCall.ID, give: func(a event.Answer) (any, string) {
		o, known := q.Option(a.Option)
		if !known {
			return dismissed, ""
		}
		return map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": o.ID}}, string(o.Kind)
	}})
}

// questions are the agent's questions without an answer.
type questions struct {
	*rpc.Conn
	Calls
	repeats
	open map[string]asked
	n    int  // asked so far
	shut bool // every question has its answer: nothing
}

// ask opens a question. While a turn is being canceled, and when it is over, the
// answer is known.
func (c *questions) ask(a asked) {
	switch {
	case c.shut:
		result, _ := a.give(event.Answer{})
		c.reply(a.id, result)
	case len(c.open) >= maxOpen:
		c.refuse(a.id, rpc.CodeInternal, fmt.Sprintf("%d questions are open, the maximum", maxOpen))
	default:
		c.n++
		a.question.ID = fmt.Sprintf("q%d", c.n)
		c.open[a.question.ID] = a
		c.Ask(a.question)
	}
}

// Answer answers a question, once. It returns false for a question that is not open. If
// refused is not empty, a use of a tool that is not allowed is reported as an event with
// these words.
func (c *questions) Answer(id string, a event.Answer, refused string) bool {
	q, known := c.open[id]
	if !known {
		return false
	}
	delete(c.open, id)
	result, kind := q.give(a)
	if result != nil {
		c.reply(q.id, result)
	}
	if q.question.Kind == event.AskPermission && !event.OptionKind(kind).Allows() && refused != "" {
		c.Emit(event.Event{Type: event.PermissionDenied, ID: q.call, Tool: q.question.Tool, Name: q.question.Name, Detail: refused})
	}
	return true
}

// dismiss takes back the questions that are open; the protocol wants an answer to
// each when a turn is canceled, and to those that come after it.
func (c *questions) dismiss() {
	c.shut = true
	for id, q := range c.open {
		result, _ := q.give(event.Answer{})
		c.reply(q.id, result)
		delete(c.open, id)
		c.Close(id)
	}
}

// takeBack is a request that the agent takes back
// (https://agentclientprotocol.com/protocol/v1/cancellation).
func (c *Client) takeBack(m rpc.Message) {
	var p struct {
		ID json.RawMessage `json:"requestId"`
	}
	_ = json.Unmarshal(m.Params, &p) // without an id it takes back nothing
	c.undo(p.ID)
	c.questions.withdraw(p.ID)
}

func (c *questions) withdraw(request json.RawMessage) {
	for id, q := range c.open {
		if string(q.id) == string(request) {
			delete(c.open, id)
			c.refuse(q.id, rpc.CodeCancelled, "withdrawn")
			c.Close(id)
		}
	}
}

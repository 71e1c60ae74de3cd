package acp

import (
	"encoding/json"
	"strings"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/rpc"
)

// known are the notifications and updates that mean nothing for the events of a
// turn: what a screen would show.
var known = map[string]bool{
	"$/cancel_request": true, "elicitation/complete": true,
	"user_message_chunk": true, "available_commands_update": true, "current_mode_update": true,
	"config_option_update": true, "session_info_update": true, "plan": true,
}

// notification handles a notification of the agent.
func (c *Client) notification(m rpc.Message, line []byte) {
	switch {
	case m.Method == "session/update":
		c.update(m, line)
	case m.Method == "$/cancel_request":
		c.takeBack(m)
	case !known[m.Method]:
		c.unknown(m.Method, line)
	}
}

// update is one session/update
// (https://agentclientprotocol.com/protocol/v1/prompt-turn#3-agent-reports-output).
type update struct {
	Kind      string          `json:"sessionUpdate"`
	MessageID string          `json:"messageId"`
	Content   json.RawMessage `json:"content"`

	ID        string          `json:"toolCallId"`
	Name      string          `json:"name"`
	Title     string          `json:"title"`
	ToolKind  string          `json:"kind"`
	Status    string          `json:"status"`
	RawInput  json.RawMessage `json:"rawInput"`
	RawOutput json.RawMessage `json:"rawOutput"`
	Locations []struct {
		Path string `json:"path"`
	} `json:"locations"`
	Meta json.RawMessage `json:"_meta"`

	Cost *struct {
		Amount   float64 `json:"amount"`
		Currency string  `json:"currency"`
	} `json:"cost"`
}

func (c *Client) update(m rpc.Message, line []byte) {
	var p struct {
		Session string `json:"sessionId"`
		Update  update `json:"update"`
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		c.Emit(event.Event{Type: event.Unknown, Raw: string(line)})
		return
	}
	u := p.Update
	if u.Kind == "usage_update" {
		c.spent.take(u, c.replay || !c.prompted)
		return
	}
	if c.replay {
		return // of a past turn, and reported then
	}
	sub := c.session != "" && p.Session != c.session // of a sub-agent's session
	switch u.Kind {
	case "agent_message_chunk":
		c.chunk(event.Text, u, sub)
	case "agent_thought_chunk":
		c.chunk(event.Reasoning, u, sub)
	case "tool_call", "tool_call_update":
		c.calls.take(c, u)
	default:
		if !known[u.Kind] {
			c.unknown(u.Kind, line)
		}
	}
}

// chunk is a piece of a message. Messages of a sub-agent are not part of the answer.
func (c *Client) chunk(kind event.Type, u update, sub bool) {
	if sub {
		return
	}
	if u.MessageID != "" && u.MessageID != c.message && c.message != "" {
		c.Emit(event.Event{Type: event.Ignored}) // another message begins
	}
	if u.MessageID != "" {
		c.message = u.MessageID
	}
	if text := blockText(u.Content); text != "" {
		c.Emit(event.Event{Type: kind, Text: text, Delta: true})
	}
}

// blockText is the text of a content block; of one that is none, what it is
// (https://agentclientprotocol.com/protocol/v1/content).
func blockText(raw json.RawMessage) string {
	var b struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		URI      string `json:"uri"`
		Resource struct {
			Text string `json:"text"`
			URI  string `json:"uri"`
		} `json:"resource"`
	}
	if json.Unmarshal(raw, &b) != nil {
		return ""
	}
	switch {
	case b.Type == "text" || b.Type == "":
		return b.Text
	case b.Type == "resource_link":
		return "[" + b.URI + "]"
	case b.Type == "resource" && b.Resource.Text != "":
		return b.Resource.Text
	case b.Type == "resource":
		return "[" + b.Resource.URI + "]"
	}
	return "[" + b.Type + "]"
}

// usage is the usage of a turn, in the form that a draft of the protocol defines for the response.
type usage struct {
	Input      float64 `json:"inputTokens"`
	Output     float64 `json:"outputTokens"`
	CacheRead  float64 `json:"cachedReadTokens"`
	CacheWrite float64 `json:"cachedWriteTokens"`
}

// spent is what the session has cost so far, in US dollars.
type spent struct {
	cost     *float64 // of this turn; nil: not reported
	baseline float64  // of the session, before it
}

// take notes a sum; a sum reported before the turn begins is the earlier cost of the
// session.
func (s *spent) take(u update, before bool) {
	if u.Cost == nil || !strings.EqualFold(u.Cost.Currency, "USD") || u.Cost.Amount < 0 {
		return
	}
	if before {
		s.baseline = u.Cost.Amount
		return
	}
	amount := max(0, event.SumUSD(u.Cost.Amount, -s.baseline))
	s.cost = &amount
}

// with is what the turn used; without tokens the cost is added to what the agent
// reports in its own way.
func (s *spent) with(u *usage) event.Tokens {
	t := event.Tokens{Scope: event.ScopeStep}
	if u != nil {
		t = event.Tokens{Input: tokens(u.Input), Output: tokens(u.Output), CacheRead: tokens(u.CacheRead), CacheWrite: tokens(u.CacheWrite)}
	}
	if s.cost != nil {
		t.CostUSD = *s.cost
	}
	return t
}

// tokens converts a count; an impossible count is treated as not reported.
func tokens(f float64) int64 {
	if f < 0 || f > 1<<53 {
		return 0
	}
	return int64(f)
}

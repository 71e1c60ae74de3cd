package acp

import (
	"cmp"
	"encoding/json"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/rpc"
)

// Turn is a request to an agent.
type Turn struct {
	Dir     string // absolute
	Prompt  string
	Session string // the session to continue; empty: a new one
	Model   string // empty: the agent's own choice
	Mode    string // of the session; empty: the agent's own choice
	Login   string // the method of authentication to use; empty: none
	Version string // of this program, for the agent's logs

	Servers []json.RawMessage // MCP servers for the session

	Files, Terminals bool // the agent may have Work done
	Elicits          bool // a person can be asked what only a person knows
}

// Calls are how a Client acts. All are called from within its methods.
type Calls struct {
	Send  func(line []byte)       // writes to the agent; never waits
	Emit  func(event.Event)       // an event of the turn. One of type ignored only ends a block of text
	Ask   func(event.Question)    // a question is open, until Answer or Close
	Close func(id string)         // a question no longer needs an answer
	Do    func(id string, w Work) // work begins, until Done
	// Printed returns the output of a terminal of Work; empty if there is no such terminal.
	Printed func(terminal string) string
	// Tool is the common name of one of the agent's tools; empty: not known.
	Tool func(name string) event.Tool
}

// Client is one turn over the protocol. One goroutine uses it.
type Client struct {
	Calls
	rpc.Conn
	questions
	turn Turn

	Cut bool // the line that comes next is not whole

	session string
	replay  bool // the history of a session is being replayed
	told    int  // calls of tools so far
	calls   callsByID
	working map[string]bool // requests for Work that have no answer
	message string          // the id of the message whose text comes
	spent   spent

	prompted, cancelled, finished, flushed bool

	last *event.Event // how the turn ended, not yet reported
}

// New is the client of a turn that has not begun.
func New(t Turn, c Calls) *Client {
	client := &Client{Calls: c, turn: t, calls: callsByID{}, working: map[string]bool{}}
	client.Conn = rpc.Conn{Send: c.Send}
	client.questions = questions{Conn: &client.Conn, Calls: c, open: map[string]asked{}, repeats: repeats{came: map[string]*came{}}}
	return client
}

// Ready reports whether the agent has answered: its session is there.
func (c *Client) Ready() bool { return c.prompted || c.finished }

// Finished reports whether the turn is over. More output may follow until Flushed.
func (c *Client) Finished() bool { return c.finished }

// Flushed reports whether the agent has answered a request that was sent after the turn
// was over, so that no output of the turn is outstanding.
func (c *Client) Flushed() bool { return c.flushed }

// Start opens the connection.
func (c *Client) Start() {
	can := map[string]any{"fs": map[string]any{"readTextFile": c.turn.Files, "writeTextFile": c.turn.Files}, "terminal": c.turn.Terminals}
	if c.turn.Elicits {
		can["elicitation"] = map[string]any{"form": map[string]any{}, "url": map[string]any{}}
	}
	c.Call("initialize", map[string]any{
		"protocolVersion": protocolVersion, "clientCapabilities": can,
		"clientInfo": map[string]any{"name": "ripple", "title": "ripple", "version": cmp.Or(c.turn.Version, "0")},
	}, (&opening{Client: c}).initialized)
}

// Line takes a line that the agent printed, without its line end. It returns false for a
// line that is not a message of the protocol.
func (c *Client) Line(line []byte) bool {
	m, ok := rpc.Parse(line)
	switch {
	case !ok:
		if rpc.IsList(line) {
			c.Refuse(rpc.NoID, rpc.CodeNoRequest, "a line must be one message, not a list")
		}
		return false
	case m.IsRequest():
		c.request(m, line)
	case m.Method != "":
		c.notification(m, line)
	default:
		return c.Response(m)
	}
	return true
}

// prompt begins the turn.
func (c *Client) prompt() {
	c.prompted = true
	if c.cancelled {
		c.finish(event.Event{IsError: true, Kind: event.Interrupted, Result: "it was canceled before it began"})
		return
	}
	c.Call("session/prompt", map[string]any{
		"sessionId": c.session, "prompt": []any{map[string]any{"type": "text", "text": c.turn.Prompt}},
	}, c.answered)
}

// answered is the end of the turn.
func (c *Client) answered(m rpc.Message) {
	c.calls.announceAll(c)
	if m.Error != nil {
		c.finish(event.Event{IsError: true, Kind: kindOf(m.Error), Result: m.Error.Text()})
		return
	}
	var r struct {
		StopReason string `json:"stopReason"`
		Usage      *usage `json:"usage"`
	}
	if err := json.Unmarshal(m.Result, &r); err != nil {
		c.finish(event.Event{IsError: true, Result: foreign("session/prompt", m.Result)})
		return
	}
	if t := c.spent.with(r.Usage); t.Input+t.Output > 0 || t.CostUSD > 0 {
		c.Emit(event.Event{Type: event.Usage, Tokens: &t})
	}
	c.finish(ended(r.StopReason))
}

// fail ends a turn that could not begin.
func (c *Client) fail(kind event.Kind, message string) {
	c.finish(event.Event{IsError: true, Kind: kind, Result: message})
}

// finish is the end, and asks for an answer that comes after all that is to come:
// some agents answer a prompt before they have sent all of it.
func (c *Client) finish(e event.Event) {
	if c.finished {
		return
	}
	c.questions.dismiss()
	e.Type = event.Finished
	c.finished, c.last = true, &e
	if c.session == "" { // nothing has begun that could go on
		c.End()
		return
	}
	c.Call("_ripple/done", map[string]any{"sessionId": c.session}, func(rpc.Message) { c.End() })
}

// End reports how the turn ended, as far as that is known, when the agent has ended or its
// time is over.
func (c *Client) End() {
	c.questions.dismiss()
	c.flushed = true
	if last := c.last; last != nil {
		c.last = nil // if Emit panics, the end is not reported again
		c.calls.announceAll(c)
		c.Emit(*last)
	}
}

// Cancel asks the agent to end the turn.
func (c *Client) Cancel() {
	if c.cancelled || c.finished {
		return
	}
	c.cancelled = true
	c.questions.dismiss()
	if c.prompted {
		c.Notify("session/cancel", map[string]any{"sessionId": c.session})
	}
}

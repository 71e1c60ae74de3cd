package rpc

import "encoding/json"

// Conn is one end of a connection: the requests sent and their responses. One goroutine
// uses it at a time.
type Conn struct {
	Send func(line []byte)

	sent    int64
	waiting map[int64]func(Message) // requests that have no answer
	method  string                  // of the last one
}

// Waits returns the method of the request that has no response; empty if there is none.
func (c *Conn) Waits() string {
	if len(c.waiting) == 0 {
		return ""
	}
	return c.method
}

// Method returns the method of the last request sent; empty if there is none.
func (c *Conn) Method() string { return c.method }

// Response handles a response to a request that was sent. It returns false for a response
// that nobody waits for, or that is repeated.
func (c *Conn) Response(m Message) bool {
	var id int64
	if json.Unmarshal(m.ID, &id) != nil {
		return false
	}
	then, known := c.waiting[id]
	delete(c.waiting, id)
	if known {
		then(m)
	}
	return known
}

// Call sends a request; then gets the answer.
func (c *Conn) Call(method string, params any, then func(Message)) (id int64) {
	if c.waiting == nil {
		c.waiting = map[int64]func(Message){}
	}
	c.sent++
	c.waiting[c.sent], c.method = then, method
	c.Send(Encode(request{"2.0", c.sent, method, params}))
	return c.sent
}

// Withdraw takes a request back, unless it has its answer
// (https://agentclientprotocol.com/protocol/v1/cancellation). It gets one all the same,
// which may be another than that it was taken back: both are on their way at once.
func (c *Conn) Withdraw(id int64) {
	if _, waits := c.waiting[id]; waits {
		c.Notify("$/cancel_request", map[string]any{"requestId": id})
	}
}

// Notify sends what wants no answer.
func (c *Conn) Notify(method string, params any) {
	c.Send(Encode(request{"2.0", 0, method, params}))
}

// Refuse answers a request with an error.
func (c *Conn) Refuse(id json.RawMessage, code int, message string) {
	c.Fail(id, &Error{Code: code, Message: message})
}

// Fail is Refuse with the data of an error.
func (c *Conn) Fail(id json.RawMessage, e *Error) {
	c.Send(Encode(response{JSONRPC: "2.0", ID: id, Error: e}))
}

// Reply answers a request.
func (c *Conn) Reply(id json.RawMessage, result any) {
	c.Send(Encode(response{JSONRPC: "2.0", ID: id, Result: result}))
}

package acp

import "encoding/json"

// conn is our end of the connection: requests of ours and their answers.
type conn struct {
	send    func(line []byte)
	sent    int64
	waiting map[int64]func(message) // requests that have no answer
	method  string                  // of the last one
}

// Waits is the method of the agent's that has no answer; empty for none.
func (c *conn) Waits() string {
	if len(c.waiting) == 0 {
		return ""
	}
	return c.method
}

// response takes an answer to a request of ours. One that nobody waits for, or that
// comes again, is no message.
func (c *conn) response(m message) bool {
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

func (c *conn) call(method string, params any, then func(message)) {
	c.sent++
	c.waiting[c.sent], c.method = then, method
	c.send(encode(request{"2.0", c.sent, method, params}))
}

func (c *conn) notify(method string, params any) {
	c.send(encode(request{"2.0", 0, method, params}))
}

func (c *conn) refuse(id json.RawMessage, code int, message string) {
	c.send(encode(response{JSONRPC: "2.0", ID: id, Error: map[string]any{"code": code, "message": message}}))
}

func (c *conn) reply(id json.RawMessage, result any) {
	c.send(encode(response{JSONRPC: "2.0", ID: id, Result: result}))
}

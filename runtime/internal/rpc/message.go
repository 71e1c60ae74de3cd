// Package rpc implements JSON-RPC 2.0 (https://www.jsonrpc.org/specification) over lines
// of text, as the Agent Client Protocol uses it: Message is a line, Lines splits a stream
// into lines of bounded length, Conn is one end of a connection.
package rpc

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
)

// Codes of errors, of JSON-RPC 2.0 and of the Agent Client Protocol
// (https://agentclientprotocol.com/protocol/v1/schema#errorcode).
const (
	CodeNoJSON    = -32700
	CodeNoRequest = -32600
	CodeNoMethod  = -32601
	CodeBadParams = -32602
	CodeInternal  = -32603
	CodeCancelled = -32800
	CodeLogin     = -32000
	CodeNotFound  = -32002
)

// Message is a request, a notification or a response.
type Message struct {
	Version json.RawMessage `json:"jsonrpc"` // "2.0"; not everybody says so
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *Error          `json:"error"`
}

func (m Message) hasID() bool { return len(m.ID) > 0 && string(m.ID) != "null" }

// IsRequest reports whether the message expects an answer.
func (m Message) IsRequest() bool { return m.Method != "" && m.hasID() }

// IsResponse reports whether the message is an answer.
func (m Message) IsResponse() bool {
	return m.Method == "" && m.hasID() && (m.Error != nil || m.Result != nil)
}

// Error is what is answered instead of a result.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Text is the message with what the data says about it: agents put the cause there.
func (e *Error) Text() string {
	var data struct {
		Details string `json:"details"`
		Message string `json:"message"`
		Error   any    `json:"error"` // a text, or of some other form, which is left out
	}
	said := ""
	if json.Unmarshal(e.Data, &said) != nil && json.Unmarshal(e.Data, &data) == nil {
		text, _ := data.Error.(string) // see above
		said = cmp.Or(data.Details, data.Message, text)
	}
	switch {
	case said == "" || said == e.Message:
		return e.Message
	case e.Message == "":
		return said
	}
	return e.Message + ": " + said
}

// Parse reads a line; ok is false if it is not a message.
func Parse(line []byte) (m Message, ok bool) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &m) != nil {
		return Message{}, false
	}
	return m, m.Method != "" || m.IsResponse()
}

// IsList reports whether a line is a list of messages, which JSON-RPC allows and the Agent Client
// Protocol does not.
func IsList(line []byte) bool {
	var list []struct{ Method, JSONRPC string }
	return json.Unmarshal(line, &list) == nil && len(list) > 0 && list[0].JSONRPC != ""
}

// IDOf returns the id of a line that is not a message, or of the beginning of one that is
// too long; NoID if it cannot be read.
func IDOf(line []byte) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(line))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return NoID
	}
	for d.More() {
		key, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return NoID
		}
		if key == "id" && value[0] != '{' && value[0] != '[' {
			return value
		}
	}
	return NoID
}

// NoID is the id in the answer to what has none.
var NoID = json.RawMessage("null")

// request is a request to be sent; ID 0 makes it a notification.
type request struct {
	JSONRPC string `json:"jsonrpc"`
	ID      int64  `json:"id,omitempty"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

// response is our answer to a request.
type response struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Encode is a line, with its end. v is made of what always has a JSON form.
func Encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("rpc: a message has no JSON form: %v", err)) // made of strings and numbers alone
	}
	return b.Bytes()
}

// Package acp is a client of the Agent Client Protocol, version 1
// (https://agentclientprotocol.com, schema 1.x): the part that decides, without a
// process and without a clock.
//
// A Client gets each line that an agent prints (Line), the answers to what the
// agent asked (Answer), and says what to write to it and which events happened
// (Calls). It opens a connection, begins or continues one session, and gives it
// one prompt; the prompt's answer is the end (Finished event). What it does not
// know becomes an event of type unknown and is kept. Nothing that an agent prints
// makes it fail, grow without bounds or answer twice.
//
// Version 2 of the protocol, a draft, in which a prompt's answer does not end the
// turn, is refused by name.
package acp

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Version is the version of the protocol that is spoken.
const Version = 1

// Codes of errors, of JSON-RPC 2.0 and of the protocol
// (https://agentclientprotocol.com/protocol/v1/schema#errorcode).
const (
	codeNoMethod  = -32601
	codeCancelled = -32800
	codeLogin     = -32000
	codeNotFound  = -32002
)

// message is a line of JSON-RPC 2.0 (https://www.jsonrpc.org/specification): a
// request, a notification or a response.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *remoteError    `json:"error"`
}

func (m message) hasID() bool     { return len(m.ID) > 0 && string(m.ID) != "null" }
func (m message) isRequest() bool { return m.Method != "" && m.hasID() }
func (m message) isResponse() bool {
	return m.Method == "" && m.hasID() && (m.Error != nil || m.Result != nil)
}

// remoteError is what the agent answers instead of a result.
type remoteError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// text is the message with what the data says about it: agents put the cause there.
func (e *remoteError) text() string {
	var data struct {
		Details string `json:"details"`
		Message string `json:"message"`
	}
	said := ""
	if json.Unmarshal(e.Data, &said) != nil && json.Unmarshal(e.Data, &data) == nil {
		said = data.Details
		if said == "" {
			said = data.Message
		}
	}
	switch {
	case said == "" || said == e.Message:
		return e.Message
	case e.Message == "":
		return said
	}
	return e.Message + ": " + said
}

// parse reads a line; false for what is no message.
func parse(line []byte) (m message, ok bool) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &m) != nil {
		return message{}, false
	}
	return m, m.Method != "" || m.isResponse()
}

// request is a request of ours; ID 0 makes a notification of it.
type request struct {
	JSONRPC string `json:"jsonrpc"`
	ID      int64  `json:"id,omitempty"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

// response is our answer to a request of the agent's.
type response struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   any             `json:"error,omitempty"`
}

// encode is a line, with its end.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("acp: a message of ours has no JSON form: %v", err)) // made of strings and numbers alone
	}
	return b.Bytes()
}

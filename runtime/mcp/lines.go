package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Codes of JSON-RPC errors (https://www.jsonrpc.org/specification#error_object).
const (
	codeParse   = jsonrpc.CodeParseError
	codeInvalid = jsonrpc.CodeInvalidRequest
)

// maxLine is the maximum length of a client's message, in bytes; the SDK does not accept longer
// ones.
const maxLine = 15 << 20

// errLongLine reports a message that was skipped.
var errLongLine = fmt.Errorf("a message of more than %d MB", maxLine>>20)

// readLine reads a line without its line end. It may return a last line together with an error.
func readLine(in *bufio.Reader) (line []byte, err error) {
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long && err == nil:
			return nil, errLongLine
		default:
			return bytes.TrimRight(line, "\r\n"), err
		}
	}
}

// refusal is the answer to an invalid line.
type refusal struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"` // null: unknown
	Error   struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func refusalOf(id json.RawMessage, code int, err error) *refusal {
	r := &refusal{Version: "2.0", ID: id}
	if r.ID == nil {
		r.ID = json.RawMessage("null")
	}
	r.Error.Code, r.Error.Message = code, clean(err.Error())
	return r
}

// lastBatches is the last version of the protocol with batches.
const lastBatches = "2025-03-26"

// check returns a refusal if a line is invalid, or nil. version is that of the protocol, once it
// has been negotiated.
func check(line []byte, version string) *refusal {
	if !json.Valid(line) {
		return refusalOf(nil, codeParse, errors.New("the line is not JSON"))
	}
	var batch []json.RawMessage
	if bytes.TrimSpace(line)[0] != '[' {
		batch = []json.RawMessage{line}
	} else if err := json.Unmarshal(line, &batch); err != nil || len(batch) == 0 || version == "" || version > lastBatches {
		return refusalOf(nil, codeInvalid, errors.New("a batch: this version of the protocol has one message per line"))
	}
	seen := map[any]bool{}
	for _, one := range batch {
		_, err := jsonrpc.DecodeMessage(one)
		var m message
		if shape := json.Unmarshal(one, &m); err == nil {
			err = shape
		}
		id := idKey(m.ID)
		if err == nil && id != nil && seen[id] {
			err = fmt.Errorf("two messages of a batch have the id %s", m.ID)
		}
		if seen[id] = true; err != nil {
			return refusalOf(idOf(m.ID), codeInvalid, fmt.Errorf("the line is not a JSON-RPC 2.0 message: %w", err))
		}
	}
	return nil
}

// idOf returns an ID in the form of an answer: a string or a number.
func idOf(id json.RawMessage) json.RawMessage {
	if len(id) == 0 || id[0] == '{' || id[0] == '[' || id[0] == 't' || id[0] == 'f' {
		return nil
	}
	return id
}

// idKey returns an ID in the normal form of the SDK, an int64 or a string; nil if there is none.
func idKey(id json.RawMessage) any {
	var v any
	if json.Unmarshal(id, &v) != nil {
		return nil
	}
	made, err := jsonrpc.MakeID(v)
	if err != nil {
		return nil
	}
	return made.Raw()
}

// agreed returns the negotiated version of the protocol; empty if not negotiated yet.
func (f *flight) agreed() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.version
}

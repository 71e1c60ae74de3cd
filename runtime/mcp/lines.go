package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

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

// line returns the refusal as it is sent.
func (r *refusal) line() []byte {
	line, _ := json.Marshal(r) // it consists of valid JSON and text
	return line
}

// lastBatches is the last version of the protocol with batches.
const lastBatches = "2025-03-26"

// accept returns the messages of a line to pass to the SDK, and the line to answer at once, if any.
func (f *flight) accept(line []byte) (accepted []json.RawMessage, refused []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !json.Valid(line) {
		return nil, refusalOf(nil, codeParse, errors.New("the line is not JSON")).line()
	}
	if !isBatch(line) {
		if _, r := f.check(line); r != nil {
			return nil, r.line()
		}
		return []json.RawMessage{line}, nil
	}
	if f.version == "" || f.version > lastBatches {
		return nil, refusalOf(nil, codeInvalid, errors.New("a batch: this version of the protocol has one message per line")).line()
	}
	messages, err := messagesOf(line)
	if err != nil {
		return nil, refusalOf(nil, codeInvalid, err).line()
	}
	return f.split(messages)
}

// check returns the ID of a message if it is a call. If it is invalid, or has the ID of another call
// without an answer, it returns a refusal, in the latter case without an ID: the client would take it
// for the answer to the other call. The caller holds the lock.
func (f *flight) check(one []byte) (id any, r *refusal) {
	m, err := jsonrpc.DecodeMessage(one)
	if err != nil {
		var spelled struct {
			ID json.RawMessage `json:"id"`
		}
		_ = json.Unmarshal(one, &spelled) // without an ID if it is not an object
		return nil, refusalOf(idOf(spelled.ID), codeInvalid, fmt.Errorf("this is not a JSON-RPC 2.0 message: %w", err))
	}
	id = callID(m)
	if r := wrongNumber(one, id); r != nil {
		return nil, r
	}
	if id != nil && f.isOpen(id) {
		return nil, refusalOf(nil, codeInvalid, fmt.Errorf("a call with the id %v has no answer yet", id))
	}
	return id, nil
}

// maxID is the first integer from which on some have no exact float64, as which the SDK reads IDs.
const maxID = 1 << 53

// wrongNumber refuses a call with a number as its ID that the SDK would change, so that its answer would have another ID.
func wrongNumber(one []byte, id any) *refusal {
	if _, isNumber := id.(int64); !isNumber {
		return nil
	}
	var members map[string]json.RawMessage // exact names, as the SDK reads them
	_ = json.Unmarshal(one, &members)      // the SDK has accepted it
	n, err := strconv.ParseFloat(string(members["id"]), 64)
	if err == nil && n == math.Trunc(n) && math.Abs(n) < maxID {
		return nil
	}
	return refusalOf(members["id"], codeInvalid, fmt.Errorf("the id %s cannot be used: it must be a string, or an integer below 2^53", members["id"]))
}

// isOpen reports whether a call with this ID has no answer yet. The caller holds the lock.
func (f *flight) isOpen(id any) bool {
	_, inFlight := f.calls[id]
	return inFlight || f.batches[id] != nil
}

// callID returns the ID of a call in the normal form of the SDK, an int64 or a string; nil if the
// message is not a call.
func callID(m jsonrpc.Message) any {
	if r, isRequest := m.(*jsonrpc.Request); isRequest {
		return r.ID.Raw()
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

package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// batch collects the answers to the calls of a JSON-RPC batch. The SDK receives them one by one, as
// if the client had sent each in a line: so they are limited, ordered and canceled like others.
type batch struct {
	ids     []any          // of the calls, by idKey
	open    int            // calls without an answer
	answers map[any][]byte // to send
}

// isBatch reports whether a valid line is a batch.
func isBatch(line []byte) bool { return bytes.TrimSpace(line)[0] == '[' }

// split returns the messages of a batch and expects their answers; it returns an error, and expects
// none, if a call has the ID of a call in flight.
func (f *flight) split(line []byte) ([]json.RawMessage, error) {
	var messages []json.RawMessage
	if err := json.Unmarshal(line, &messages); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	b := &batch{answers: map[any][]byte{}}
	for _, one := range messages {
		var m message
		if err := json.Unmarshal(one, &m); err != nil {
			return nil, err
		}
		id := idKey(m.ID)
		if m.Method == "" || id == nil {
			continue
		}
		if _, inFlight := f.calls[id]; inFlight {
			return nil, fmt.Errorf("a call with the id %s has no answer yet", m.ID)
		}
		b.ids = append(b.ids, id)
	}
	b.open = len(b.ids)
	for _, id := range b.ids {
		f.batches[id] = b
	}
	return messages, nil
}

// add takes the answer to a call, nil if the client expects none. After the last one it returns the
// answers in the order of the calls, or nil if there are none; before, it returns nil.
func (b *batch) add(id any, answer []byte) []byte {
	if answer != nil {
		b.answers[id] = bytes.Clone(answer)
	}
	if b.open--; b.open > 0 || len(b.answers) == 0 {
		return nil
	}
	line := []byte{'['}
	for _, id := range b.ids {
		if answer := b.answers[id]; answer != nil {
			if len(line) > 1 {
				line = append(line, ',')
			}
			line = append(line, answer...)
		}
	}
	return append(line, ']')
}

package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// maxBatch is the maximum number of messages in a batch. It is limited because the answers are kept in
// memory until the last one has arrived.
const maxBatch = 1024

// batch collects the answers to a JSON-RPC batch. The SDK receives its messages one by one, as if the
// client had sent each in a line: so calls are limited, ordered and canceled like others.
type batch struct {
	answers [][]byte    // in the order of the messages; nil: not there yet, or none expected
	place   map[any]int // index in answers, by callID
	open    int         // calls without an answer
}

// isBatch reports whether a valid line is a batch.
func isBatch(line []byte) bool { return bytes.TrimSpace(line)[0] == '[' }

// messagesOf returns the messages of a batch.
func messagesOf(line []byte) ([]json.RawMessage, error) {
	var messages []json.RawMessage
	if err := json.Unmarshal(line, &messages); err != nil {
		return nil, err
	}
	switch n := len(messages); {
	case n == 0:
		return nil, errors.New("the batch is empty")
	case n > maxBatch:
		return nil, fmt.Errorf("the batch has %d messages, but at most %d are accepted: send several batches", n, maxBatch)
	}
	return messages, nil
}

// split returns the messages of a batch that the SDK gets, and expects the answers to the calls among
// them. If it gets no call, refused is the line with the answers to the other messages. The caller
// holds the lock.
func (f *flight) split(messages []json.RawMessage) (accepted []json.RawMessage, refused []byte) {
	b := &batch{place: map[any]int{}}
	for _, one := range messages {
		id, r := f.check(one)
		if r != nil {
			b.answers = append(b.answers, r.line())
			continue
		}
		accepted = append(accepted, one)
		if id != nil {
			b.place[id], f.batches[id] = len(b.answers), b
			b.answers = append(b.answers, nil)
		}
	}
	b.open = len(b.place)
	return accepted, b.line()
}

// add records the answer to a call, nil if the client expects none, and returns the result of line.
func (b *batch) add(id any, answer []byte) []byte {
	b.answers[b.place[id]] = bytes.Clone(answer)
	b.open--
	return b.line()
}

// line returns the answers as one line after the last call was answered; nil before, or if there are
// none.
func (b *batch) line() []byte {
	if b.open > 0 {
		return nil
	}
	answers := slices.DeleteFunc(slices.Clone(b.answers), func(a []byte) bool { return a == nil })
	if len(answers) == 0 {
		return nil
	}
	return slices.Concat([]byte("["), bytes.Join(answers, []byte(",")), []byte("]"))
}

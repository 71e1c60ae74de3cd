package acp

import (
	"crypto/sha256"
	"encoding/json"

	"example.org/ripple/runtime/internal/rpc"
)

// maxAnswered is how many answers are kept for requests that may come again.
const maxAnswered = 1000

// repeats are the requests that ask something, by their ids. One that comes again, word
// by word, is the same question: it is asked once, and each copy gets the same answer.
type repeats struct {
	came    map[string]*came
	settled []string // ids that have their answer, the oldest first
}

// came is a request that came.
type came struct {
	sum    [sha256.Size]byte // of what it asks
	copies int               // without an answer, beside itself
	answer func()            // sends it; nil: it has none
}

// again handles a request with the id of an earlier one, and reports whether it is a
// repetition. A different request with the id of an open one is refused: an answer could
// not be assigned to one of the two.
func (c *questions) again(m rpc.Message) bool {
	id, sum := string(m.ID), sha256.Sum256(append(append([]byte(m.Method), 0), compact(m.Params)...))
	old := c.came[id]
	switch {
	case old == nil, old.answer != nil && old.sum != sum:
		c.came[id] = &came{sum: sum}
		return false
	case old.answer != nil:
		old.answer()
	case old.sum == sum:
		old.copies++
	default:
		c.Refuse(m.ID, rpc.CodeNoRequest, "the previous request with this ID is still open")
	}
	return true
}

// settle answers a request, each time that it came and will come.
func (c *questions) settle(id json.RawMessage, answer func()) {
	r := c.came[string(id)]
	for range 1 + r.copies {
		answer()
	}
	if r.copies, r.answer = 0, answer; len(c.settled) >= maxAnswered {
		if oldest := c.settled[0]; c.came[oldest] != nil && c.came[oldest].answer != nil {
			delete(c.came, oldest)
		}
		c.settled = c.settled[1:]
	}
	c.settled = append(c.settled, string(id))
}

// reply settles a request with a result, refuse with an error.
func (c *questions) reply(id json.RawMessage, result any) {
	c.settle(id, func() { c.Reply(id, result) })
}

func (c *questions) refuse(id json.RawMessage, code int, message string) {
	c.settle(id, func() { c.Refuse(id, code, message) })
}

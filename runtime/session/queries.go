package session

import (
	"bytes"

	"ripple/schema"
)

// queries answers terminal queries (ECMA-48 DA1 and DSR) with constants. A
// reply never holds bytes that the program chose.
type queries struct {
	enabled bool
	da1     bool
	dsr     bool
	carry   []byte // the end of the last read, where a query may begin
}

var (
	queryDA1    = [][]byte{[]byte("\x1b[c"), []byte("\x1b[0c")}
	queryStatus = []byte("\x1b[5n")
	queryCursor = []byte("\x1b[6n")
)

const longestQuery = 4

func newQueries(replies []schema.TTYReply) queries {
	q := queries{enabled: len(replies) > 0}
	for _, r := range replies {
		q.da1 = q.da1 || r == schema.ReplyDA1
		q.dsr = q.dsr || r == schema.ReplyDSR
	}
	return q
}

// answerQueries replies to the queries in b, but only to a program that reads
// keys itself: while the terminal is in its line mode a reply would end up as
// the beginning of the next command.
func (d *driver) answerQueries(b []byte) {
	q := &d.queries
	if !q.enabled || (len(q.carry) == 0 && bytes.IndexByte(b, 0x1b) < 0) {
		return
	}
	seen := append(q.carry, b...)
	reply := q.replies(seen)
	if i := bytes.LastIndexByte(seen, 0x1b); i >= 0 && len(seen)-i < longestQuery && !bytes.HasPrefix(seen[i:], queryDA1[0]) {
		q.carry = append([]byte(nil), seen[i:]...)
	} else {
		q.carry = nil
	}
	if reply == "" {
		return
	}
	if _, canonical, err := d.tty.Flags(); err == nil && !canonical {
		d.send(reply)
	}
}

// replies are the answers to all complete queries in b, in their order.
func (q *queries) replies(b []byte) string {
	out := ""
	for {
		i := bytes.IndexByte(b, 0x1b)
		if i < 0 {
			return out
		}
		b = b[i:]
		switch {
		case q.da1 && (bytes.HasPrefix(b, queryDA1[0]) || bytes.HasPrefix(b, queryDA1[1])):
			out += "\x1b[?62;22c" // a VT220 with colour
		case q.dsr && bytes.HasPrefix(b, queryStatus):
			out += "\x1b[0n"
		case q.dsr && bytes.HasPrefix(b, queryCursor):
			out += "\x1b[1;1R"
		}
		b = b[1:]
	}
}

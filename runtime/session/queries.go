package session

import (
	"bytes"

	"ripple/runtime/session/internal/machine"
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

// longestWait bounds what may come between a query and its answer.
const longestWait = 4 << 10

// answerQueries replies to the queries in b, but only to a program that reads
// keys itself: while the terminal is in its line mode a reply would end up as
// the beginning of the next command. So it would when whoever asked has ended and
// the program's line editor reads: what a command asked is not answered any more
// when the next prompt is there, or may be in what is still to be read.
func (d *driver) answerQueries(b []byte) {
	q := &d.queries
	if !q.enabled || (len(q.carry) == 0 && bytes.IndexByte(b, 0x1b) < 0) {
		return
	}
	seen := append(q.carry, b...)
	q.carry = nil
	runs := d.state.Step == machine.StepRunning && !d.state.SawD
	if i := bytes.LastIndex(seen, []byte(d.plan.Values["nonce"])); runs && d.prog.prompts.markers != nil && i >= 0 {
		seen = seen[i:]
	}
	if i := bytes.LastIndexByte(seen, 0x1b); i >= 0 && len(seen)-i < longestQuery && !bytes.HasPrefix(seen[i:], queryDA1[0]) {
		q.carry = append([]byte(nil), seen[i:]...)
	}
	reply := q.replies(seen)
	if reply == "" {
		return
	}
	_, canonical, err := d.tty.Flags()
	switch {
	case err != nil || canonical:
	case runs && len(seen) < longestWait && d.tty.Readable(d.received):
		q.carry = append([]byte(nil), seen...)
	default:
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

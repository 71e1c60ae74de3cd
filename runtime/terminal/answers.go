package terminal

import (
	"bytes"
	"fmt"

	"ripple/runtime/internal/vt"
	"ripple/schema"
)

// answers finds the queries in a program's output and keeps those that have no
// answer yet.
type answers struct {
	da1, dsr bool
	parser   vt.Parser
	fed      int64 // bytes that the parser got
	emitted  int64 // bytes of its tokens
	missed   int64 // bytes that passed it by: it was between sequences and they were text
	open     []query
	since    []byte // output since the end of the first of them

	cursor func(end int64) (row, col int) // its place after that many bytes, from 1
	take   func(*vt.Token)                // made once, so that a read allocates nothing
	chunk  []byte                         // what the parser gets now
	begin  int64                          // its offset in the stream
}

// query is one that has no answer yet.
type query struct {
	reply string
	end   int64 // its offset in the stream
}

const (
	// longestWait bounds what may come between a query and its answer, in bytes.
	longestWait = 4 << 10
	// mostUnread is how much may be queued for a program that goes on asking and
	// does not read, in bytes.
	mostUnread = 16 << 10
)

func newAnswers(replies []schema.TTYReply, cursor func(end int64) (row, col int)) *answers {
	a := &answers{parser: vt.Parser{SevenBit: true}, cursor: cursor}
	a.take = a.token
	for _, r := range replies {
		a.da1 = a.da1 || r == schema.ReplyDA1
		a.dsr = a.dsr || r == schema.ReplyDSR
	}
	return a
}

// feed notes the queries in b.
func (a *answers) feed(b []byte) {
	if !a.da1 && !a.dsr {
		return
	}
	if len(a.open) > 0 {
		a.since = append(a.since, b...)
	}
	if a.fed == a.emitted && bytes.IndexByte(b, 0x1b) < 0 {
		a.missed += int64(len(b))
		return
	}
	a.chunk, a.begin = b, a.fed+a.missed
	a.fed += int64(len(b))
	a.parser.Feed(b, a.take)
	a.chunk = nil
}

func (a *answers) token(t *vt.Token) {
	if t.Inside {
		return
	}
	a.emitted += int64(len(t.Raw))
	end := a.emitted + a.missed
	reply := a.reply(t, end)
	if reply == "" {
		return
	}
	if len(a.open) == 0 {
		a.since = append(a.since[:0], a.chunk[end-a.begin:]...)
	}
	a.open = append(a.open, query{reply, end})
}

// reply is the answer to a token that ends there, empty when it is no query
// (ECMA-48 DA, DSR).
func (a *answers) reply(t *vt.Token, end int64) string {
	if t.Kind != vt.CSI || t.Prefix != 0 || t.Inter[0] != 0 || t.Params.Len() > 1 || len(t.Params.Sub(0)) > 0 {
		return ""
	}
	switch n := t.Params.Get(0); {
	case a.da1 && t.Final == 'c' && n == 0:
		return "\x1b[?62;22c" // a VT220 with colour
	case a.dsr && t.Final == 'n' && n == 5:
		return "\x1b[0n"
	case a.dsr && t.Final == 'n' && n == 6:
		row, col := a.cursor(end)
		return fmt.Sprintf("\x1b[%d;%dR", row, col)
	}
	return ""
}

// waiting drops the queries whose senders have gone and returns the replies to
// the others.
func (a *answers) waiting(gone func([]byte) bool) (reply string) {
	if len(a.open) == 0 {
		return ""
	}
	first, kept := a.open[0].end, a.open[:0]
	for _, q := range a.open {
		if gone == nil || !gone(a.since[q.end-first:]) {
			kept = append(kept, q)
			reply += q.reply
		}
	}
	if len(kept) > 0 {
		a.since = a.since[kept[0].end-first:]
	}
	a.open = kept
	return reply
}

// answer replies to what was asked, but only to a program that reads keys itself:
// while the terminal is in its line mode a reply would end up as the beginning of
// the next command. So it would when whoever asked has ended and the program's line
// editor reads: while there is output to be read, which may tell that, it waits.
func (t *Terminal) answer(taken int64) {
	a := t.answers
	reply := a.waiting(t.options.Gone)
	if reply == "" {
		return
	}
	modes, err := t.tty.Modes()
	switch {
	case err != nil || modes.Canonical() || t.Queued() > mostUnread:
	case len(a.since) < longestWait && t.tty.Readable(taken):
		return
	default:
		_, _ = t.Write([]byte(reply)) // the program has ended
	}
	a.open, a.since = a.open[:0], a.since[:0]
}

package terminal

import (
	"bytes"
	"fmt"

	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/internal/fault"
	"example.org/ripple/schema"
)

// answers finds the queries in a program's output and keeps those without a reply so far.
type answers struct {
	da1, dsr bool
	parser   vt.Parser
	fed      int64 // bytes passed to the parser
	emitted  int64 // bytes of its tokens
	skipped  int64 // bytes not passed to the parser: it was between sequences and they were text
	open     []query
	since    []byte // output since the end of the first open query

	cursor   func(end int64) (row, col int) // the cursor's position after that many bytes, from 1
	clusters func(end int64) bool           // mode 2027 at that position; nil: its initial value
	handle   func(*vt.Token)                // bound once, so that a read allocates nothing
	chunk    []byte                         // the parser's current input
	begin    int64                          // its offset in the stream
	fault    func(fault.Fault)
}

// query is a query without a reply so far.
type query struct {
	reply string
	end   int64 // its offset in the stream
}

const (
	// longestWait bounds the output between a query and its reply, in bytes.
	longestWait = 4 << 10
	// mostUnread bounds the input queued for a program that keeps sending queries and does not
	// read, in bytes.
	mostUnread = 16 << 10
)

func newAnswers(replies []schema.TTYReply, cursor func(end int64) (row, col int)) *answers {
	a := &answers{parser: vt.Parser{SevenBit: true}, cursor: cursor}
	a.handle = a.token
	for _, r := range replies {
		a.da1 = a.da1 || r == schema.ReplyDA1
		a.dsr = a.dsr || r == schema.ReplyDSR
	}
	return a
}

// feed records the queries in b.
func (a *answers) feed(b []byte) {
	if !a.da1 && !a.dsr {
		return
	}
	if len(a.open) > 0 {
		a.since = append(a.since, b...)
	}
	if a.fed == a.emitted && bytes.IndexByte(b, 0x1b) < 0 {
		a.skipped += int64(len(b))
		return
	}
	a.chunk, a.begin = b, a.fed+a.skipped
	a.fed += int64(len(b))
	a.parse(b)
	a.chunk = nil
}

// passOver counts text on the screen that the program did not print.
func (a *answers) passOver(text []byte) {
	a.skipped += int64(len(text))
	if len(a.open) > 0 {
		a.since = append(a.since, text...)
	}
}

// parse finds the queries in b. After a panic no query so far gets an answer.
func (a *answers) parse(b []byte) {
	if caught := fault.Catch("looking for queries", b, func() { a.parser.Feed(b, a.handle) }); caught != nil {
		a.parser = vt.Parser{SevenBit: true}
		a.emitted = a.fed
		a.open, a.since = a.open[:0], a.since[:0]
		a.fault(*caught)
	}
}

func (a *answers) token(t *vt.Token) {
	if t.Inside {
		return
	}
	a.emitted += int64(len(t.Raw))
	end := a.emitted + a.skipped
	reply := a.reply(t, end)
	if reply == "" {
		return
	}
	if len(a.open) == 0 {
		a.since = append(a.since[:0], a.chunk[end-a.begin:]...)
	}
	a.open = append(a.open, query{reply, end})
}

// reply returns the answer to a token that ends at end; it is empty if the token is not a
// query (ECMA-48 DA, DSR; DECRQM of mode 2027, which programs request together with DA).
func (a *answers) reply(t *vt.Token, end int64) string {
	if a.da1 && t.Kind == vt.CSI && t.Prefix == '?' && t.Inter == [2]byte{'$'} && t.Final == 'p' && t.Params.Len() == 1 && t.Params.Get(0) == 2027 {
		if a.clusters == nil || a.clusters(end) {
			return "\x1b[?2027;1$y"
		}
		return "\x1b[?2027;2$y"
	}
	if t.Kind != vt.CSI || t.Prefix != 0 || t.Inter[0] != 0 || t.Params.Len() > 1 || len(t.Params.Sub(0)) > 0 {
		return ""
	}
	switch n := t.Params.Get(0); {
	case a.da1 && t.Final == 'c' && n == 0:
		return "\x1b[?62;22c" // a VT220 with color
	case a.dsr && t.Final == 'n' && n == 5:
		return "\x1b[0n"
	case a.dsr && t.Final == 'n' && n == 6:
		row, col := a.cursor(end)
		return fmt.Sprintf("\x1b[%d;%dR", row, col)
	}
	return ""
}

// waiting drops the queries whose senders have gone and returns the replies to the others.
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

// answer replies to queries, but only to a program that reads keys itself: while the
// terminal is in line mode, a reply would become the beginning of the next command. The
// same happens if the program that asked has ended and a line editor reads; so answer
// waits while there is unread output, which may show that.
func (t *Terminal) answer(taken int64) {
	a := t.answers
	if len(a.open) == 0 {
		return
	}
	reply := a.waiting(func(since []byte) bool {
		return t.options.QueryAbandoned != nil && t.options.QueryAbandoned(since, taken)
	})
	if reply == "" {
		return
	}
	modes, err := t.tty.Modes()
	switch {
	case err != nil || modes.Canonical() || t.Queued() > mostUnread:
	case len(a.since) < longestWait && t.tty.Readable(taken):
		return
	default:
		_, _ = t.Write([]byte(reply)) // an error means that the program has ended
	}
	a.open, a.since = a.open[:0], a.since[:0]
}

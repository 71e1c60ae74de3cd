package terminal

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"time"

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
	open     []openQuery
	since    []byte // output since the end of the first open query

	cursor   func(end int64) (row, col int) // the cursor's position after that many bytes, from 1
	clusters func(end int64) bool           // mode 2027 at that position; nil: its initial value
	handle   func(*vt.Token)                // bound once, so that a read allocates nothing
	chunk    []byte                         // the parser's current input
	begin    int64                          // its offset in the stream
	fault    func(fault.Fault)
}

// openQuery is a query without a reply so far.
type openQuery struct {
	reply string
	end   int64 // its offset in the stream
	at    time.Time
	again bool // it was undecided before
}

const (
	// longestWait bounds the output between a query and its reply, in bytes.
	longestWait = 4 << 10
	// longestUndecided is such a bound for a query that is undecided, in bytes: its sender may have ended, and a program's line
	// editor would read the reply. A terminal buffers less output than that.
	longestUndecided = 128 << 10
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
	a.open = append(a.open, openQuery{reply: reply, end: end, at: time.Now()})
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

// Query is a query without a reply so far.
type Query struct {
	Since []byte        // the output after it
	Age   time.Duration // the time since it was read
	Again bool          // the verdict was QueryUndecided before
}

// QueryVerdict says whether the sender of a query waits for the answer.
type QueryVerdict int

const (
	QueryWaits     QueryVerdict = iota // it does
	QueryAbandoned                     // it does not
	QueryUndecided                     // it is not known yet
)

// unanswered is a copy of the queries without a reply.
type unanswered struct {
	open  []openQuery
	since []byte
	taken int64 // bytes read up to there
}

// judged divides queries: the sender of those before first do not wait, those from last on are undecided, and reply is the answer to
// the others.
type judged struct {
	first, last int
	reply       string
}

// judge decides about the queries.
func (u *unanswered) judge(verdict func(Query) QueryVerdict) (j judged) {
	now := time.Now()
	for i, q := range u.open {
		v, since := QueryWaits, u.since[q.end-u.open[0].end:]
		if verdict != nil {
			v = verdict(Query{Since: since, Age: now.Sub(q.at), Again: q.again})
		}
		switch v {
		case QueryAbandoned:
			j = judged{first: i + 1}
		case QueryUndecided:
			if len(since) < longestUndecided {
				return j
			}
			j.reply += q.reply
		case QueryWaits:
			j.reply += q.reply
		}
		j.last = i + 1
	}
	return j
}

// copied returns a copy of the queries without a reply.
func (a *answers) copied(taken int64) unanswered {
	return unanswered{slices.Clone(a.open), bytes.Clone(a.since), taken}
}

// drop removes the first n of the queries in u.
func (a *answers) drop(u *unanswered, n int) {
	if n == 0 || len(a.open) < n || a.open[0].end != u.open[0].end { // a panic has removed them
		return
	}
	from := a.open[0].end
	if a.open = slices.Delete(a.open, 0, n); len(a.open) > 0 {
		a.since = a.since[a.open[0].end-from:]
	} else {
		a.since = a.since[:0]
	}
}

// judging orders decisions about queries.
type judging struct {
	mu    sync.Mutex // held while a decision is taken; taken before Terminal.mu
	later bool       // a goroutine answers queries that were undecided
}

// answer replies to queries, but only to a program that reads keys itself: while the
// terminal is in line mode, a reply would become the beginning of the next command. The
// same happens if the program that asked has ended and a line editor reads; so answer
// waits while there is unread output, which may show that.
func (t *Terminal) answer() {
	t.judging.mu.Lock()
	defer t.judging.mu.Unlock()
	if t.answerDecided() && !t.judging.later {
		t.judging.later = true
		go t.answerLater()
	}
}

// How often undecided queries are decided about without more output: nothing reports that a program begins to read.
const (
	firstLook   = 500 * time.Microsecond
	longestLook = 10 * time.Millisecond
)

// answerLater answers queries until none is undecided.
func (t *Terminal) answerLater() {
	timer := time.NewTimer(firstLook)
	defer timer.Stop()
	for gap := firstLook; ; gap = min(gap*2, longestLook) {
		timer.Reset(gap)
		select {
		case <-timer.C:
		case <-t.done:
			return
		}
		if !t.answerUndecided() {
			return
		}
	}
}

// answerUndecided answers queries that were undecided, and reports whether some still are.
func (t *Terminal) answerUndecided() bool {
	t.judging.mu.Lock()
	defer t.judging.mu.Unlock()
	t.judging.later = t.answerDecided()
	return t.judging.later
}

// answerDecided answers the queries that are decided, and reports whether others are not; judging.mu is held.
func (t *Terminal) answerDecided() (undecided bool) {
	t.mu.Lock()
	u := t.answers.copied(t.taken)
	t.mu.Unlock()
	if len(u.open) == 0 {
		return false
	}
	var verdict func(Query) QueryVerdict
	if t.options.JudgeQueries != nil {
		verdict = t.options.JudgeQueries(u.taken)
	}
	j := u.judge(verdict)
	if done := t.reply(&u, &j); !done {
		j.last = j.first
	} else if j.last < len(u.open) {
		undecided = true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answers.drop(&u, j.last)
	if undecided {
		for i := range min(len(u.open)-j.last, len(t.answers.open)) {
			t.answers.open[i].again = true
		}
	}
	return undecided
}

// reply sends the answer to queries whose senders wait, and reports whether nothing is left to do for them.
func (t *Terminal) reply(u *unanswered, j *judged) (done bool) {
	if j.reply == "" {
		return true
	}
	modes, err := t.tty.Modes()
	switch {
	case err != nil || modes.Canonical() || t.Queued() > mostUnread:
	case len(u.since)-int(u.open[j.first].end-u.open[0].end) < longestWait && t.tty.Readable(u.taken):
		return false
	default:
		_, _ = t.Write([]byte(j.reply)) // an error means that the program has ended
	}
	return true
}

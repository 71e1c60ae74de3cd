package probe

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/internal/prompt"
	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/terminal"
)

// ending is how the end of an answer was detected.
type ending string

const (
	waits ending = "it waits for input"             // reported by the kernel
	quiet ending = "it is quiet"                    // the kernel cannot tell, and no more output arrives
	busy  ending = "it keeps working"               // it neither waits nor ends
	ended ending = "it has ended"                   //
	never ending = "it was not asked: it has ended" // nothing could be sent
)

// reply is the program's reaction to input.
type reply struct {
	raw  []byte
	how  ending
	took time.Duration
}

// text returns the reply as a user sees it.
func (r reply) text() string { return prompt.Visible(r.raw) }

// last returns the line in which the program waits: its prompt, if it has one.
func (r reply) last() string {
	text := r.text()
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// body returns the text before that line.
func (r reply) body() string {
	text := r.text()
	return text[:strings.LastIndexByte(text, '\n')+1]
}

// idle reports whether the program accepts input now.
func (r reply) idle() bool { return r.how == waits || r.how == quiet }

// patience are the time limits for waits. The kernel's report ends nearly every wait earlier.
type patience struct {
	start  time.Duration // until the program's first wait
	late   time.Duration // after that, until its first prompt
	answer time.Duration // for the answer to a line
	quiet  time.Duration // silence that counts as waiting if the kernel cannot detect it
}

// talk is one run of the program, seen from its terminal.
type talk struct {
	term     *terminal.Terminal
	patience patience
	ran      chan struct{} // closed when all output was read

	mu    sync.Mutex
	fresh []byte // printed since the last reply
	read  int64
	at    time.Time // time of the last byte
}

// most is how much of one reply is kept, in bytes: its beginning and its end, which has the prompt.
const most = 256 << 10

func newTalk(c pty.Command, o terminal.Options, p patience) (*talk, error) {
	term, err := terminal.Start(c, o)
	if err != nil {
		return nil, err
	}
	t := &talk{term: term, patience: p, ran: make(chan struct{}), at: time.Now()}
	go func() {
		defer close(t.ran)
		_ = term.Run(t.collect) // an error shows as the program's end
	}()
	return t, nil
}

func (t *talk) collect(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.read, t.at = t.read+int64(len(b)), time.Now()
	t.fresh = append(t.fresh, b...)
	if len(t.fresh) > 2*most {
		t.fresh = append(t.fresh[:most], t.fresh[len(t.fresh)-most:]...)
	}
}

// awaitReply waits for the program's next wait for input.
func (t *talk) awaitReply(ctx context.Context, limit time.Duration) reply {
	return t.awaitWait(ctx, 0, limit)
}

// awaitMore waits for output that arrives although the program already waits, and for its wait after
// that. If nothing arrives within the limit, it returns before.
func (t *talk) awaitMore(ctx context.Context, before reply, limit time.Duration) reply {
	began := time.Now()
	late := time.NewTimer(limit)
	defer late.Stop()
	tick := time.NewTicker(16 * time.Millisecond) // output is processed a little later
	defer tick.Stop()
	for !t.hasFresh() {
		select {
		case <-t.ran:
			before.how = ended
			return before
		case <-tick.C:
		case <-late.C:
			return before
		case <-ctx.Done():
			return before
		}
	}
	r := t.awaitWait(ctx, 0, limit)
	r.raw, r.took = append(before.raw, r.raw...), before.took+time.Since(began)
	return r
}

func (t *talk) hasFresh() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.fresh) > 0
}

// send types text and waits until the program accepts input again.
func (t *talk) send(ctx context.Context, text string, limit time.Duration) reply {
	before := t.waitID()
	if _, err := t.term.Write([]byte(text)); err != nil {
		return reply{how: never}
	}
	return t.awaitWait(ctx, before, limit)
}

// waitID returns the ID of the program's current wait; 0: none is known.
func (t *talk) waitID() uint64 {
	if t.term.Readiness().State != pty.Waiting {
		return 0
	}
	return t.term.WaitID()
}

// awaitWait returns when the program is in another wait than before, has ended, or the limit is over.
func (t *talk) awaitWait(ctx context.Context, before uint64, limit time.Duration) reply {
	began := time.Now()
	late := time.NewTimer(limit)
	defer late.Stop()
	gap := time.Millisecond
	tick := time.NewTimer(gap)
	defer tick.Stop()
	var seen uint64
	for {
		printed := t.term.MoreOutput()
		how, id := t.poll(before, began)
		if how == waits && id == seen && id != 0 || how == quiet {
			return t.reply(how, began)
		}
		seen = id
		select {
		case <-t.ran:
			return t.reply(ended, began)
		case <-printed:
			seen = 0
		case <-tick.C:
			gap = min(2*gap, 16*time.Millisecond)
			tick.Reset(gap)
		case <-late.C:
			return t.reply(busy, began)
		case <-ctx.Done():
			return t.reply(busy, began)
		}
	}
}

// poll asks the kernel. A wait counts if it is seen twice without output in between.
func (t *talk) poll(before uint64, began time.Time) (ending, uint64) {
	t.mu.Lock()
	read, at, some, asks := t.read, t.at, len(t.fresh) > 0, endsInQuery(t.fresh)
	t.mu.Unlock()
	r := t.term.Readiness()
	if t.term.Queued() > 0 || t.term.Readable(read) {
		return busy, 0
	}
	if answered := r.State == pty.Waiting && time.Since(at) > t.patience.quiet/8; asks && !answered && time.Since(at) < t.patience.quiet {
		return busy, 0 // it waits for the terminal's answer, which was sent before the query is seen here
	}
	if r.State == pty.Waiting {
		if id := t.term.WaitID(); id != before && (some || time.Since(began) > 2*t.patience.quiet/10) {
			return waits, id
		}
		return busy, 0
	}
	if at.Before(began) {
		at = began
	}
	enough := t.patience.quiet
	switch {
	case !some:
		enough *= 3
	case r.Timed || r.Listens:
		enough /= 4 // it polls for input, among other things
	}
	// A program that it has started may be working while it polls.
	if (r.State == pty.Unknown || r.Listens && r.Place.PID == t.term.PID()) && r.Leader && time.Since(at) > enough {
		return quiet, 0
	}
	return busy, 0
}

// endsInQuery reports whether the last output of a program is a terminal query.
func endsInQuery(b []byte) bool {
	const longest = 64 // more than the length of a query and the text before it in one piece, in bytes
	asks := false
	var parser vt.Parser
	parser.Feed(b[max(0, len(b)-longest):], func(t *vt.Token) { asks = query(t) != "" })
	return asks
}

func (t *talk) reply(how ending, began time.Time) reply {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := reply{raw: t.fresh, how: how, took: time.Since(began)}
	t.fresh = nil
	return r
}

// exit describes how the program ended.
func (t *talk) exit() string {
	if code, signal := t.term.ExitStatus(); signal != "" {
		return "was ended by " + signal
	} else {
		return fmt.Sprintf("ended with exit code %d", code)
	}
}

// closeLimit is the time limit for ending a program.
const closeLimit = 10 * time.Second

// close ends the program and all its processes.
func (t *talk) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	return t.term.Close(ctx)
}

package probe

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"ripple/runtime/internal/prompt"
	"ripple/runtime/internal/vt"
	"ripple/runtime/pty"
	"ripple/runtime/terminal"
)

// ending says how an answer of the program came to its end.
type ending string

const (
	waits ending = "it waits for input"             // the kernel says so
	quiet ending = "it is quiet"                    // the kernel does not say, and nothing comes any more
	busy  ending = "it works on"                    // it neither waits nor ends
	ended ending = "it has ended"                   //
	never ending = "it was never asked: it is over" // nothing could be sent
)

// reply is what the program did with what it was sent.
type reply struct {
	raw  []byte
	how  ending
	took time.Duration
}

// text is what a person sees of it.
func (r reply) text() string { return prompt.Visible(r.raw) }

// last is the line in which the program waits: its prompt, if it has one.
func (r reply) last() string {
	text := r.text()
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// body is what stands before that line.
func (r reply) body() string {
	text := r.text()
	return text[:strings.LastIndexByte(text, '\n')+1]
}

// idle says that the program takes input now.
func (r reply) idle() bool { return r.how == waits || r.how == quiet }

// patience is how long what a program does is waited for. The kernel's word ends
// nearly every wait; these bound the others.
type patience struct {
	start  time.Duration // a program comes to its first wait
	late   time.Duration // after that, its first prompt is still on its way
	answer time.Duration // a line is worked on
	quiet  time.Duration // silence of a program of which the kernel does not say that it waits
}

// talk is one run of the program, seen from its terminal.
type talk struct {
	term     *terminal.Terminal
	patience patience
	ran      chan struct{} // closed when all was read

	mu    sync.Mutex
	fresh []byte // printed since the last reply
	read  int64
	at    time.Time // of the last byte
}

// most bounds what is kept of one reply, in bytes: the beginning says what it is, the end is the prompt.
const most = 256 << 10

func newTalk(c pty.Command, o terminal.Options, p patience) (*talk, error) {
	term, err := terminal.Start(c, o)
	if err != nil {
		return nil, err
	}
	t := &talk{term: term, patience: p, ran: make(chan struct{}), at: time.Now()}
	go func() {
		defer close(t.ran)
		_ = term.Run(t.take) // how it broke is seen as its end
	}()
	return t, nil
}

func (t *talk) take(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.read, t.at = t.read+int64(len(b)), time.Now()
	t.fresh = append(t.fresh, b...)
	if len(t.fresh) > 2*most {
		t.fresh = append(t.fresh[:most], t.fresh[len(t.fresh)-most:]...)
	}
}

// hear waits for the program's next wait for input.
func (t *talk) hear(ctx context.Context, limit time.Duration) reply {
	return t.listen(ctx, 0, limit)
}

// hearOn waits for output that comes although the program waits already, and for its wait
// after that. Nothing has come within the limit: the reply is that of before.
func (t *talk) hearOn(ctx context.Context, before reply, limit time.Duration) reply {
	began := time.Now()
	late := time.NewTimer(limit)
	defer late.Stop()
	tick := time.NewTicker(16 * time.Millisecond) // what is printed is taken a little later
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
	r := t.listen(ctx, 0, limit)
	r.raw, r.took = append(before.raw, r.raw...), before.took+time.Since(began)
	return r
}

func (t *talk) hasFresh() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.fresh) > 0
}

// say types text and waits until the program takes input again.
func (t *talk) say(ctx context.Context, text string, limit time.Duration) reply {
	before := t.waitID()
	if _, err := t.term.Write([]byte(text)); err != nil {
		return reply{how: never}
	}
	return t.listen(ctx, before, limit)
}

// waitID is in which wait the program is; 0: in none that can be told.
func (t *talk) waitID() uint64 {
	if t.term.Readiness().State != pty.Waiting {
		return 0
	}
	return t.term.WaitID()
}

// listen returns when the program waits in another wait than before, has ended, or the
// limit is over.
func (t *talk) listen(ctx context.Context, before uint64, limit time.Duration) reply {
	began := time.Now()
	late := time.NewTimer(limit)
	defer late.Stop()
	gap := time.Millisecond
	tick := time.NewTimer(gap)
	defer tick.Stop()
	var seen uint64
	for {
		printed := t.term.Printed()
		how, id := t.look(before, began)
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

// look asks the kernel. A wait is believed when it is seen twice without output between.
func (t *talk) look(before uint64, began time.Time) (ending, uint64) {
	t.mu.Lock()
	read, at, some, asks := t.read, t.at, len(t.fresh) > 0, endsInQuery(t.fresh)
	t.mu.Unlock()
	r := t.term.Readiness()
	if t.term.Queued() > 0 || t.term.Readable(read) {
		return busy, 0
	}
	if answered := r.State == pty.Waiting && time.Since(at) > t.patience.quiet/8; asks && !answered && time.Since(at) < t.patience.quiet {
		return busy, 0 // what it waits for is the terminal's answer, which has been given before its question is seen here
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
		enough /= 4 // it looks for input, among other things
	}
	// What it has started may work on while it listens.
	if (r.State == pty.Unknown || r.Listens && r.Place.PID == t.term.PID()) && r.Leader && time.Since(at) > enough {
		return quiet, 0
	}
	return busy, 0
}

// endsInQuery says whether a program asked the terminal something, and nothing since.
func endsInQuery(b []byte) bool {
	const longest = 64 // more than a query and what may stand before it in one piece, in bytes
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

// exit says how the program ended.
func (t *talk) exit() string {
	if code, signal := t.term.ExitStatus(); signal != "" {
		return "was ended by " + signal
	} else {
		return fmt.Sprintf("ended with exit code %d", code)
	}
}

// closeLimit bounds the end of a program that resists.
const closeLimit = 10 * time.Second

// close ends the program and all that it started.
func (t *talk) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	return t.term.Close(ctx)
}

package tui

import (
	"cmp"
	"time"

	"ripple/schema"
)

// watch decides when a state that is seen counts: when the program waits for input, or
// the state has been there for a time without another, in which the program had nothing
// to do. It is pure: time, and what the program does, are what it is told.
type watch struct {
	quiet time.Duration
	now   Sight
	since time.Time
	gap   time.Time // since when no rule has held; zero: one does
	from  Sight     // what was there when something was last typed
	typed time.Time // when that was
	moved bool      // something else has been seen since

	looked time.Time     // when works was last told
	busy   bool          // what it was told then
	lost   time.Duration // how much of the time since the state was there does not count
}

// longestWork is how much work of the program's holds up what its screen shows: something
// may work behind a prompt for ever.
const longestWork = 10 * time.Second

// see takes what is shown. A picture in which no rule holds may be half of one: it ends
// the state before it only when it stays.
func (w *watch) see(s Sight, at time.Time) {
	switch {
	case s.State != "":
		w.gap = time.Time{}
		if !s.equal(w.now) {
			w.since, w.lost = at, 0
		}
		w.now = s
		w.moved = w.moved || !s.equal(w.from)
	case w.gap.IsZero():
		w.gap = at
	}
}

// state is the state at a time, and whether it counts; if not, after which time without
// another picture there will be something else to say; 0: never.
func (w *watch) state(at time.Time) (s Sight, counts bool, in time.Duration) {
	if !w.gap.IsZero() {
		left := w.quiet - at.Sub(w.gap)
		if left <= 0 {
			w.now = Sight{}
		}
		return w.now, false, max(left, 0)
	}
	if w.now.State == "" {
		return w.now, false, 0
	}
	left := cmp.Or(w.now.quiet, w.quiet) - at.Sub(w.since)
	return w.now, left <= 0, max(left, 0)
}

// rests says that what the program does decides whether the state counts.
func (w *watch) rests() bool {
	return w.now.State != "" && w.now.State != schema.ScreenWorking && w.now.quiet == 0 && w.gap.IsZero()
}

// proven notes that the program waits for input: the state counts.
func (w *watch) proven() { w.since = time.Time{} }

// begins notes that something was typed: what has been seen is of the time before it.
func (w *watch) begins(at time.Time) {
	w.from, w.typed, w.since, w.moved, w.lost = w.now, at, at, false, 0
}

// works notes, at each look, whether the program has something to do: it runs, or waits
// for a processor. Then what it shows may be half of what it is about to show: it does not
// count now, and the time since the look before is not of its quiet time. Nor is all of
// that when we look late, for we may have waited for a processor, too.
func (w *watch) works(busy bool, at time.Time) {
	from, since := later(w.looked, w.since), w.since
	switch late := at.Sub(from) - 2*still; {
	case busy:
		since = later(since.Add(at.Sub(from)), at.Add(still-w.quiet))
	case w.busy:
		since = since.Add(at.Sub(from))
	case late > 0:
		since = since.Add(late)
	}
	if w.lost < longestWork {
		w.since, w.lost = since, w.lost+since.Sub(w.since)
	}
	w.looked, w.busy = at, busy
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

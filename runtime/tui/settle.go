package tui

import (
	"cmp"
	"time"
)

// watch decides when a state that is seen counts: when the program waits for input, or
// the state has been there for a time without another. It is pure: time is what it is
// told.
type watch struct {
	quiet time.Duration
	now   Sight
	since time.Time
	gap   time.Time // since when no rule has held; zero: one does
	from  Sight     // what was there when something was last typed
	typed time.Time // when that was
	moved bool      // something else has been seen since
}

// see takes what is shown. A picture in which no rule holds may be half of one: it ends
// the state before it only when it stays.
func (w *watch) see(s Sight, at time.Time) {
	switch {
	case s.State != "":
		w.gap = time.Time{}
		if !s.equal(w.now) {
			w.since = at
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

// proven notes that the program waits for input: the state counts.
func (w *watch) proven() { w.since = time.Time{} }

// begins notes that something was typed: what has been seen is of the time before it.
func (w *watch) begins(at time.Time) {
	w.from, w.typed, w.since, w.moved = w.now, at, at, false
}

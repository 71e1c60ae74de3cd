package tui

import (
	"cmp"
	"time"

	"example.org/ripple/schema"
)

// watch decides when a state on the screen counts: when the program waits for input, or
// when the state has been there for a time without another one, during which the program
// was idle. It is pure: the time and the program's activity are arguments.
type watch struct {
	quiet time.Duration
	now   Sight
	since time.Time
	gap   time.Time // since when no rule has held; zero: one does
	from  Sight     // the screen when keys were last typed
	typed time.Time // when that was
	moved bool      // something else has been seen since

	looked time.Time     // when works was last told
	busy   bool          // the last reported activity
	lost   time.Duration // how much of the time since the state was there does not count
}

// longestWork is the longest time for which a program's activity delays a state: something
// may work in the background forever.
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

// confirmed notes that the program waits for input: the state counts.
func (w *watch) confirmed() { w.since = time.Time{} }

// begins notes that keys were typed: earlier screens no longer count.
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

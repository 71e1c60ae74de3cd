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
	gap   time.Time // since when no rule has matched; zero: one matches
	from  Sight     // the screen when keys were last typed
	typed time.Time // when that was
	moved bool      // something else has been seen since

	looked time.Time     // when works was last called
	busy   bool          // the last reported activity
	lost   time.Duration // how much of the time since the state appeared does not count
}

// longestWork is the longest time for which a program's activity delays a state: something
// may work in the background forever.
const longestWork = 10 * time.Second

// see takes the state that is shown. A picture in which no rule matches may be incomplete: it ends
// the previous state only if it stays.
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

// state returns the state at a time, and whether it counts. If it does not count, in is the time
// without another picture after which the result changes; 0: never.
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

// rests reports whether the program's activity decides whether the state counts.
func (w *watch) rests() bool {
	return w.now.State != "" && w.now.State != schema.ScreenWorking && w.now.quiet == 0 && w.gap.IsZero()
}

// confirmed records that the program waits for input: the state counts.
func (w *watch) confirmed() { w.since = time.Time{} }

// begins records that keys were typed: earlier screens no longer count.
func (w *watch) begins(at time.Time) {
	w.from, w.typed, w.since, w.moved, w.lost = w.now, at, at, false, 0
}

// works records, at each look, whether the program runs or waits for a processor. If it does, its
// screen may be incomplete: the state does not count now, and the time since the previous look is
// not part of its quiet time. If the look is late, only part of that time counts in any case,
// because ripple may have waited for a processor, too.
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

package loop

import (
	"slices"
	"time"
)

// window counts the calls of the hour that ended just now. Attempts count,
// whatever becomes of them.
type window struct {
	Calls []time.Time `json:"calls"` // oldest first
}

const hour = time.Hour

// roll forgets calls older than an hour. A call in the future means that the
// clock went backwards: it counts as made now, so that it is forgotten in time.
func (w *window) roll(now time.Time) {
	for i, at := range w.Calls {
		if at.After(now) {
			w.Calls[i] = now
		}
	}
	slices.SortFunc(w.Calls, time.Time.Compare)
	w.Calls = slices.DeleteFunc(w.Calls, func(at time.Time) bool { return now.Sub(at) >= hour })
}

// wait is how long the next call must wait, 0 when it may be made now.
func (w *window) wait(limit int, now time.Time) time.Duration {
	w.roll(now)
	if len(w.Calls) < limit {
		return 0
	}
	return w.Calls[len(w.Calls)-limit].Add(hour).Sub(now)
}

// add notes a call.
func (w *window) add(now time.Time) { w.Calls = append(w.Calls, now) }

// nextReset is when the oldest call of the hour stops to count.
func (w *window) nextReset(now time.Time) time.Time {
	if len(w.Calls) == 0 {
		return now.Add(hour)
	}
	return w.Calls[0].Add(hour)
}

// backoff doubles from first with each repetition, up to most; n counts from 0.
func backoff(n int, first, most time.Duration) time.Duration {
	d := first
	for range n {
		if d *= 2; d >= most {
			return most
		}
	}
	return min(d, most)
}

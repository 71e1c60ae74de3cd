package loop

import (
	"slices"
	"sort"
	"time"
)

// window has the calls of the past hour. Attempts count, regardless of their result.
type window struct {
	Calls []time.Time `json:"calls"` // oldest first
}

const hour = time.Hour

// roll removes calls older than an hour. A call in the future means that the clock moved
// backwards: its time becomes now, so that it expires eventually.
func (w *window) roll(now time.Time) {
	for i, at := range w.Calls {
		if at.After(now) {
			w.Calls[i] = now
		}
	}
	sort.Slice(w.Calls, func(i, j int) bool { return w.Calls[i].Before(w.Calls[j]) })
	w.Calls = slices.DeleteFunc(w.Calls, func(at time.Time) bool { return now.Sub(at) >= hour })
}

// wait returns the delay before the next call; 0 if it may be made now.
func (w *window) wait(limit int, now time.Time) time.Duration {
	w.roll(now)
	if len(w.Calls) < limit {
		return 0
	}
	return w.Calls[len(w.Calls)-limit].Add(hour).Sub(now)
}

// add records a call.
func (w *window) add(now time.Time) { w.Calls = append(w.Calls, now) }

// nextReset returns the time at which the oldest call expires.
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

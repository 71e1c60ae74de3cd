package loop

import (
	"slices"
	"sort"
	"time"
)

// window has the calls of the past hour. Attempts count, regardless of their result.
type window struct {
	Calls []calls `json:"calls"` // oldest first
}

// calls are the calls of one second, so that a window has at most 3600 of them.
type calls struct {
	At    time.Time `json:"at"` // of the first
	Count int       `json:"count"`
}

const hour = time.Hour

// roll removes calls older than an hour. A call in the future means that the clock moved
// backwards: its time becomes now, so that it expires eventually.
func (w *window) roll(now time.Time) {
	for i, c := range w.Calls {
		if c.At.After(now) {
			w.Calls[i].At = now
		}
	}
	sort.SliceStable(w.Calls, func(i, j int) bool { return w.Calls[i].At.Before(w.Calls[j].At) })
	w.Calls = slices.DeleteFunc(w.Calls, func(c calls) bool { return now.Sub(c.At) >= hour })
}

// count returns the number of calls.
func (w *window) count() (n int) {
	for _, c := range w.Calls {
		n += c.Count
	}
	return n
}

// wait returns the delay before the next call; 0 if it may be made now.
func (w *window) wait(limit int, now time.Time) time.Duration {
	w.roll(now)
	excess := w.count() - limit
	for _, c := range w.Calls {
		if excess < c.Count && excess >= 0 {
			return c.At.Add(hour).Sub(now)
		}
		excess -= c.Count
	}
	return 0
}

// add records a call.
func (w *window) add(now time.Time) {
	if n := len(w.Calls) - 1; n >= 0 && now.Sub(w.Calls[n].At) < time.Second && !now.Before(w.Calls[n].At) {
		w.Calls[n].Count++
		return
	}
	w.Calls = append(w.Calls, calls{now, 1})
}

// nextReset returns the time at which the oldest call expires.
func (w *window) nextReset(now time.Time) time.Time {
	if len(w.Calls) == 0 {
		return now.Add(hour)
	}
	return w.Calls[0].At.Add(hour)
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

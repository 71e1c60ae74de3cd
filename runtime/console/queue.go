package console

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// maxQueued is the maximum number of calls that wait for their turn.
const maxQueued = 64

// queue orders calls that wait for their turn. It has its own lock.
type queue struct {
	mu      sync.Mutex
	calls   []*queuedCall
	changed notifier // signaled when the first call may be able to proceed or must give up
}

// queuedCall is a call in the queue.
type queuedCall struct {
	first chan struct{} // closed when the call is the first
	waits bool          // the call has had to wait
}

// join appends a call and returns the number of calls before it. c is nil if the queue is full.
func (q *queue) join() (c *queuedCall, before int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if before = len(q.calls); before >= maxQueued {
		return nil, before
	}
	c = &queuedCall{first: make(chan struct{})}
	if before == 0 {
		close(c.first)
	}
	q.calls = append(q.calls, c)
	return c, before
}

// leave removes a call; if it was the first, the next one becomes the first.
func (q *queue) leave(c *queuedCall) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.calls = slices.DeleteFunc(q.calls, func(o *queuedCall) bool { return o == c })
	if len(q.calls) > 0 && !isClosed(q.calls[0].first) {
		close(q.calls[0].first)
	}
}

// waits records that a call has to wait.
func (q *queue) waits(c *queuedCall) {
	q.mu.Lock()
	defer q.mu.Unlock()
	c.waits = true
}

// length returns the number of waiting calls.
func (q *queue) length() (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, c := range q.calls {
		if c.waits {
			n++
		}
	}
	return n
}

// inTurn submits a command when its turn comes: after the calls that came earlier, and after a
// command for which a client waits. A command for which no client waits, or that waits for input,
// may never end, so it is not waited for. If the call has to wait, waits is called once with the
// number of calls before it; the fault is FaultQueued if the context ends before its turn.
func (h handlers) inTurn(ctx context.Context, q ExecRequest, waits func(before int)) (*run, *Fault) {
	line := &h.visitors.queue
	if !q.Queue {
		if n := line.length(); n > 0 {
			return nil, h.queued(FaultBusy, "calls waiting for their turn: %d", n)
		}
		return h.submit(q)
	}
	place, before := line.join()
	if place == nil {
		return nil, h.queued(FaultBusy, "too many calls waiting for their turn: %d is the maximum", before)
	}
	defer line.leave(place)
	told := false
	wait := func(until <-chan struct{}) bool {
		if isClosed(until) { // even with the shortest wait, unless the client disconnected
			return !errors.Is(ctx.Err(), context.Canceled)
		}
		if !told {
			told = true
			line.waits(place)
			waits(before)
		}
		select {
		case <-until:
			return ctx.Err() == nil // both may be ready
		case <-ctx.Done():
			return false
		}
	}
	if !wait(place.first) {
		return nil, h.queued(FaultQueued, waitEnded)
	}
	for {
		changed := line.changed.wait()
		run, f := h.submit(q)
		if f == nil || f.Code != FaultBusy || !h.hasWaitingClient() {
			return run, f
		}
		if !wait(changed) {
			return nil, h.queued(FaultQueued, waitEnded)
		}
	}
}

const waitEnded = "the wait ended while the call was still queued"

// queued returns the fault of a call that was refused because of other calls.
func (h handlers) queued(code, format string, args ...any) *Fault {
	state, _ := h.state()
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.refuse(code, state, format, args...)
}

// hasWaitingClient reports whether the latest command is running with a client waiting for it, or has just
// ended.
func (h handlers) hasWaitingClient() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.latest()
	return r != nil && (!r.cmd.Running() || r.waiting > 0)
}

// waits adds n to the number of clients that wait for a command.
func (h handlers) waits(r *run, n int) {
	h.mu.Lock()
	r.waiting += n
	h.mu.Unlock()
	h.visitors.queue.changed.signal()
}

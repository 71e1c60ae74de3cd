// Package awake provides timers that exclude the time during which the process was suspended, by
// SIGSTOP or with its container or virtual machine. An ordinary timeout could expire in that time
// and blame a program for being silent while ripple could not read its output.
package awake

import (
	"context"
	"sync"
	"time"
)

// slice is the maximum time that a timer sleeps before it checks whether the process was suspended.
const slice = time.Second

// slack is how late a busy machine may wake a process that was not suspended.
const slack = time.Second

// spent returns how much of the time since the start of a slice counts.
func spent(since time.Time) time.Duration { return min(time.Since(since), slice+slack) }

// Timer calls a function once after a duration.
type Timer struct {
	f func()

	mu    sync.Mutex
	left  time.Duration
	began time.Time // start of the current slice
	timer *time.Timer
	round int // incremented by stop: wake ignores calls for earlier rounds
}

// AfterFunc calls f in its own goroutine after d. f must not use the timer.
func AfterFunc(d time.Duration, f func()) *Timer {
	t := &Timer{f: f}
	t.Reset(d)
	return t
}

// Reset restarts the timer with d, even if it has expired.
func (t *Timer) Reset(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stop()
	t.left = d
	t.sleep()
}

// Stop stops the timer. When it returns, the function has finished or will not be called.
func (t *Timer) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stop()
}

// Left returns the remaining time, or 0 if the timer has expired.
func (t *Timer) Left() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return max(0, t.left-spent(t.began))
}

func (t *Timer) stop() {
	t.round++
	if t.timer != nil {
		t.timer.Stop()
	}
}

// sleep starts a slice. The caller holds t.mu.
func (t *Timer) sleep() {
	t.began = time.Now()
	round := t.round
	t.timer = time.AfterFunc(min(t.left, slice), func() { t.wake(round) })
}

func (t *Timer) wake(round int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if round != t.round {
		return
	}
	if t.left -= spent(t.began); t.left > 0 {
		t.sleep()
		return
	}
	t.f()
}

// WithTimeout is like [context.WithTimeout], but uses a Timer. The context has no Deadline.
func WithTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	c := &limited{Context: parent, done: make(chan struct{})}
	timer := AfterFunc(d, func() { c.end(context.DeadlineExceeded) })
	unlink := context.AfterFunc(parent, func() { c.end(parent.Err()) })
	return c, func() {
		timer.Stop()
		unlink()
		c.end(context.Canceled)
	}
}

// limited is the context that WithTimeout returns.
type limited struct {
	context.Context // the parent
	done            chan struct{}

	mu  sync.Mutex
	err error
}

// end sets the error and closes done, unless that has happened already.
func (c *limited) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
		close(c.done)
	}
}

// Done implements [context.Context].
func (c *limited) Done() <-chan struct{} { return c.done }

// Err implements [context.Context].
func (c *limited) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

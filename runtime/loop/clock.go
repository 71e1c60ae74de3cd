package loop

import (
	"sync/atomic"
	"time"
)

// clock is the time of a run.
type clock struct {
	wall    func() time.Time
	since   time.Time     // Run began
	earlier time.Duration // what the run took in other processes
	stood   atomic.Int64  // nanoseconds in which it waited for a person
}

func (c *clock) now() time.Time { return c.wall().Round(0).UTC() }

// elapsed is how long the run takes, its waits included, without the time in
// which no process worked on it, or a person was waited for.
func (c *clock) elapsed() time.Duration {
	return c.earlier + time.Since(c.since) - time.Duration(c.stood.Load())
}

package loop

import (
	"sync/atomic"
	"time"
)

// clock measures the time of a run.
type clock struct {
	wall    func() time.Time
	since   time.Time     // start of Run
	earlier time.Duration // time of the run in earlier processes
	stood   atomic.Int64  // nanoseconds spent waiting for the user
}

func (c *clock) now() time.Time { return c.wall().Round(0).UTC() }

// elapsed returns the duration of the run including its waits, but without the time in which no
// process worked on it and the time spent waiting for the user.
func (c *clock) elapsed() time.Duration {
	return c.earlier + time.Since(c.since) - time.Duration(c.stood.Load())
}

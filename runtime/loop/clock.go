package loop

import "time"

// clock is the time of a run.
type clock struct {
	wall    func() time.Time
	since   time.Time     // Run began
	earlier time.Duration // what the run took in other processes
}

func (c *clock) now() time.Time { return c.wall().Round(0).UTC() }

// elapsed is how long the run takes, its waits included, without the time in
// which no process worked on it.
func (c *clock) elapsed() time.Duration { return c.earlier + time.Since(c.since) }

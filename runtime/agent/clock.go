package agent

import (
	"time"

	"example.org/ripple/internal/awake"
)

// clock is a time limit that can be paused, and is paused while this process is stopped. A limit
// of zero never expires.
type clock struct {
	limit, left time.Duration
	still       bool
	timer       *awake.Timer
	C           chan struct{}
}

func newClock(limit time.Duration) *clock {
	c := &clock{limit: limit, left: limit, C: make(chan struct{}, 1)}
	if limit > 0 {
		c.timer = awake.AfterFunc(limit, func() { c.C <- struct{}{} }) // run has emptied the channel
	}
	return c
}

// reset restarts the whole limit.
func (c *clock) reset() {
	c.left = c.limit
	if c.limit > 0 && !c.still {
		c.run()
	}
}

// run starts the remaining time.
func (c *clock) run() {
	c.halt()
	c.timer.Reset(c.left)
}

// halt stops the timer and discards a pending tick.
func (c *clock) halt() {
	c.timer.Stop()
	select {
	case <-c.C:
	default:
	}
}

// stand pauses or resumes the clock.
func (c *clock) stand(still bool) {
	switch {
	case c.limit <= 0 || still == c.still:
	case still:
		c.still = true
		c.left = c.timer.Left()
		c.halt()
	default:
		c.still = false
		c.run()
	}
}

func (c *clock) stop() {
	if c.limit > 0 {
		c.timer.Stop()
	}
}

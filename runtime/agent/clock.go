package agent

import "time"

// clock is a limit of time that can stand still. The zero limit never comes.
type clock struct {
	limit, left time.Duration
	began       time.Time // of what is left; zero: it stands
	timer       *time.Timer
	C           <-chan time.Time
}

func newClock(limit time.Duration) *clock {
	t := timer(limit)
	c := &clock{limit: limit, left: limit, timer: t, C: t.C}
	if limit > 0 {
		c.began = time.Now()
	}
	return c
}

// reset begins the whole limit anew.
func (c *clock) reset() {
	if c.limit <= 0 {
		return
	}
	c.left = c.limit
	if !c.began.IsZero() {
		c.began = time.Now()
		c.timer.Reset(c.limit)
	}
}

// stand stops the clock or lets it go on.
func (c *clock) stand(still bool) {
	switch {
	case c.limit <= 0 || still == c.began.IsZero():
	case still:
		c.left -= time.Since(c.began)
		c.began = time.Time{}
		c.timer.Stop()
	default:
		c.began = time.Now()
		c.timer.Reset(max(c.left, 0))
	}
}

func (c *clock) stop() { c.timer.Stop() }

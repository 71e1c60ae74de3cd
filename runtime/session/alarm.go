package session

import "time"

// alarm is the one timer of a session. The machine may want it and not want it any
// more within one read: only what holds at its end costs a timer.
type alarm struct {
	ring       func(generation int) // told when it is time
	wanted     bool
	delay      time.Duration
	changed    bool // since settle
	timer      *time.Timer
	generation int
}

func (a *alarm) set(delay time.Duration) { a.wanted, a.delay, a.changed = true, delay, true }

func (a *alarm) unset() {
	a.changed = a.changed || a.wanted
	a.wanted = false
}

// settle starts or stops the timer.
func (a *alarm) settle() {
	if !a.changed {
		return
	}
	a.stop()
	if a.wanted {
		generation := a.generation
		a.timer = time.AfterFunc(a.delay, func() { a.ring(generation) })
	}
}

// stop makes sure that the timer does not ring: a firing under way is told apart by
// its generation.
func (a *alarm) stop() {
	a.changed = false
	a.generation++
	if a.timer != nil {
		a.timer.Stop()
	}
}

// rings says whether the timer that fired is the one that is wanted.
func (a *alarm) rings(generation int) bool {
	if generation != a.generation || !a.wanted {
		return false
	}
	a.wanted = false
	return true
}

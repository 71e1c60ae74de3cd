package session

import "time"

// alarm is the session's only timer. The machine may set and unset it several times during one
// read; only the state at the end of the read costs a real timer.
type alarm struct {
	ring       func(generation int) // called when the timer fires
	wanted     bool
	delay      time.Duration
	changed    bool // since the last settle
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

// stop ensures that the timer does not fire: a call that is already under way is recognized by its
// generation.
func (a *alarm) stop() {
	a.changed = false
	a.generation++
	if a.timer != nil {
		a.timer.Stop()
	}
}

// rings reports whether the timer that fired is the current one and is still wanted.
func (a *alarm) rings(generation int) bool {
	if generation != a.generation || !a.wanted {
		return false
	}
	a.wanted = false
	return true
}

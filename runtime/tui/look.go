package tui

import (
	"time"

	"example.org/ripple/runtime/internal/vt"
	"example.org/ripple/runtime/pty"
)

// read takes what the program prints until it has ended.
func (t *TUI) read(tell func([]byte, time.Time)) {
	_ = t.term.Run(func(b []byte) { // the end says more than an error of reading
		now := time.Now()
		t.mu.Lock()
		t.taken += int64(len(b))
		t.printed = now
		t.mu.Unlock()
		if tell != nil {
			tell(b, now)
		}
	})
	close(t.silent)
}

const (
	// frame is how long output is gathered before anybody looks at it: a program that
	// draws all the time is looked at so often.
	frame = 50 * time.Millisecond
	// still is how long nothing must be printed for the kernel to be asked whether the
	// program waits: the answer costs.
	still = 30 * time.Millisecond
)

// look looks at the screen whenever it may have changed, until the program has ended.
func (t *TUI) look() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		printed := t.term.Printed()
		if in := t.see(); in > 0 {
			timer.Reset(in)
		} else {
			timer.Stop()
		}
		select {
		case <-printed:
			timer.Reset(frame)
			select {
			case <-timer.C:
			case <-t.silent:
			}
		case <-timer.C:
		case <-t.typed:
		case <-t.silent:
		}
		if isClosed(t.silent) {
			t.see()
			close(t.over)
			t.mu.Lock()
			t.changed()
			t.mu.Unlock()
			return
		}
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// see looks once, and says when to look again though nothing is printed; 0: never.
func (t *TUI) see() (again time.Duration) {
	if t.faults.failure() == nil {
		_ = t.try("recognizing the agent's screen", func() { again = t.seeOnce() }) // who waits gets the error
	}
	return again
}

func (t *TUI) seeOnce() time.Duration {
	var p Picture
	drawing := false
	err := t.tryScreen("recognizing the agent's screen", func(s *vt.Screen) { p, drawing = t.rules.picture(s), s.Modes().Synchronized })
	if err != nil {
		return 0 // who waits gets the error
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	calm := now.Sub(t.printed)
	if drawing && calm < t.watch.quiet && !isClosed(t.silent) {
		return still // half a picture, as the program itself says
	}
	before, was := t.watch.now, t.counts
	moved := !p.equal(t.last)
	if moved || t.last.Rows == nil {
		t.last, t.drawn = p, true
		t.watch.see(t.rules.See(p), now)
		if id := t.rules.Session(p); id != "" {
			t.session = id
		}
	}
	rests := t.watch.rests()
	if t.counts {
		t.watch.looked, t.watch.busy = now, false // nobody has looked while it counted
	}
	if rests && (!t.counts || moved && !t.watch.moved) { // the typed keys may have an effect now
		ask(t, now, calm >= still)
	}
	_, counts, in := t.watch.state(now)
	if rests && !counts {
		in = min(in, still)
	}
	if t.counts = counts; moved || counts != was || !before.equal(t.watch.now) {
		t.changed()
	}
	if counts {
		return 0
	}
	return in
}

// ask asks the kernel what the program does: what it shows counts when it waits for input,
// if it is calm, and does not while it has something to do. The lock is held.
func ask(t *TUI, now time.Time, calm bool) {
	r := t.term.Readiness()
	if calm && t.waits(r) {
		t.watch.confirmed()
	} else if pty.Tells {
		t.watch.works(r.State == pty.Busy, now)
	}
}

// waits says that the kernel knows that nothing but input wakes the program, and that it
// has been awake since something was typed.
func (t *TUI) waits(r pty.Readiness) bool {
	if r.State != pty.Waiting || !r.Only || t.term.Queued() > 0 || t.term.Readable(t.taken) {
		return false
	}
	id := t.term.WaitID()
	return id != 0 && id != t.wait
}

// changed wakes all that wait. The lock is held.
func (t *TUI) changed() {
	close(t.news)
	t.news = make(chan struct{})
}

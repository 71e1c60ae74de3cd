package tui

import (
	"time"

	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/pty"
)

// read reads the program's output until it has ended.
func (t *TUI) read(tell func([]byte, time.Time)) {
	_ = t.term.Run(func(b []byte) { // the exit status says more than a read error
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
	// frame is how long output is collected before the screen is examined, and the interval
	// at which the screen of a program that draws all the time is examined.
	frame = 50 * time.Millisecond
	// still is the time without output after which the kernel is asked whether the program
	// waits. Asking is expensive.
	still = 30 * time.Millisecond
)

// look examines the screen whenever it may have changed, until the program has ended.
func (t *TUI) look() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		printed := t.term.MoreOutput()
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

// see examines the screen once, and returns after which time without output to do so again;
// 0: never.
func (t *TUI) see() (again time.Duration) {
	if t.faults.failure() == nil {
		_ = t.try("recognizing the agent's screen", func() { again = t.seeOnce() }) // callers that wait get the error
	}
	return again
}

func (t *TUI) seeOnce() time.Duration {
	var p Picture
	drawing := false
	err := t.tryScreen("recognizing the agent's screen", func(s *vt.Screen) { p, drawing = t.rules.picture(s), s.Modes().Synchronized })
	if err != nil {
		return 0 // callers that wait get the error
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	calm := now.Sub(t.printed)
	if drawing && calm < t.watch.quiet && !isClosed(t.silent) {
		return still // the program has announced that the screen is incomplete
	}
	before, was := t.watch.now, t.counts
	moved := !p.equal(t.last)
	if moved || t.last.Rows == nil {
		t.last, t.drawn = p, true
		t.watch.see(t.rules.see(p), now)
		if id := t.rules.Session(p); id != "" {
			t.session = id
		}
	}
	rests := t.watch.rests()
	if t.counts {
		t.watch.looked, t.watch.busy = now, false // the activity was not examined while the state counted
	}
	if rests && (!t.counts || moved && !t.watch.moved) { // the typed keys may take effect now
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

// ask asks the kernel what the program does: the state on the screen counts if the program waits
// for input, and does not count while it works. The lock is held.
func ask(t *TUI, now time.Time, calm bool) {
	r := t.term.Readiness()
	if calm && t.waits(r) {
		t.watch.confirmed()
	} else if pty.Tells {
		t.watch.works(r.State == pty.Busy, now)
	}
}

// waits reports whether, according to the kernel, only input can wake the program, and whether it
// has run since something was typed.
func (t *TUI) waits(r pty.Readiness) bool {
	if r.State != pty.Waiting || !r.Only || t.term.Queued() > 0 || t.term.Readable(t.taken) {
		return false
	}
	id := t.term.WaitID()
	return id != 0 && id != t.wait
}

// changed wakes all waiting callers. The lock is held.
func (t *TUI) changed() {
	close(t.news)
	t.news = make(chan struct{})
}

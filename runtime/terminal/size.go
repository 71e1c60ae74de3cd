package terminal

import (
	"ripple/runtime/pty"
)

// sizes is what decides how large the terminal is.
type sizes struct {
	now   pty.Size
	own   pty.Size // when nobody leads
	typed uint64   // counts the times that somebody who has a window typed
}

// window is a subscriber's view of the terminal.
type window struct {
	size  pty.Size // zero: not known
	typed uint64   // when he typed last, by sizes.typed; 0: never
}

// A person's window makes the terminal no smaller and no larger than this; what
// does not fit he does not see.
const (
	minCols, minRows = 20, 5
	maxCols, maxRows = 1000, 1000
)

// Size is the terminal's size in character cells. A program may have changed it:
// what others look at keeps the size that was set here.
func (t *Terminal) Size() (cols, rows int) {
	if s := t.tty.Size(); s.Cols > 0 && s.Rows > 0 {
		return s.Cols, s.Rows
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.size.now.Cols, t.size.now.Rows // it is closed
}

// Resize sets the size to be used when no subscriber leads, and uses it: who led
// leads again when he types. Each number is 1 to 65,535; the screen that others
// look at has at most 1,000 columns and rows.
func (t *Terminal) Resize(cols, rows int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.size.own
	t.size.own = pty.Size{Cols: cols, Rows: rows}
	for _, s := range t.viewers {
		s.window.typed = 0
	}
	err := t.fit()
	if err != nil {
		t.size.own = before
	}
	return err
}

// Resize says how large the subscriber's window is. The terminal follows the one
// who typed last, from 20×5 to 1,000×1,000 cells.
func (s *Subscription) Resize(cols, rows int) error {
	t := s.t
	t.mu.Lock()
	defer t.mu.Unlock()
	s.window.size = pty.Size{Cols: cols, Rows: rows}
	s.repaint = s.repaint || s.fits
	s.notify()
	return t.fit()
}

// Type gives the program what the subscriber typed, as Write does; from then on he
// leads.
func (s *Subscription) Type(b []byte) error {
	s.Lead()
	_, err := s.t.Write(b)
	return err
}

// Lead says that the subscriber types: the terminal has the size of his window, if he
// said one, until another one types.
func (s *Subscription) Lead() {
	t := s.t
	t.mu.Lock()
	defer t.mu.Unlock()
	t.size.typed++
	s.window.typed = t.size.typed
	_ = t.fit() // the size matters less than what he types
}

// fit makes the terminal as large as its leader's window; t.mu is held.
func (t *Terminal) fit() error {
	want, typed := t.size.own, uint64(0)
	for _, s := range t.viewers {
		if w := s.window; w.typed > typed && w.size != (pty.Size{}) {
			typed = w.typed
			want = pty.Size{Cols: min(max(w.size.Cols, minCols), maxCols), Rows: min(max(w.size.Rows, minRows), maxRows)}
		}
	}
	if want == t.size.now {
		return nil
	}
	if t.picture.wanted() {
		t.picture.upToDate() // what was printed until now was for the old size
	}
	if err := t.tty.Resize(want); err != nil {
		return err
	}
	t.size.now = want
	t.picture.resize(want)
	for _, s := range t.viewers {
		s.repaint = true
		s.notify()
	}
	return nil
}

package terminal

import (
	"example.org/ripple/runtime/pty"
)

// sizes determines the terminal's size.
type sizes struct {
	now   pty.Size
	own   pty.Size // used while no subscriber leads
	typed uint64   // counts input of subscribers that have a window
}

// window is a subscriber's view of the terminal.
type window struct {
	size  pty.Size // zero: unknown
	typed uint64   // value of sizes.typed at the subscriber's last input; 0: none
}

// A user's window makes the terminal neither smaller nor larger than this; the user does not see
// the rest.
const (
	minCols, minRows = 20, 5
	maxCols, maxRows = 1000, 1000
)

// Size returns the terminal's size in character cells. If the program has changed the
// size, the screen and its subscribers keep the one that was set here.
func (t *Terminal) Size() (cols, rows int) {
	if s := t.tty.Size(); s.Cols > 0 && s.Rows > 0 {
		return s.Cols, s.Rows
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.size.now.Cols, t.size.now.Rows // the terminal is closed
}

// Resize sets and applies the size for times when no subscriber leads; a subscriber leads again
// when it types. Each number is 1 to 65,535; the screen for other readers has at most 1,000 columns
// and rows.
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

// Resize sets the size of the subscriber's window. The terminal has the size of the subscriber that
// typed last, from 20×5 to 1,000×1,000 cells.
func (s *Subscription) Resize(cols, rows int) error {
	t := s.t
	t.mu.Lock()
	defer t.mu.Unlock()
	s.window.size = pty.Size{Cols: cols, Rows: rows}
	s.repaint = s.repaint || s.fits
	s.notify()
	return t.fit()
}

// Type sends input of the subscriber to the program, as Write does; from then on the subscriber
// leads.
func (s *Subscription) Type(b []byte) error {
	s.ClaimSize()
	_, err := s.t.Write(b)
	return err
}

// ClaimSize reports that the subscriber types: the terminal gets the size of its window, if known, until
// another subscriber types.
func (s *Subscription) ClaimSize() {
	t := s.t
	t.mu.Lock()
	defer t.mu.Unlock()
	t.size.typed++
	s.window.typed = t.size.typed
	_ = t.fit() // the size matters less than the input
}

// fit gives the terminal the size of its leader's window; t.mu is held.
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
		t.picture.upToDate() // earlier output was for the old size
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

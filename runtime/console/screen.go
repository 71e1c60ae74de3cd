package console

import (
	"strings"
	"sync"

	"ripple/runtime/internal/vt"
	"ripple/runtime/terminal"
)

// screen is what a person at the console would see: the screen of the program's
// terminal. Its methods may be called from several goroutines.
type screen struct {
	mu   sync.Mutex
	term *terminal.Terminal // nil: nothing was started yet
}

// on makes it the screen of a program that was started.
func (s *screen) on(t *terminal.Terminal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.term = t
}

func (s *screen) terminal() *terminal.Terminal {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.term
}

// look calls f with the grid, if there is one.
func (s *screen) look(f func(*vt.Screen)) {
	if t := s.terminal(); t != nil {
		t.Look(f)
	}
}

// painted is closed when something more was printed.
func (s *screen) painted() <-chan struct{} {
	if t := s.terminal(); t != nil {
		return t.Printed()
	}
	return nil
}

// full says whether a program draws on the whole screen (the alternate one).
func (s *screen) full() (yes bool) {
	s.look(func(grid *vt.Screen) { yes = grid.Alternate() })
	return yes
}

func (s *screen) size() (cols, rows int) {
	s.look(func(grid *vt.Screen) { cols, rows = grid.Size() })
	return cols, rows
}

func (s *screen) title() (title string) {
	s.look(func(grid *vt.Screen) { title = grid.Title() })
	return title
}

// text is the screen's last rows, all when lines is 0, without the empty ones below.
func (s *screen) text(lines int) string {
	var b []byte
	s.look(func(grid *vt.Screen) { b = grid.AppendText(nil) })
	rows := strings.Split(strings.TrimRight(string(b), "\n "), "\n")
	if lines > 0 && len(rows) > lines {
		rows = rows[len(rows)-lines:]
	}
	return strings.Join(rows, "\n") + "\n"
}

// notifier wakes those who wait for the next signal; without them it costs nothing.
type notifier struct {
	mu   sync.Mutex
	next chan struct{}
}

// wait is closed by the next signal.
func (n *notifier) wait() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.next == nil {
		n.next = make(chan struct{})
	}
	return n.next
}

func (n *notifier) signal() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.next != nil {
		close(n.next)
		n.next = nil
	}
}

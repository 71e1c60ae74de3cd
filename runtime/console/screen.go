package console

import (
	"strings"
	"sync"

	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/terminal"
)

// screen is the screen of the program's terminal, as a user at the console would see it. Its
// methods may be called from several goroutines.
type screen struct {
	mu   sync.Mutex
	term *terminal.Terminal // nil: nothing was started yet
	left int                // how often a program had asked for the alternate screen when the latest command ended
}

// on sets the terminal of the started program.
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
		t.WithScreen(f)
	}
}

// painted returns a channel that is closed when more output is printed.
func (s *screen) painted() <-chan struct{} {
	if t := s.terminal(); t != nil {
		return t.MoreOutput()
	}
	return nil
}

// full reports whether the running command draws on the whole screen: on the alternate one, unless a program of an earlier
// command left it, as one that was killed.
func (s *screen) full() (yes bool) {
	s.mu.Lock()
	left := s.left
	s.mu.Unlock()
	s.look(func(grid *vt.Screen) { yes = grid.Alternate() && grid.AlternateCount() != left })
	return yes
}

// leave notes that a command has ended: it no longer draws on the screen.
func (s *screen) leave() {
	left := 0
	s.look(func(grid *vt.Screen) { left = grid.AlternateCount() })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = left
}

// unfinished reports whether the cursor is after the beginning of a line, as it is after a prompt.
func (s *screen) unfinished() (yes bool) {
	s.look(func(grid *vt.Screen) {
		x, _ := grid.Cursor()
		yes = x > 0
	})
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

// text returns the last rows of the screen, all of them if lines is 0, without the empty ones at
// the end.
func (s *screen) text(lines int) string {
	var b []byte
	s.look(func(grid *vt.Screen) { b = grid.AppendText(nil) })
	rows := strings.Split(strings.TrimRight(string(b), "\n "), "\n")
	if lines > 0 && len(rows) > lines {
		rows = rows[len(rows)-lines:]
	}
	return strings.Join(rows, "\n") + "\n"
}

// notifier wakes the waiters at each signal; without waiters a signal is free.
type notifier struct {
	mu   sync.Mutex
	next chan struct{}
}

// wait returns a channel that the next signal closes.
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

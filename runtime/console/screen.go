package console

import (
	"strings"
	"sync"

	"ripple/runtime/internal/vt"
	"ripple/runtime/session"
)

// screen is what a person at the console would see. Its methods may be called from
// several goroutines.
type screen struct {
	painted notifier // something was printed
	changed notifier // to the alternate screen, or back

	mu   sync.Mutex
	grid *vt.Screen
}

// scrollback is how many lines are kept above the screen.
const scrollback = 2000

func newScreen(cols, rows int) *screen {
	return &screen{grid: vt.New(vt.Options{Cols: cols, Rows: rows, History: scrollback})}
}

// Observe paints what the program printed.
func (s *screen) Observe(e session.Event) {
	if e.Kind != session.EventRead {
		return
	}
	s.mu.Lock()
	before := s.grid.Alternate()
	s.grid.Write(e.Data)
	turned := before != s.grid.Alternate()
	s.mu.Unlock()
	s.painted.signal()
	if turned {
		s.changed.signal()
	}
}

// full says whether a program draws on the whole screen (the alternate one).
func (s *screen) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.grid.Alternate()
}

func (s *screen) resize(cols, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.grid.Resize(cols, rows)
}

func (s *screen) size() (cols, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.grid.Size()
}

func (s *screen) title() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.grid.Title()
}

// text is the screen's last rows, all when lines is 0, without the empty ones below.
func (s *screen) text(lines int) string {
	s.mu.Lock()
	b := s.grid.AppendText(nil)
	s.mu.Unlock()
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

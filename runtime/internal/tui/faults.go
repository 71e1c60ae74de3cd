package tui

import (
	"errors"
	"slices"
	"sync"

	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/internal/fault"
	"example.org/ripple/runtime/terminal"
)

// faults records panics of the code that interprets the screen. Its lock is acquired last.
type faults struct {
	reports fault.Reports

	mu      sync.Mutex
	notices []string
	failed  error // the rules failed: the agent's state is unknown from then on
}

// maxNotices limits the notices of a turn.
const maxNotices = 20

// painted records a panic of the terminal, which loses the contents of the screen.
func (f *faults) painted(p terminal.Fault) {
	notice := f.reports.Keep(fault.Fault(p), "the screen was cleared")
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.notices) < maxNotices && !slices.Contains(f.notices, notice) {
		f.notices = append(f.notices, notice)
	}
}

// fails records a panic of the rules.
func (f *faults) fails(p fault.Fault) error {
	err := errors.New(f.reports.Keep(p, "the agent's screen cannot be interpreted any longer"))
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed == nil {
		f.failed = err
	}
	return f.failed
}

func (f *faults) failure() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed
}

// try calls f, which interprets what the screen shows. If f panics, try returns an error, as does
// from then on everything that waits for the agent.
func (t *TUI) try(doing string, f func()) error { return t.failed(fault.Catch(doing, nil, f)) }

// tryScreen is like try for a function that reads the screen. Its panic does not reach the terminal,
// which would take it for a panic of the painting and call f again.
func (t *TUI) tryScreen(doing string, f func(*vt.Screen)) error {
	var caught *fault.Fault
	t.term.WithScreen(func(s *vt.Screen) { caught = fault.Catch(doing, nil, func() { f(s) }) })
	return t.failed(caught)
}

// failed returns the error for a panic and wakes everything that waits for the agent; nil: there was none.
func (t *TUI) failed(caught *fault.Fault) error {
	if caught == nil {
		return nil
	}
	err := t.faults.fails(*caught)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.changed()
	return err
}

// Notices returns sentences about panics that lost the contents of the screen, but no turn.
func (t *TUI) Notices() []string {
	t.faults.mu.Lock()
	defer t.faults.mu.Unlock()
	return slices.Clone(t.faults.notices)
}

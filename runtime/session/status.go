package session

import (
	"sync"
	"time"
)

// status holds the program's reports about itself.
type status struct {
	cwd, mode string
	level     *int
	needs     string // the missing service, by ready.needs
	late      string // output after the last command
	byMarker  bool   // a marker announced the current prompt
	announced bool   // C announced the previous command's output
}

// life says how far the program has come.
type life struct {
	readyOnce sync.Once
	ready     chan struct{}
	dead      chan struct{} // closed when the last byte has been read
	failure   error         // why the session is unusable
	exit      *ExitError
	hungUp    bool          // Close hangs up on a running command
	changed   chan struct{} // closed at the next change that State shows; nil: no goroutine waits for one
}

func newLife() life {
	return life{ready: make(chan struct{}), dead: make(chan struct{})}
}

// change returns a channel that is closed at the next change.
func (l *life) change() <-chan struct{} {
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return l.changed
}

// notify wakes those that wait for a change.
func (l *life) notify() {
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// fail makes the session unusable, because a pattern of the adapter cannot be matched.
func (l *life) fail(err error) {
	if l.failure == nil {
		l.failure = err
	}
}

// events reports events to an observer, one at a time.
type events struct {
	to    Observer // nil: none
	began time.Time
	mu    sync.Mutex // input is written without the driver's lock

	ledger ledger
}

func (e *events) watched() bool { return e.to != nil }

func (e *events) report(kind EventKind, data []byte, text string) {
	if e.to != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.to.Observe(Event{At: time.Since(e.began), Kind: kind, Data: data, Text: text})
	}
}

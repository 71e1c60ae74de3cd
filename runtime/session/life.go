package session

import (
	"sync"
	"time"
)

// status is what the program has told of itself.
type status struct {
	cwd, mode string
	level     *int
	needs     string // what it lacks, by ready.needs
	late      string // what came after the last command
	byMarker  bool   // the prompt we are at was announced by a marker
	announced bool   // the command before was announced by C
}

// life is how far the program has come.
type life struct {
	readyOnce sync.Once
	ready     chan struct{}
	dead      chan struct{} // closed when the last byte has been read
	failure   error         // why the session cannot go on
	exit      *ExitError
	changed   chan struct{} // closed at the next change that State shows; nil: nobody waits for it
}

func newLife() life {
	return life{ready: make(chan struct{}), dead: make(chan struct{})}
}

// fail makes the session unusable: a pattern of the adapter cannot be matched.
func (l *life) fail(err error) {
	if l.failure == nil {
		l.failure = err
	}
}

// events tells an observer what happens, one thing at a time.
type events struct {
	to    Observer // nil: nobody
	began time.Time
	mu    sync.Mutex // input is written without the driver's

	ledger ledger
}

func (e *events) watched() bool { return e.to != nil }

func (e *events) tell(kind EventKind, data []byte, text string) {
	if e.to != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.to.Observe(Event{At: time.Since(e.began), Kind: kind, Data: data, Text: text})
	}
}

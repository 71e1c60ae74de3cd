package loop

import "sync"

// interrupts counts requests to stop a loop.
type interrupts struct {
	soft chan struct{} // closed by the first
	hard chan struct{} // closed by the second

	mu sync.Mutex
	n  int
}

func newInterrupts() *interrupts {
	return &interrupts{soft: make(chan struct{}), hard: make(chan struct{})}
}

// Interrupt asks the loop to stop: the first time after the current turn, the second time
// immediately, which ends the agent. It does not wait.
func (l *Loop) Interrupt() {
	i := l.interrupts
	i.mu.Lock()
	defer i.mu.Unlock()
	switch i.n++; i.n {
	case 1:
		close(i.soft)
	case 2:
		close(i.hard)
	}
}

// asked reports whether the loop was asked to stop.
func (i *interrupts) asked() bool {
	select {
	case <-i.soft:
		return true
	default:
		return false
	}
}

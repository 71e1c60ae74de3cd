package probe

import (
	"context"
	"slices"
	"sync"

	"ripple/runtime/contract"
)

// race says which of several, the strongest first, may start, and stops those that cannot
// win any more.
type race struct {
	runners []*entrant
	open    chan struct{} // closed when it is known whether the others may start

	mu       sync.Mutex
	decided  bool
	together bool // they may
}

type entrant struct {
	ctx    context.Context
	stop   context.CancelFunc
	starts bool // a test of the lowest level has passed
	failed bool // in any
	broken bool // in one of the lowest level
	won    bool
}

func newRace(ctx context.Context, runners int) *race {
	r := &race{open: make(chan struct{})}
	for range runners {
		within, cancel := context.WithCancel(ctx)
		r.runners = append(r.runners, &entrant{ctx: within, stop: cancel})
	}
	return r
}

func (r *race) stop() {
	for _, e := range r.runners {
		e.stop()
	}
}

// mayStart waits until the first one has failed in a lower level or is late (yes), or is over (no).
func (r *race) mayStart() bool {
	<-r.open
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.together
}

// decide is called with r.mu held.
func (r *race) decide(together bool) {
	if !r.decided {
		r.decided, r.together = true, together
		close(r.open)
	}
}

// late is when the first one should have started.
func (r *race) late() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.runners[0].starts {
		r.decide(true)
	}
}

// told is the result of a test of one of them.
func (r *race) told(i int, result *contract.TestResult) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.runners[i]
	switch result.Status {
	case contract.Passed:
		e.starts = e.starts || result.Level == 1
	case contract.Failed, contract.Errored:
		e.failed, e.broken = true, e.broken || result.Level == 1
		if result.Level < varied {
			r.decide(true)
		}
	}
	someWon := slices.ContainsFunc(r.runners, func(e *entrant) bool { return e.won })
	someStarts := slices.ContainsFunc(r.runners, func(e *entrant) bool { return e.starts && !e.broken })
	for _, e := range r.runners {
		if someWon && e.failed || someStarts && e.broken {
			e.stop()
		}
	}
}

// over is the end of all tests of one of them, and whether it has passed everything.
func (r *race) over(i int, won bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.decide(false)
	if !won {
		return
	}
	r.runners[i].won = true
	for k, e := range r.runners {
		if k > i || k < i && e.failed {
			e.stop()
		}
	}
}

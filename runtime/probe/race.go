package probe

import (
	"context"
	"slices"
	"sync"

	"example.org/ripple/runtime/contract"
)

// race decides which of several runners, strongest first, may start, and stops those that can no
// longer win.
type race struct {
	runners []*entrant
	open    chan struct{} // closed when it is decided whether the other runners may start

	mu       sync.Mutex
	decided  bool
	together bool // they may start
}

type entrant struct {
	ctx    context.Context
	stop   context.CancelFunc
	starts bool // a test of the lowest level has passed
	failed bool // some test failed
	broken bool // a test of the lowest level failed
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

// mayStart waits for the decision: true once the first runner has failed at a lower level or is
// late, false when it is over.
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

// firstIsLate is called when the first runner should have started.
func (r *race) firstIsLate() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.runners[0].starts {
		r.decide(true)
	}
}

// testDone records a test result of one runner.
func (r *race) testDone(i int, result *contract.TestResult) {
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

// runnerDone records the end of all tests of one runner and whether all passed.
func (r *race) runnerDone(i int, won bool) {
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

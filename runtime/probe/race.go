package probe

import (
	"context"
	"slices"
	"sync"

	"ripple/runtime/contract"
)

// race stops those that cannot win any more.
type race struct {
	mu      sync.Mutex
	runners []*entrant // the strongest first
}

type entrant struct {
	ctx    context.Context
	stop   context.CancelFunc
	starts bool // a test of the lowest level has passed
	failed bool // in any
	broken bool // in one of the lowest level
	won    bool
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
	}
	someWon := slices.ContainsFunc(r.runners, func(e *entrant) bool { return e.won })
	someStarts := slices.ContainsFunc(r.runners, func(e *entrant) bool { return e.starts && !e.broken })
	for _, e := range r.runners {
		if someWon && e.failed || someStarts && e.broken {
			e.stop()
		}
	}
}

func (r *race) won(i int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runners[i].won = true
	for k, e := range r.runners {
		if k > i || k < i && e.failed {
			e.stop()
		}
	}
}

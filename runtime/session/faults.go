package session

import (
	"sync"

	"example.org/ripple/runtime/internal/fault"
)

// faults keeps panics of the code that interprets the program's output until the next result. Its
// lock is taken last; every method may be called under any other.
type faults struct {
	reports fault.Reports

	mu     sync.Mutex
	notice string // for the next result
}

// add keeps a fault and writes its report.
func (f *faults) add(p fault.Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	notice := f.reports.Keep(p, "some output is shown as the program printed it")
	if f.notice == "" { // of several faults the first one explains the others
		f.notice = notice
	}
}

// take returns a sentence about the faults since the last call; empty if there are none.
func (f *faults) take() (notice string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	notice, f.notice = f.notice, ""
	return notice
}

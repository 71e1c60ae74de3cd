package session

import (
	"fmt"
	"os"
	"sync"

	"example.com/ripple/runtime/internal/fault"
	"example.com/ripple/runtime/internal/scratch"
)

// maxFaults bounds the reports that one session writes; later faults are in the results only.
const maxFaults = 5

// faults keeps panics of the code that interprets the program's output until the next result. Its
// lock is taken last; every method may be called under any other.
type faults struct {
	dir string // for the reports; empty: the system's directory for temporary files

	mu     sync.Mutex
	count  int
	notice string // for the next result
}

// add keeps a fault and writes its report.
func (f *faults) add(p fault.Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	where := ""
	if f.count++; f.count <= maxFaults {
		name, err := f.write(p.Report())
		if where = "; please report it with " + name; err != nil {
			where = fmt.Sprintf("; the report could not be written: %v", err)
		}
	}
	if f.notice == "" { // of several faults the first one explains the others
		f.notice = "internal error (panic) while " + p.Doing + ": some output is shown as the program printed it" + where
	}
}

// write writes a report to a private file and returns its name.
func (f *faults) write(report string) (name string, err error) {
	file, err := os.CreateTemp(f.dir, scratch.Prefix+"fault-*.txt")
	if err != nil {
		return "", err
	}
	_, err = file.WriteString(report)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return file.Name(), err
}

// take returns a sentence about the faults since the last call; empty if there are none.
func (f *faults) take() (notice string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	notice, f.notice = f.notice, ""
	return notice
}

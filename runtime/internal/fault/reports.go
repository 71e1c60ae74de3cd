package fault

import (
	"fmt"
	"os"
	"sync"

	"example.org/ripple/runtime/internal/scratch"
)

// maxReports bounds the files that one Reports writes.
const maxReports = 5

// Reports writes faults to private files. Its zero value is ready to use; it may be used by several
// goroutines.
type Reports struct {
	Dir string // for the files; empty: the system's directory for temporary files

	mu    sync.Mutex
	count int
}

// Keep writes a fault to a file, unless too many were written, and returns a sentence about it for
// the user; cost says what the user lost by it.
func (r *Reports) Keep(f Fault, cost string) (notice string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	notice = "internal error (panic) while " + f.Doing + ": " + cost
	if r.count++; r.count > maxReports {
		return notice
	}
	name, err := r.write(f.Report())
	if err != nil {
		return fmt.Sprintf("%s; the report could not be written: %v", notice, err)
	}
	return notice + "; please report it with " + name
}

// write writes a report to a private file and returns its name.
func (r *Reports) write(report string) (name string, err error) {
	file, err := os.CreateTemp(r.Dir, scratch.Prefix+"fault-*.txt")
	if err != nil {
		return "", err
	}
	_, err = file.WriteString(report)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return file.Name(), err
}

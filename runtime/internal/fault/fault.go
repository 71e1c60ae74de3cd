// Package fault describes panics of the code that interprets a program's output. Such a panic costs a piece of output its
// form, or ends one turn of an agent, and never the session or the loop. Catch stops the panics of a function.
package fault

import (
	"fmt"
	"runtime/debug"
	"strconv"
)

// Fault is a panic that was stopped.
type Fault struct {
	Doing string // what was being done: "rendering output"
	Panic string
	Stack string // of the goroutine, up to the panic
	Bytes []byte // the output that was being interpreted; earlier output may have mattered, too
}

// Catch calls f, which interprets b. It returns the panic of f, with a copy of b; nil: there was none.
func Catch(doing string, b []byte, f func()) (caught *Fault) {
	defer func() {
		if v := recover(); v != nil {
			caught = &Fault{Doing: doing, Panic: fmt.Sprint(v), Stack: string(debug.Stack()), Bytes: append([]byte(nil), b...)}
		}
	}()
	f()
	return nil
}

// Error makes a fault an error.
func (f *Fault) Error() string { return "internal error (panic) while " + f.Doing + ": " + f.Panic }

// Report returns the fault as a text for a bug report. The bytes are a quoted Go string: they do not act on a terminal, and
// can be pasted into a test.
func (f Fault) Report() string {
	return fmt.Sprintf("panic while %s: %s\n\nThe output that it was given (%d bytes):\n%s\n\n%s", f.Doing, f.Panic, len(f.Bytes), strconv.QuoteToASCII(string(f.Bytes)), f.Stack)
}

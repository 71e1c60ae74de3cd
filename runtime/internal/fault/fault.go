// Package fault describes panics of the code that interprets a program's output. Such a panic costs a piece of output its
// form, or ends one turn of an agent, and never the session or the loop. Catch stops the panics of a function.
package fault

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"

	"example.org/ripple/internal/lazyregexp"
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

// CatchTyped calls f, which handles what a user typed, perhaps a secret. It returns the panic of f
// without anything of that: the fault has no bytes, its stack has no values of arguments, and of a
// panic that is not the runtime's it has only the type. nil: there was none.
func CatchTyped(doing string, f func()) (caught *Fault) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		text := fmt.Sprintf("a value of type %T", v)
		if err, is := v.(runtime.Error); is {
			text = err.Error()
		}
		caught = &Fault{Doing: doing, Panic: text, Stack: arguments().ReplaceAllString(string(debug.Stack()), "$1(...)")}
	}()
	f()
	return nil
}

// arguments matches the line of a call in a stack.
var arguments = lazyregexp.New(`(?m)^(\S.*)\([^()]*\)$`)

// Error makes a fault an error.
func (f *Fault) Error() string { return "internal error (panic) while " + f.Doing + ": " + f.Panic }

// Report returns the fault as a text for a bug report. The bytes are a quoted Go string: they do not act on a terminal, and
// can be pasted into a test.
func (f Fault) Report() string {
	given := ""
	if len(f.Bytes) > 0 {
		given = fmt.Sprintf("The output that it was given (%d bytes):\n%s\n\n", len(f.Bytes), strconv.QuoteToASCII(string(f.Bytes)))
	}
	return fmt.Sprintf("panic while %s: %s\n\n%s%s", f.Doing, f.Panic, given, f.Stack)
}

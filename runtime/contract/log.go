package contract

import (
	"fmt"
	"io"

	"ripple/runtime/session"
)

// Log writes each event of a session to w as it happens, a line each: milliseconds
// since the start and what happened, as in the timeline of a failure. That w fails is
// not told: a log must not stop a session.
func Log(w io.Writer) session.Observer {
	return session.ObserverFunc(func(e session.Event) {
		_, _ = fmt.Fprintf(w, "%9.3f  %s\n", milliseconds(e.At), describe(e))
	})
}

package contract

import (
	"fmt"
	"io"

	"example.org/ripple/runtime/session"
)

// LogObserver returns an observer that writes each event of a session to w as it happens, one per line:
// milliseconds since the start and a description, as in the timeline of a failure. Errors of w are
// ignored: a log must not stop a session.
func LogObserver(w io.Writer) session.Observer {
	return session.ObserverFunc(func(e session.Event) {
		_, _ = fmt.Fprintf(w, "%9.3f  %s\n", milliseconds(e.At), describe(e))
	})
}

package console

import (
	"bytes"

	faults "example.org/ripple/runtime/internal/fault"
)

// editorFault is a panic of a line editor, after which it edits no lines.
type editorFault struct {
	reports    faults.Reports
	cols, rows int    // of the user's terminal
	notice     string // empty: there was no panic
}

// try calls f unless the editor has panicked before. It reports whether f has run to its end. After
// a panic the unfinished line is lost, the program gets each key, and the terminal shows the output
// as it arrives. The report of the panic has the output that f handles, and never what the user
// typed, which may be a secret.
func (e *LineEditor) try(doing string, output []byte, f func()) (done bool) {
	if e.fault.notice != "" {
		return false
	}
	caught := faults.CatchTyped(doing, f)
	if caught == nil {
		return true
	}
	caught.Bytes = bytes.Clone(output)
	e.fault.notice = e.fault.reports.Keep(*caught, "lines are no longer edited in this terminal, and the program gets each key")
	_ = e.on.EndDraft() // the reader of the attachment sees the error
	e.write([]byte("\x1b[?2004l\a"))
	_ = e.on.Resize(e.fault.cols, e.fault.rows) // the console repaints the contents
	return false
}

// Fault returns a sentence about a panic of the editor; empty: there was none.
func (e *LineEditor) Fault() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.fault.notice
}

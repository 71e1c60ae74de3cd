package contract

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"example.org/ripple/internal/lazyregexp"
	"example.org/ripple/runtime/session"
)

// Recorder writes a session as an asciicast v3 recording
// (https://docs.asciinema.org/manual/asciicast/v3/): a header line, then one line per event,
// [interval, code, data] with the interval in seconds since the previous event. Codes: o output, i
// input, r resize, m marker, x exit.
//
// It is a session.Observer. Its text is valid UTF-8 even if a read or write ends in the middle of a
// character: the bytes wait for the rest. All methods may be called on a nil *Recorder and then do
// nothing.
type Recorder struct {
	mu    sync.Mutex
	w     io.Writer
	err   error
	last  time.Duration // time of the previous event, in whole microseconds
	parts map[rune][]byte
}

// NewRecorder returns a recorder and writes the header at once. Close returns errors of w.
func NewRecorder(w io.Writer, cols, rows int) *Recorder {
	r := &Recorder{w: w, parts: map[rune][]byte{}}
	_, r.err = fmt.Fprintf(w, `{"version":3,"term":{"cols":%d,"rows":%d}}`+"\n", cols, rows)
	return r
}

// Observe records reads, writes, resizes and the exit.
func (r *Recorder) Observe(e session.Event) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e.Kind {
	case session.EventRead:
		r.text(e.At, 'o', e.Data)
	case session.EventWrite:
		r.text(e.At, 'i', e.Data)
	case session.EventResize:
		if size := sizePattern().FindStringSubmatch(e.Text); size != nil {
			r.event(e.At, 'r', size[1]+"x"+size[2])
		}
	case session.EventExit:
		r.flush(e.At)
		r.event(e.At, 'x', exitStatus(e.Text))
	}
}

// Mark writes a marker that players show in their timeline.
func (r *Recorder) Mark(at time.Duration, label string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.event(at, 'm', label)
}

// Close writes bytes that wait for the rest of a character and returns the first error of the
// writer, which the caller must close.
func (r *Recorder) Close() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.flush(r.last)
	return r.err
}

var (
	sizePattern   = lazyregexp.New(`(\d+)\D+(\d+)`)
	statusPattern = lazyregexp.New(`-?\d+`)
)

// exitStatus returns the number in the exit event's text, or -1 for a program that a signal ended.
func exitStatus(text string) string {
	if status := statusPattern().FindString(text); status != "" {
		return status
	}
	return "-1"
}

func (r *Recorder) text(at time.Duration, code rune, data []byte) {
	data = append(r.parts[code], data...)
	whole := len(data) - unfinished(data)
	r.parts[code] = append([]byte(nil), data[whole:]...)
	if whole > 0 {
		r.event(at, code, string(data[:whole]))
	}
}

func (r *Recorder) flush(at time.Duration) {
	for _, code := range []rune{'o', 'i'} {
		if rest := r.parts[code]; len(rest) > 0 {
			r.parts[code] = nil
			r.event(at, code, string(rest))
		}
	}
}

// unfinished returns the length of the incomplete character at the end of data, at most 3.
func unfinished(data []byte) int {
	for n := 1; n <= min(utf8.UTFMax-1, len(data)); n++ {
		if b := data[len(data)-n]; utf8.RuneStart(b) {
			if b >= utf8.RuneSelf && !utf8.FullRune(data[len(data)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

func (r *Recorder) event(at time.Duration, code rune, data string) {
	if r.err != nil {
		return
	}
	at = max(at.Truncate(time.Microsecond), r.last) // never backwards
	text, err := json.Marshal(data)                 // invalid bytes become U+FFFD
	if err != nil {
		r.err = err
		return
	}
	_, r.err = fmt.Fprintf(r.w, "[%.6f, %q, %s]\n", (at - r.last).Seconds(), string(code), text)
	r.last = at
}

package contract

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"example.org/ripple/runtime/session"
)

// A trace records a session's events during one test, within bounds, because a test may print
// megabytes.
const (
	traceHead    = 20   // first events kept
	traceTail    = 40   // last events kept
	traceBytes   = 2048 // bytes kept of the beginning and of the end of the received output
	traceExcerpt = 72   // bytes shown of one read or write
	traceMarkers = 256  // trusted markers kept
	startupBytes = 64 << 10
)

type trace struct {
	mu      sync.Mutex
	head    []TimelineEntry
	tail    []TimelineEntry
	dropped int
	base    time.Duration
	started bool
	reads   window
	startup []byte // output before the first reset: banner and first prompt
	settled bool
	markers []string // raw markers that the session trusted since the last forgetMarkers
	exit    string   // how the program ended; "" before that
}

// Observe implements session.Observer.
func (t *trace) Observe(e session.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.started {
		t.started, t.base = true, e.At
	}
	if e.Kind == session.EventRead {
		t.reads.add(e.Data)
		if !t.settled && len(t.startup) < startupBytes {
			t.startup = append(t.startup, e.Data...)
		}
	}
	if e.Kind == session.EventMarker && len(e.Data) > 0 && len(t.markers) < traceMarkers {
		t.markers = append(t.markers, string(e.Data))
	}
	if e.Kind == session.EventExit {
		t.exit = e.Text
	}
	t.add(TimelineEntry{AtMS: milliseconds(e.At - t.base), Text: describe(e)})
}

func (t *trace) add(e TimelineEntry) {
	if len(t.head) < traceHead {
		t.head = append(t.head, e)
		return
	}
	t.tail = append(t.tail, e)
	if len(t.tail) > 2*traceTail { // cut rarely, not at each event
		t.dropped += len(t.tail) - traceTail
		t.tail = append(t.tail[:0], t.tail[len(t.tail)-traceTail:]...)
	}
}

// reset discards everything except the startup; the next event is at 0 ms.
func (t *trace) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.head, t.tail, t.dropped, t.started, t.settled = nil, nil, 0, false, true
	t.reads = window{}
}

// ended returns how the program ended; "" before that.
func (t *trace) ended() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.exit
}

func (t *trace) forgetMarkers() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.markers = nil
}

func (t *trace) markersSeen() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.markers)
}

// firstPrompt returns the program's output until it was ready.
func (t *trace) firstPrompt() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.startup)
}

// received returns the output since the reset, cut in the middle.
func (t *trace) received() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.reads.escaped()
}

func (t *trace) timeline() []TimelineEntry {
	t.mu.Lock()
	defer t.mu.Unlock()
	tail, dropped := t.tail, t.dropped
	if len(tail) > traceTail {
		dropped += len(tail) - traceTail
		tail = tail[len(tail)-traceTail:]
	}
	list := append([]TimelineEntry(nil), t.head...)
	if dropped > 0 {
		list = append(list, TimelineEntry{AtMS: tail[0].AtMS, Text: fmt.Sprintf("… %d events not shown …", dropped)})
	}
	return append(list, tail...)
}

func describe(e session.Event) string {
	switch {
	case e.Kind == session.EventRead || e.Kind == session.EventWrite:
		return fmt.Sprintf("%s %d: %s", e.Kind, len(e.Data), excerpt(e.Data))
	case e.Text == "":
		return string(e.Kind)
	case strings.HasPrefix(e.Text, string(e.Kind)):
		return e.Text // "phase ready", "marker D;0"
	default:
		return fmt.Sprintf("%s: %s", e.Kind, e.Text)
	}
}

func excerpt(data []byte) string {
	if len(data) > 4*traceExcerpt { // do not escape bytes that are not shown
		half := traceExcerpt / 2
		return fmt.Sprintf("%s …%d bytes… %s", quoted(string(data[:half])), len(data)-2*half, quoted(string(data[len(data)-half:])))
	}
	return cut(quoted(string(data)), 4*traceExcerpt)
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond).Microseconds()) / 1000
}

// window holds the beginning and the end of a byte stream.
type window struct {
	head, tail []byte
	total      int64
}

func (w *window) add(b []byte) {
	w.total += int64(len(b))
	if room := traceBytes - len(w.head); room > 0 {
		n := min(room, len(b))
		w.head = append(w.head, b[:n]...)
		b = b[n:]
	}
	if len(b) > traceBytes {
		b = b[len(b)-traceBytes:]
	}
	w.tail = append(w.tail, b...)
	if len(w.tail) > 4*traceBytes {
		w.tail = append(w.tail[:0], w.tail[len(w.tail)-traceBytes:]...)
	}
}

func (w *window) escaped() string {
	tail := w.tail
	if len(tail) > traceBytes {
		tail = tail[len(tail)-traceBytes:]
	}
	missing := w.total - int64(len(w.head)+len(tail))
	if missing == 0 {
		return escaped(string(w.head) + string(tail))
	}
	return fmt.Sprintf("%s\n…%d bytes…\n%s", escaped(string(w.head)), missing, escaped(string(tail)))
}

package session

import (
	"bytes"
	"runtime"
	"testing"
	"time"

	"example.org/ripple/runtime/internal/keys"
	"example.org/ripple/runtime/internal/render"
)

// ShortenStuckGap makes starts that cannot succeed fail soon, for one test.
func ShortenStuckGap(t *testing.T) {
	before := stuckGap
	stuckGap = 5 * time.Millisecond
	t.Cleanup(func() { stuckGap = before })
}

// Ended reports whether the end of the command that timed out last is known.
func (s *Session) Ended() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running.ended()
}

// KnowsItsWait reports whether the wait ID that a line sent now would have is that of the program's
// current wait for input.
func (s *Session) KnowsItsWait() bool {
	d := s.driver()
	d.mu.Lock()
	defer d.mu.Unlock()
	id := d.kernel.sending(&d.control.policy, &d.control.state)
	return id != 0 && id == d.kernel.waitNow()
}

// BreakParsers makes the code that looks for prompts panic on text that contains BREAK.
func (s *Session) BreakParsers() {
	d := s.driver()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.detect.begin(nil)
	text := d.detect.onText
	d.detect.onText = func(b []byte) {
		if bytes.Contains(b, []byte("BREAK")) {
			panic("broken")
		}
		text(b)
	}
}

// BreakRenderer makes the code that renders the running command's output panic.
func (s *Session) BreakRenderer() {
	d := s.driver()
	d.printer.mu.Lock()
	defer d.printer.mu.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cmd.render.text = &render.Renderer{} // writing to it panics
}

// ShortenReads makes sessions that start from now on take at most n bytes of a read at once, for one test.
func ShortenReads(t *testing.T, n int) {
	before := longestRead
	longestRead = n
	t.Cleanup(func() { longestRead = before })
}

// TypeUnread types a key that the program gets after other output: arrive makes that output arrive,
// and the session takes it after the key.
func (s *Session) TypeUnread(who int, key string, arrive func()) {
	d := s.driver()
	d.locked(func() {
		arrive()
		for !d.term.Readable(d.progress.bytes) {
			runtime.Gosched()
		}
		t := d.typist
		t.splitter(who).Feed([]byte(key), func(k *keys.Key) { t.key(who, k, false) })
		t.giveKeys()
	})
}

// InterruptAtPrompt sends an interrupt to a program at its prompt, as one that comes just after the end of a command.
func (s *Session) InterruptAtPrompt() {
	d := s.driver()
	d.locked(func() { d.send("\x03") })
}

// DropInput discards what the program has not read.
func (s *Session) DropInput() { s.driver().term.DropInput() }

package session

import (
	"testing"
	"time"
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

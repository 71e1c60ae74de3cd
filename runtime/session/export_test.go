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

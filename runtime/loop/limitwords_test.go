package loop

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/event"
)

// The loop waits for a limit until the time in the agent's message; without a time, the end is
// reported as unknown.
func TestLimitInWords(t *testing.T) {
	for words, want := range map[string]struct {
		wait time.Duration
		what string
	}{
		"You've hit your usage limit. Try again in 2 hours 5 minutes.": {2*time.Hour + 5*time.Minute, "for the provider's limit"},
		"You've hit your usage limit.":                                 {reactions[event.Limited].pauses.first, "for the provider's limit, whose end is unknown"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, func(d *doing) { d.fails(event.Limited, words) }, promises())
			stop := r.run()
			assert.True(t, stop.Done(), stop.Message)
			assert.Equal(t, want.wait, r.waits(want.what), words)
		})
	}
}

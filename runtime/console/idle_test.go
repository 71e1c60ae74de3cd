//go:build unix

package console

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/console/place"
)

// A console is looked at again when its limit may have passed, and at least once in the limit while it is in use: it ends
// soon after its last user has left.
func TestWhenAConsoleExpires(t *testing.T) {
	for name, tt := range map[string]struct {
		limit, unused time.Duration
		clients       int
		exit          string
		left          time.Duration
		over          bool
	}{
		"unused for a while":         {limit: 2 * time.Second, unused: time.Second, left: time.Second},
		"unused for as long":         {limit: 2 * time.Second, unused: 2 * time.Second, over: true},
		"unused for longer":          {limit: 2 * time.Second, unused: time.Hour, over: true},
		"in use":                     {limit: 2 * time.Second, unused: time.Hour, clients: 1, left: 2 * time.Second},
		"in use, with a tiny limit":  {limit: time.Millisecond, unused: time.Hour, clients: 1, left: shortestLook},
		"in use, with a long limit":  {limit: 24 * time.Hour, clients: 1, left: longestLook},
		"no limit":                   {unused: 1000 * time.Hour, left: longestLook},
		"the program has ended":      {exit: "exit status 1", unused: time.Minute, left: exitedRetention - time.Minute},
		"the program ended long ago": {limit: 24 * time.Hour, exit: "exit status 1", unused: exitedRetention, over: true},
		"it has ended and is in use": {exit: "exit status 1", unused: time.Hour, clients: 1, left: longestLook},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Now()
			h := &host{spec: place.Order{Spec: Spec{IdleEnd: tt.limit}}, touched: now.Add(-tt.unused), visitors: visitors{clients: tt.clients}, outcome: outcome{exit: tt.exit}}
			left, over := h.expired(now)
			assert.Equal(t, tt.left, left)
			assert.Equal(t, tt.over, over)
		})
	}
}

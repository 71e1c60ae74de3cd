package loop

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWindow(t *testing.T) {
	ago := func(minutes ...int) []time.Time {
		var calls []time.Time
		for _, m := range minutes {
			calls = append(calls, noon.Add(-time.Duration(m)*time.Minute))
		}
		return calls
	}
	tests := []struct {
		name  string
		calls []time.Time
		limit int
		wait  time.Duration
		left  int // calls that still count
	}{
		{"no call yet", nil, 2, 0, 0},
		{"below the limit", ago(10), 2, 0, 1},
		{"at the limit: until the oldest is an hour old", ago(50, 10), 2, 10 * time.Minute, 2},
		{"a full hour ago does not count", ago(60, 10), 2, 0, 1},
		{"above a limit that was lowered", ago(50, 40, 30), 2, 20 * time.Minute, 3},
		{"it slides: no fresh hundred at the full hour", ago(59, 1), 2, time.Minute, 2},
		{"calls in the future count as made now", ago(-600, -700), 2, time.Hour, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := window{tt.calls}
			assert.Equal(t, tt.wait, w.wait(tt.limit, noon))
			assert.Len(t, w.Calls, tt.left)
		})
	}
}

func TestWindowHoursEightAndNine(t *testing.T) {
	for _, h := range []int{8, 9} {
		var w window
		at := time.Date(2026, 3, 1, h, 9, 8, 0, time.UTC)
		w.add(at)
		data, err := json.Marshal(w)
		require.NoError(t, err)
		var back window
		require.NoError(t, json.Unmarshal(data, &back))
		assert.Equal(t, time.Hour, back.wait(1, at))
		assert.Equal(t, at.Add(time.Hour), back.nextReset(at))
	}
}

func TestBackoff(t *testing.T) {
	for n, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		assert.Equal(t, want*time.Second, backoff(n, time.Second, time.Minute), "failure %d", n)
	}
	assert.Equal(t, time.Hour, backoff(1<<30, 5*time.Minute, time.Hour))
}

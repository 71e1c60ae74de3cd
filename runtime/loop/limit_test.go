package loop

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWindow(t *testing.T) {
	ago := func(minutes ...int) (list []calls) {
		for _, m := range minutes {
			list = append(list, calls{noon.Add(-time.Duration(m) * time.Minute), 1})
		}
		return list
	}
	tests := []struct {
		name  string
		calls []calls
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
		{"many in a second: the oldest above the limit counts", []calls{{noon.Add(-50 * time.Minute), 3}, {noon.Add(-10 * time.Minute), 2}}, 3, 10 * time.Minute, 5},
		{"many in a second: the oldest are above the limit", []calls{{noon.Add(-50 * time.Minute), 3}, {noon.Add(-10 * time.Minute), 2}}, 2, 50 * time.Minute, 5},
		{"many in a second, below the limit", []calls{{noon.Add(-50 * time.Minute), 3}}, 4, 0, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := window{tt.calls}
			assert.Equal(t, tt.wait, w.wait(tt.limit, noon))
			assert.Equal(t, tt.left, w.count())
		})
	}
}

// A file with the calls of an hour stays small, however many there are.
func TestAWindowHasOneEntryForEachSecond(t *testing.T) {
	var w window
	for i := range 10_000 {
		w.add(noon.Add(time.Duration(i) * 3 * time.Millisecond))
	}
	assert.LessOrEqual(t, len(w.Calls), 30)
	assert.Equal(t, 10_000, w.count())
	at := noon.Add(time.Minute)
	w.add(at)
	assert.Equal(t, calls{at, 1}, w.Calls[len(w.Calls)-1])
	w.add(at.Add(-time.Second)) // the clock was set back
	assert.Equal(t, 10_002, w.count())
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

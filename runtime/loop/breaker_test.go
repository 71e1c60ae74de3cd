package loop

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	rules = thresholds{NoProgress: 3, SameError: 5, Decline: 70, Cooldown: 30 * time.Minute}
	noon  = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

// step is one turn and what must hold after it.
type step struct {
	o      observation
	state  string
	reason string // a part of it
}

func TestBreakerOpens(t *testing.T) {
	var (
		works  = observation{progress: true, output: 100}
		idles  = observation{output: 100}
		fails  = observation{failed: true}
		errs   = observation{progress: true, output: 100, errors: []string{"Error: a", "Error: b"}}
		subset = observation{progress: true, output: 100, errors: []string{"Error: a"}}
		other  = observation{progress: true, output: 100, errors: []string{"Error: c"}}
		denied = observation{progress: true, output: 100, denied: true}
		terse  = observation{progress: true, output: 10}
		none   = observation{progress: true}
	)
	threshold := rules
	threshold.Denials = 2
	tests := []struct {
		name  string
		rules thresholds
		steps []step
	}{
		{"no progress 3 times", rules, []step{{idles, closed, ""}, {idles, closed, ""}, {idles, open, "no progress in 3 turns"}}},
		{"progress in between", rules, []step{{idles, closed, ""}, {idles, closed, ""}, {works, closed, ""}, {idles, closed, ""}, {idles, closed, ""}, {idles, open, "no progress"}}},
		{"failed turns count", rules, []step{{fails, closed, ""}, {fails, closed, ""}, {fails, open, "no progress"}}},
		{"the same error 5 times", rules, []step{{errs, closed, ""}, {errs, closed, ""}, {errs, closed, ""}, {errs, closed, ""}, {errs, open, "the same error in 5 turns"}}},
		{"all of its lines were there before", rules, []step{{errs, closed, ""}, {subset, closed, ""}, {subset, closed, ""}, {subset, closed, ""}, {subset, open, "the same error"}}},
		{"another error starts anew", rules, []step{{errs, closed, ""}, {errs, closed, ""}, {errs, closed, ""}, {errs, closed, ""}, {other, closed, ""}, {errs, closed, ""}}},
		{"a turn without error starts anew", rules, []step{{errs, closed, ""}, {errs, closed, ""}, {errs, closed, ""}, {errs, closed, ""}, {works, closed, ""}, {errs, closed, ""}}},
		{"denials do not open it", rules, []step{{denied, closed, ""}, {denied, closed, ""}, {denied, closed, ""}}},
		{"but in threshold mode", threshold, []step{{denied, closed, ""}, {denied, open, "permission_denied"}}},
		{"denials not in a row", threshold, []step{{denied, closed, ""}, {works, closed, ""}, {denied, closed, ""}}},
		{
			"output shrank 3 times", rules,
			[]step{{works, closed, ""}, {works, closed, ""}, {works, closed, ""}, {terse, closed, ""}, {terse, closed, ""}, {none, open, "output shrank by more than 70% in 3 turns"}},
		},
		{"no mean before 3 turns", rules, []step{{works, closed, ""}, {works, closed, ""}, {terse, closed, ""}, {terse, closed, ""}, {terse, closed, ""}, {terse, closed, ""}}},
		{"silence from the start is no decline", rules, []step{{none, closed, ""}, {none, closed, ""}, {none, closed, ""}, {none, closed, ""}, {none, closed, ""}, {none, closed, ""}, {none, closed, ""}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, m := breaker{State: closed}, memory{}
			for i, s := range tt.steps {
				s.o.turn = i + 1
				b.observe(&m, s.o, tt.rules, noon)
				require.Equal(t, s.state, b.State, "turn %d", i+1)
				assert.Contains(t, b.Reason, s.reason)
				assert.Equal(t, i+1, b.CurrentLoop)
			}
			if b.State == open {
				assert.Equal(t, 1, b.TotalOpens)
				assert.Equal(t, noon, b.OpenedAt.Time)
			}
		})
	}
}

func TestBreakerShrinksByMoreThanThePercentage(t *testing.T) {
	m := memory{Outputs: []int{90, 100, 110}}
	assert.False(t, m.shrunk(30, 70), "by 70 percent")
	assert.True(t, m.shrunk(29, 70), "by more")
	assert.False(t, m.shrunk(0, 100))
}

func TestBreakerCooldown(t *testing.T) {
	opened := moment{noon}
	tests := []struct {
		name  string
		at    *moment
		now   time.Time
		allow bool
		state string
	}{
		{"at once", &opened, noon, false, open},
		{"just before", &opened, noon.Add(30*time.Minute - 1), false, open},
		{"after it", &opened, noon.Add(30 * time.Minute), true, halfOpen},
		{"the clock went backwards", &opened, noon.Add(-48 * time.Hour), false, open},
		{"no time in the file", nil, noon, false, open},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := breaker{State: open, OpenedAt: tt.at}
			assert.Equal(t, tt.allow, b.allow(rules, tt.now))
			assert.Equal(t, tt.state, b.State)
			assert.NotNil(t, b.OpenedAt)
		})
	}
	for _, state := range []string{closed, halfOpen} {
		b := breaker{State: state}
		assert.True(t, b.allow(rules, noon))
		assert.Equal(t, state, b.State)
	}
}

func TestBreakerProbe(t *testing.T) {
	tests := []struct {
		name  string
		o     observation
		state string
	}{
		{"progress without error", observation{progress: true}, closed},
		{"progress with an error", observation{progress: true, errors: []string{"Error: a"}}, open},
		{"progress in a failed turn", observation{progress: true, failed: true}, open},
		{"no progress", observation{}, open},
		{"denied again", observation{progress: true, denied: true}, open},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := breaker{State: halfOpen, NoProgress: 3, SameError: 4, PermissionDenials: 2, TotalOpens: 7, LastProgress: 2, Reason: "permission_denied"}
			m := memory{Errors: []string{"Error: b"}, Declines: 2}
			tt.o.turn = 9
			b.observe(&m, tt.o, rules, noon)
			assert.Equal(t, tt.state, b.State)
			if tt.state == closed {
				assert.Equal(t, breaker{State: closed, TotalOpens: 7, LastProgress: 9, CurrentLoop: 9}, b)
				assert.Equal(t, memory{Outputs: []int{0}}, m)
				return
			}
			assert.Equal(t, 8, b.TotalOpens)
			assert.Equal(t, noon, b.OpenedAt.Time)
			assert.False(t, b.allow(rules, noon), "a new cooldown")
		})
	}
}

func TestBreakerJSON(t *testing.T) {
	b := breaker{State: open, NoProgress: 3, LastProgress: 5, TotalOpens: 1, Reason: "no progress in 3 turns", OpenedAt: &moment{noon}, CurrentLoop: 10}
	data, err := json.Marshal(b)
	require.NoError(t, err)
	assert.JSONEq(t, `{
		"state": "OPEN",
		"consecutive_no_progress": 3,
		"consecutive_same_error": 0,
		"consecutive_permission_denials": 0,
		"last_progress_loop": 5,
		"total_opens": 1,
		"reason": "no progress in 3 turns",
		"opened_at": "2026-03-01T12:00:00Z",
		"current_loop": 10
	}`, string(data))
	var back breaker
	require.NoError(t, json.Unmarshal(data, &back))
	assert.Equal(t, b, back)
	assert.True(t, back.valid())
	assert.False(t, (&breaker{}).valid())
	assert.False(t, (&breaker{State: "AJAR"}).valid())
	assert.False(t, (&breaker{State: closed, NoProgress: -1}).valid())
}

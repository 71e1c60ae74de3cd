package loop

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/loop/record"
)

var (
	rules = thresholds{NoProgress: 3, SameError: 5, Decline: 70, Cooldown: 30 * time.Minute}
	noon  = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

// step is one turn and the expected state after it.
type step struct {
	o      observation
	state  string
	reason string // substring
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
		{"no progress 3 times", rules, []step{{idles, record.Closed, ""}, {idles, record.Closed, ""}, {idles, record.Open, "no progress in 3 turns"}}},
		{"progress in between", rules, []step{{idles, record.Closed, ""}, {idles, record.Closed, ""}, {works, record.Closed, ""}, {idles, record.Closed, ""}, {idles, record.Closed, ""}, {idles, record.Open, "no progress"}}},
		{"failed turns count", rules, []step{{fails, record.Closed, ""}, {fails, record.Closed, ""}, {fails, record.Open, "no progress"}}},
		{"the same error 5 times", rules, []step{{errs, record.Closed, ""}, {errs, record.Closed, ""}, {errs, record.Closed, ""}, {errs, record.Closed, ""}, {errs, record.Open, "the same error in 5 turns"}}},
		{"all of its lines were there before", rules, []step{{errs, record.Closed, ""}, {subset, record.Closed, ""}, {subset, record.Closed, ""}, {subset, record.Closed, ""}, {subset, record.Open, "the same error"}}},
		{"another error restarts the count", rules, []step{{errs, record.Closed, ""}, {errs, record.Closed, ""}, {errs, record.Closed, ""}, {errs, record.Closed, ""}, {other, record.Closed, ""}, {errs, record.Closed, ""}}},
		{"a turn without error restarts the count", rules, []step{{errs, record.Closed, ""}, {errs, record.Closed, ""}, {errs, record.Closed, ""}, {errs, record.Closed, ""}, {works, record.Closed, ""}, {errs, record.Closed, ""}}},
		{"denials do not open it", rules, []step{{denied, record.Closed, ""}, {denied, record.Closed, ""}, {denied, record.Closed, ""}}},
		{"denials open it in threshold mode", threshold, []step{{denied, record.Closed, ""}, {denied, record.Open, "permission_denied"}}},
		{"denials that are not consecutive", threshold, []step{{denied, record.Closed, ""}, {works, record.Closed, ""}, {denied, record.Closed, ""}}},
		{
			"output shrank 3 times", rules,
			[]step{{works, record.Closed, ""}, {works, record.Closed, ""}, {works, record.Closed, ""}, {terse, record.Closed, ""}, {terse, record.Closed, ""}, {none, record.Open, "output shrank by more than 70% in 3 turns"}},
		},
		{"no mean before 3 turns", rules, []step{{works, record.Closed, ""}, {works, record.Closed, ""}, {terse, record.Closed, ""}, {terse, record.Closed, ""}, {terse, record.Closed, ""}, {terse, record.Closed, ""}}},
		{"no output from the start is not a decline", rules, []step{{none, record.Closed, ""}, {none, record.Closed, ""}, {none, record.Closed, ""}, {none, record.Closed, ""}, {none, record.Closed, ""}, {none, record.Closed, ""}, {none, record.Closed, ""}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, m := breaker{State: record.Closed}, memory{}
			for i, s := range tt.steps {
				s.o.turn = i + 1
				b.observe(&m, s.o, tt.rules, noon)
				require.Equal(t, s.state, b.State, "turn %d", i+1)
				assert.Contains(t, b.Reason, s.reason)
				assert.Equal(t, i+1, b.CurrentLoop)
			}
			if b.State == record.Open {
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
	opened := record.Time{Time: noon}
	tests := []struct {
		name  string
		at    *record.Time
		now   time.Time
		allow bool
		state string
	}{
		{"at once", &opened, noon, false, record.Open},
		{"just before", &opened, noon.Add(30*time.Minute - 1), false, record.Open},
		{"after it", &opened, noon.Add(30 * time.Minute), true, record.HalfOpen},
		{"the clock moved backwards", &opened, noon.Add(-48 * time.Hour), false, record.Open},
		{"no time in the file", nil, noon, false, record.Open},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := breaker{State: record.Open, OpenedAt: tt.at}
			assert.Equal(t, tt.allow, b.allow(rules, tt.now))
			assert.Equal(t, tt.state, b.State)
			assert.NotNil(t, b.OpenedAt)
		})
	}
	for _, state := range []string{record.Closed, record.HalfOpen} {
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
		{"progress without error", observation{progress: true}, record.Closed},
		{"progress with an error", observation{progress: true, errors: []string{"Error: a"}}, record.Open},
		{"progress in a failed turn", observation{progress: true, failed: true}, record.Open},
		{"no progress", observation{}, record.Open},
		{"denied again", observation{progress: true, denied: true}, record.Open},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := breaker{State: record.HalfOpen, NoProgress: 3, SameError: 4, PermissionDenials: 2, TotalOpens: 7, LastProgress: 2, Reason: "permission_denied"}
			m := memory{Errors: []string{"Error: b"}, Declines: 2}
			tt.o.turn = 9
			b.observe(&m, tt.o, rules, noon)
			assert.Equal(t, tt.state, b.State)
			if tt.state == record.Closed {
				assert.Equal(t, breaker{State: record.Closed, TotalOpens: 7, LastProgress: 9, CurrentLoop: 9}, b)
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
	b := breaker{State: record.Open, NoProgress: 3, LastProgress: 5, TotalOpens: 1, Reason: "no progress in 3 turns", OpenedAt: &record.Time{Time: noon}, CurrentLoop: 10}
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
	assert.True(t, (*record.Breaker)(&back).Valid())
	assert.False(t, (&record.Breaker{}).Valid())
	assert.False(t, (&record.Breaker{State: "AJAR"}).Valid())
	assert.False(t, (&record.Breaker{State: record.Closed, NoProgress: -1}).Valid())
}

// Files of the reference with empty fields, or as its shell writes them.
func TestFilesOfTheReferenceAreRead(t *testing.T) {
	var b breaker
	require.NoError(t, json.Unmarshal([]byte(`{"state": "OPEN", "consecutive_no_progress": 3, "opened_at": "2026-03-01T12:00:00+0000", "last_change": "x"}`), &b))
	assert.True(t, (*record.Breaker)(&b).Valid())
	assert.False(t, b.allow(rules, noon.Add(rules.Cooldown-time.Second)))
	assert.True(t, b.allow(rules, noon.Add(rules.Cooldown)))
	b = breaker{}
	require.NoError(t, json.Unmarshal([]byte(`{"state": "OPEN", "opened_at": ""}`), &b))
	assert.False(t, b.allow(rules, noon), "the cooldown starts now")
	assert.True(t, b.allow(rules, noon.Add(rules.Cooldown)))
	var s record.Session
	require.NoError(t, json.Unmarshal([]byte(`{"session_id": "a", "created_at": "2026-03-01T12:00:00+0000", "last_used": ""}`), &s))
	assert.Equal(t, record.Session{ID: "a", CreatedAt: noon}, s)
}

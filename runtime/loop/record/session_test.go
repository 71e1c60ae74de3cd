package record

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSessionJSON(t *testing.T) {
	tests := []struct {
		name string
		s    Session
		want string
	}{
		{
			"active",
			Session{ID: "s-1", CreatedAt: noon, LastUsed: noon.Add(time.Minute)},
			`{"session_id": "s-1", "created_at": "2026-03-01T12:00:00Z", "last_used": "2026-03-01T12:01:00Z"}`,
		},
		{
			"reset",
			Session{ResetAt: noon, ResetReason: "circuit_breaker_open"},
			`{"session_id": "", "reset_at": "2026-03-01T12:00:00Z", "reset_reason": "circuit_breaker_open"}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data, err := json.Marshal(tt.s)
			require.NoError(t, err)
			assert.JSONEq(t, tt.want, string(data))
			var back Session
			require.NoError(t, json.Unmarshal(data, &back))
			assert.Equal(t, tt.s, back)
		})
	}
}

func TestSessionLife(t *testing.T) {
	var s Session
	assert.Nil(t, s.Reset("x", 0, noon), "nothing to reset")
	assert.Equal(t, &Move{noon, "", "a", "session_started", 1}, s.Use("a", "x", 1, noon))
	later := noon.Add(time.Hour)
	assert.Nil(t, s.Use("a", "x", 2, later))
	assert.Equal(t, Session{ID: "a", Agent: "x", CreatedAt: noon, LastUsed: later}, s)
	assert.Equal(t, &Move{later, "a", "b", "session_started", 3}, s.Use("b", "x", 3, later))
	assert.Equal(t, &Move{later, "b", "", "project_complete", 4}, s.Reset("project_complete", 4, later))
	assert.Equal(t, Session{ResetAt: later, ResetReason: "project_complete"}, s)
}

func TestSessionExpires(t *testing.T) {
	tests := []struct {
		name  string
		now   time.Time
		after time.Duration
		want  bool
	}{
		{"just used", noon, 24 * time.Hour, false},
		{"almost", noon.Add(24*time.Hour - 1), 24 * time.Hour, false},
		{"now", noon.Add(24 * time.Hour), 24 * time.Hour, true},
		{"the clock moved backwards", noon.Add(-48 * time.Hour), 24 * time.Hour, false},
	}
	for _, tt := range tests {
		s := Session{ID: "a", LastUsed: noon}
		assert.Equal(t, tt.want, s.Expired(tt.after, tt.now), tt.name)
	}
	assert.False(t, (&Session{}).Expired(time.Hour, noon), "there is none")
}

package loop

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ripple/runtime/loop/layout"
)

func TestSessionJSON(t *testing.T) {
	tests := []struct {
		name string
		s    session
		want string
	}{
		{
			"active",
			session{ID: "s-1", CreatedAt: noon, LastUsed: noon.Add(time.Minute)},
			`{"session_id": "s-1", "created_at": "2026-03-01T12:00:00Z", "last_used": "2026-03-01T12:01:00Z"}`,
		},
		{
			"reset",
			session{ResetAt: noon, ResetReason: "circuit_breaker_open"},
			`{"session_id": "", "reset_at": "2026-03-01T12:00:00Z", "reset_reason": "circuit_breaker_open"}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data, err := json.Marshal(tt.s)
			require.NoError(t, err)
			assert.JSONEq(t, tt.want, string(data))
			var back session
			require.NoError(t, json.Unmarshal(data, &back))
			assert.Equal(t, tt.s, back)
		})
	}
}

func TestSessionLife(t *testing.T) {
	var s session
	assert.Nil(t, s.reset("x", 0, noon), "nothing to reset")
	assert.Equal(t, &transition{noon, "", "a", "session_started", 1}, s.use("a", "x", 1, noon))
	later := noon.Add(time.Hour)
	assert.Nil(t, s.use("a", "x", 2, later))
	assert.Equal(t, session{ID: "a", Agent: "x", CreatedAt: noon, LastUsed: later}, s)
	assert.Equal(t, &transition{later, "a", "b", "session_started", 3}, s.use("b", "x", 3, later))
	assert.Equal(t, &transition{later, "b", "", "project_complete", 4}, s.reset("project_complete", 4, later))
	assert.Equal(t, session{ResetAt: later, ResetReason: "project_complete"}, s)
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
		{"the clock went backwards", noon.Add(-48 * time.Hour), 24 * time.Hour, false},
	}
	for _, tt := range tests {
		s := session{ID: "a", LastUsed: noon}
		assert.Equal(t, tt.want, s.expired(tt.after, tt.now), tt.name)
	}
	assert.False(t, (&session{}).expired(time.Hour, noon), "there is none")
}

func TestSessionFiles(t *testing.T) {
	s := store{dir: t.TempDir()}
	load := func() session {
		v, damaged, err := s.loadSession()
		require.NoError(t, err)
		assert.Empty(t, damaged)
		return v
	}
	assert.Zero(t, load())

	a := session{ID: "a", CreatedAt: noon, LastUsed: noon}
	require.NoError(t, s.saveSession(a, []transition{{noon, "", "a", "session_started", 1}}))
	assert.Equal(t, a, load())
	id, err := os.ReadFile(s.path(layout.IDFile))
	require.NoError(t, err)
	assert.Equal(t, "a\n", string(id))

	require.NoError(t, os.WriteFile(s.path(layout.IDFile), []byte("b\r\n"), 0o600))
	assert.Equal(t, "b", load().ID, "an id that another tool wrote, with CRLF")
	require.NoError(t, os.Remove(s.path(layout.IDFile)))
	assert.Empty(t, load().ID, "an id that somebody removed")

	reset := session{ResetAt: noon, ResetReason: "manual_reset"}
	require.NoError(t, s.saveSession(reset, nil))
	assert.Equal(t, reset, load())

	require.NoError(t, os.WriteFile(s.path(layout.SessionFile), []byte("{torn"), 0o600))
	v, damaged, err := s.loadSession()
	require.NoError(t, err)
	assert.Zero(t, v)
	assert.Equal(t, layout.SessionFile+".corrupt", damaged)
}

func TestSessionHistoryKeeps50(t *testing.T) {
	s := store{dir: t.TempDir()}
	for i := range 60 {
		m := []transition{{noon, "", "a", "session_started", i}}
		require.NoError(t, s.saveSession(session{ID: "a"}, m))
		require.NoError(t, s.saveSession(session{ID: "a"}, m), "again after a crash")
	}
	var list []transition
	found, _, err := s.readJSON(layout.HistoryFile, &list, func() bool { return true })
	require.NoError(t, err)
	require.True(t, found)
	require.Len(t, list, 50)
	assert.Equal(t, 10, list[0].Loop)
	assert.Equal(t, 59, list[49].Loop)
}

package loop

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMomentIsWrittenToTheSecond(t *testing.T) {
	for at, want := range map[time.Time]string{
		noon.Add(123456789):                   `"2026-03-01T12:00:00Z"`,
		noon.In(time.FixedZone("east", 3600)): `"2026-03-01T12:00:00Z"`,
		{}:                                    `""`,
	} {
		data, err := json.Marshal(moment{at})
		require.NoError(t, err)
		assert.Equal(t, want, string(data))
	}
}

func TestMomentReadsWhatOthersWrite(t *testing.T) {
	for _, text := range []string{"2026-03-01T12:00:00Z", "2026-03-01T13:00:00+01:00", "2026-03-01T12:00:00+0000", "2026-03-01T12:00:00", "2026-03-01T12:00:00.000Z"} {
		var m moment
		require.NoError(t, json.Unmarshal([]byte(`"`+text+`"`), &m), text)
		assert.Equal(t, noon, m.Time, text)
	}
	for _, text := range []string{`""`, `null`} {
		m := moment{noon}
		require.NoError(t, json.Unmarshal([]byte(text), &m))
		assert.True(t, m.IsZero(), text)
	}
	for _, text := range []string{`"noon"`, `12`, `"2026-03-01"`} {
		assert.Error(t, json.Unmarshal([]byte(text), new(moment)), text)
	}
}

// Files of the reference with what it leaves empty, or as its shell writes it.
func TestFilesOfTheReferenceAreRead(t *testing.T) {
	var b breaker
	require.NoError(t, json.Unmarshal([]byte(`{"state": "OPEN", "consecutive_no_progress": 3, "opened_at": "2026-03-01T12:00:00+0000", "last_change": "x"}`), &b))
	assert.True(t, b.valid())
	assert.False(t, b.allow(rules, noon.Add(rules.Cooldown-time.Second)))
	assert.True(t, b.allow(rules, noon.Add(rules.Cooldown)))
	b = breaker{}
	require.NoError(t, json.Unmarshal([]byte(`{"state": "OPEN", "opened_at": ""}`), &b))
	assert.False(t, b.allow(rules, noon), "the cooldown starts now")
	assert.True(t, b.allow(rules, noon.Add(rules.Cooldown)))
	var s session
	require.NoError(t, json.Unmarshal([]byte(`{"session_id": "a", "created_at": "2026-03-01T12:00:00+0000", "last_used": ""}`), &s))
	assert.Equal(t, session{ID: "a", CreatedAt: noon}, s)
}

package record

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestTimeIsWrittenToTheSecond(t *testing.T) {
	for at, want := range map[time.Time]string{
		noon.Add(123456789):                   `"2026-03-01T12:00:00Z"`,
		noon.In(time.FixedZone("east", 3600)): `"2026-03-01T12:00:00Z"`,
		{}:                                    `""`,
	} {
		data, err := json.Marshal(Time{at})
		require.NoError(t, err)
		assert.Equal(t, want, string(data))
	}
}

func TestTimeReadsOtherFormats(t *testing.T) {
	for _, text := range []string{"2026-03-01T12:00:00Z", "2026-03-01T13:00:00+01:00", "2026-03-01T12:00:00+0000", "2026-03-01T12:00:00", "2026-03-01T12:00:00.000Z"} {
		var m Time
		require.NoError(t, json.Unmarshal([]byte(`"`+text+`"`), &m), text)
		assert.Equal(t, noon, m.Time, text)
	}
	for _, text := range []string{`""`, `null`} {
		m := Time{noon}
		require.NoError(t, json.Unmarshal([]byte(text), &m))
		assert.True(t, m.IsZero(), text)
	}
	for _, text := range []string{`"noon"`, `12`, `"2026-03-01"`} {
		assert.Error(t, json.Unmarshal([]byte(text), new(Time)), text)
	}
}

package record

import (
	"encoding/json"
	"fmt"
	"time"
)

// Time is one in the seed's files. It is written to the second and in UTC,
// as `date -u +%FT%TZ` does: jq's fromdateiso8601 takes nothing else.
type Time struct{ time.Time }

// timeLayouts are what other programs write: RFC 3339, `date +%FT%T%z`, and no
// zone at all, which is taken for UTC.
var timeLayouts = []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05"}

// MarshalJSON writes "" for no time.
func (m Time) MarshalJSON() ([]byte, error) {
	if m.IsZero() {
		return []byte(`""`), nil
	}
	return json.Marshal(m.UTC().Truncate(time.Second))
}

// UnmarshalJSON reads "" and null as no time.
func (m *Time) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	m.Time = time.Time{}
	if text == "" {
		return nil
	}
	for _, layout := range timeLayouts {
		if at, err := time.Parse(layout, text); err == nil {
			m.Time = at.UTC()
			return nil
		}
	}
	return fmt.Errorf("%q is no time; expected one like 2006-01-02T15:04:05Z", text)
}

package record

import (
	"encoding/json"
	"fmt"
	"time"
)

// Time is a time in the files of the Ralph reference. It is written in UTC with a precision of
// seconds, as `date -u +%FT%TZ` does: jq's fromdateiso8601 accepts only this.
type Time struct{ time.Time }

// timeLayouts are the layouts of other programs: RFC 3339, `date +%FT%T%z`, and a time without a
// zone, which is taken as UTC.
var timeLayouts = []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05"}

// MarshalJSON writes the zero time as "".
func (m Time) MarshalJSON() ([]byte, error) {
	if m.IsZero() {
		return []byte(`""`), nil
	}
	return json.Marshal(m.UTC().Truncate(time.Second))
}

// UnmarshalJSON reads "" and null as the zero time.
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
	return fmt.Errorf("%q is not a time; expected one like 2006-01-02T15:04:05Z", text)
}

package contract

import (
	"encoding/json"
	"io"
)

// JSONVersion is the version of the document that WriteJSON writes. It changes
// when a key goes or changes its meaning, not when one is added.
const JSONVersion = 1

// WriteJSON writes one document: {"version": 1, "ok": …, "reports": [Report, …]}.
// The keys of a report are the json tags of [Report], [TestResult] and [Failure];
// durations are nanoseconds, timeline positions milliseconds.
func WriteJSON(w io.Writer, reports []*Report) error {
	doc := struct {
		Version int       `json:"version"`
		OK      bool      `json:"ok"`
		Reports []*Report `json:"reports"`
	}{JSONVersion, true, append([]*Report{}, reports...)}
	for _, r := range reports {
		doc.OK = doc.OK && r.OK()
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(doc)
}

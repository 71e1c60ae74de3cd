package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// jsonVersion is the version of the document that WriteJSON writes. It changes when a key is
// removed or changes its meaning, not when a key is added.
const jsonVersion = 1

// WriteJSON writes one document: {"version": 1, "ok": …, "reports": [Report, …]}.
// The keys of a report are the json tags of [Report], [TestResult] and [Failure];
// durations are nanoseconds, timeline positions milliseconds.
func WriteJSON(w io.Writer, reports []*Report) error {
	doc := struct {
		Version int       `json:"version"`
		OK      bool      `json:"ok"`
		Reports []*Report `json:"reports"`
	}{jsonVersion, true, append([]*Report{}, reports...)}
	for _, r := range reports {
		doc.OK = doc.OK && r.OK()
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(doc)
}

// ReadJSON reads a document that WriteJSON wrote. It does not contain [Report.Missing],
// which depends on the machine that made the report.
func ReadJSON(r io.Reader) ([]*Report, error) {
	var doc struct {
		Version *int      `json:"version"`
		Reports []*Report `json:"reports"`
	}
	if err := json.NewDecoder(r).Decode(&doc); err != nil {
		return nil, fmt.Errorf("not a JSON report of contract tests: %w", err)
	}
	if doc.Version == nil || doc.Reports == nil || slices.Contains(doc.Reports, nil) {
		return nil, errors.New("not a JSON report of contract tests")
	}
	if *doc.Version != jsonVersion {
		return nil, fmt.Errorf("report version %d is not supported; the supported version is %d", *doc.Version, jsonVersion)
	}
	for _, report := range doc.Reports {
		for _, t := range report.Tests {
			if t.unsuccessful() && t.Failure == nil {
				return nil, fmt.Errorf("%s: the test %q has the status failed but no failure", report.Adapter, t.Name)
			}
		}
	}
	return doc.Reports, nil
}

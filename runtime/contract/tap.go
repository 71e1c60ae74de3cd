package contract

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteTAP writes TAP 14 (https://testanything.org/tap-version-14-specification.html), one test
// point for each test of all adapters, with YAML diagnostics below those that failed.
func WriteTAP(w io.Writer, reports []*Report) error {
	p := &textWriter{w: w}
	p.line("TAP version 14")
	p.line("1..%d", points(reports))
	n := 0
	for _, r := range reports {
		switch {
		case r.absent():
			n++
			p.line("not ok %d - %s", n, tapText(r.Adapter))
			p.diagnostic(TestResult{Status: Errored, File: r.File, Failure: &Failure{Message: r.Skipped}})
		case r.Skipped != "":
			n++
			p.line("ok %d - %s # SKIP %s", n, tapText(r.Adapter), tapText(firstLine(r.Skipped)))
		}
		for _, t := range r.Tests {
			n++
			p.point(n, r, t)
		}
		p.line("# %s", firstLine(summary(r)))
	}
	return p.err
}

func points(reports []*Report) int {
	n := 0
	for _, r := range reports {
		n += len(r.Tests)
		if r.Skipped != "" {
			n++
		}
	}
	return n
}

func (p *textWriter) point(n int, r *Report, t TestResult) {
	name := tapText(r.Adapter + ": " + roundName(t))
	switch t.Status {
	case Passed:
		p.line("ok %d - %s", n, name)
	case NotApplicable:
		p.line("ok %d - %s # SKIP not applicable: %s", n, name, tapText(firstLine(t.Reason)))
	case Skipped:
		p.line("ok %d - %s # SKIP %s", n, name, tapText(firstLine(t.Reason)))
	default:
		p.line("not ok %d - %s", n, name)
		p.diagnostic(t)
	}
	for _, note := range t.Notes {
		p.line("# note: %s", firstLine(note))
	}
}

// diagnostic writes the YAML block below a test point, indented by two. Its scalars are JSON
// strings, which are valid YAML.
func (p *textWriter) diagnostic(t TestResult) {
	severity := "fail"
	if t.Status == Errored {
		severity = "error"
	}
	p.line("  ---")
	for _, x := range append([]part{{"message", t.Failure.Message}, {"severity", severity}, {"at", place(t)}}, t.Failure.parts()...) {
		if x.text != "" {
			p.line("  %s: %s", strings.ReplaceAll(x.label, " ", "_"), scalar(x.text))
		}
	}
	if len(t.Failure.Timeline) > 0 {
		p.line("  timeline_ms:")
	}
	for _, e := range t.Failure.Timeline {
		p.line("    - %s", scalar(fmt.Sprintf("%.3f %s", e.AtMS, e.Text)))
	}
	p.line("  ...")
}

func scalar(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return strconv.Quote(s) // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// tapText escapes characters that would begin a directive.
func tapText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "#", `\#`).Replace(s)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

package contract

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// TextOptions configures the text report.
//
// Rules of this output: plain words by default, so that it can be piped and searched; a line for
// each test that did not simply pass, and for each passed one only when Verbose; one line for all
// tests skipped because the program does not start, unless Verbose; failures in full; one summary
// line at the end of each adapter.
type TextOptions struct {
	Verbose bool // also the tests that passed
	Marks   bool // ✓ ✗ – instead of words
	Color   bool // SGR colors for the marks or words
}

// WriteText writes the reports as text for users.
func WriteText(w io.Writer, reports []*Report, o TextOptions) error {
	p := &textWriter{w: w, o: o}
	for _, r := range reports {
		p.report(r)
	}
	return p.err
}

// textWriter keeps the first error, so that the layout code needs no error checks.
type textWriter struct {
	w   io.Writer
	o   TextOptions
	err error
}

func (p *textWriter) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *textWriter) report(r *Report) {
	unstarted := 0
	for _, t := range r.Tests {
		switch {
		case t.Status == Passed && len(t.Notes) == 0 && !p.o.Verbose:
		case t.Status == Skipped && t.Reason == notStartedReason && !p.o.Verbose:
			unstarted++
		default:
			p.test(r, t)
		}
	}
	p.after(r, unstarted, notStartedReason)
	for _, note := range r.Notes {
		p.line("  note: %s", note)
	}
	p.line("%s", summary(r))
}

// after reports tests that were left out for one reason.
func (p *textWriter) after(r *Report, n int, why string) {
	switch n {
	case 0:
	case 1:
		p.line("%s %s: the test after it: %s", p.status(Skipped), r.Adapter, why)
	default:
		p.line("%s %s: the %d tests after it: %s", p.status(Skipped), r.Adapter, n, why)
	}
}

var statusWords = map[Status]struct{ word, mark, color string }{
	Passed:        {"pass", "✓", "\x1b[32m"},
	Failed:        {"FAIL", "✗", "\x1b[31m"},
	Errored:       {"ERROR", "✗", "\x1b[31m"},
	NotApplicable: {"n/a", "–", "\x1b[90m"},
	Skipped:       {"skip", "–", "\x1b[33m"},
}

func (p *textWriter) status(s Status) string {
	v := statusWords[s]
	text := fmt.Sprintf("%-5s", v.word)
	if p.o.Marks {
		text = v.mark
	}
	if p.o.Color {
		return v.color + text + "\x1b[0m"
	}
	return text
}

func (p *textWriter) test(r *Report, t TestResult) {
	text := fmt.Sprintf("%s %s: %s", p.status(t.Status), r.Adapter, t.Name)
	if t.Round > 0 {
		text += fmt.Sprintf(" (round %d)", t.Round)
	}
	if t.Status == Passed || t.unsuccessful() {
		text += fmt.Sprintf(" (%s)", rounded(t.Duration))
	}
	if t.Reason != "" {
		text += ": " + t.Reason
	}
	p.line("%s", text)
	for _, note := range t.Notes {
		p.line("    note: %s", note)
	}
	if t.Failure != nil {
		p.failure(t)
	}
}

func (p *textWriter) failure(t TestResult) {
	f := t.Failure
	if place := place(t); place != "" {
		p.line("    %s: %s", place, f.Message)
	} else {
		p.line("    %s", f.Message)
	}
	for _, part := range f.parts() {
		p.part(part.label, part.text)
	}
	if len(f.Timeline) > 0 {
		p.line("    timeline (ms):")
	}
	for _, e := range f.Timeline {
		p.line("      %9.3f  %s", e.AtMS, e.Text)
	}
}

// place returns file:line of the failing step, or of the test.
func place(t TestResult) string {
	line := t.Line
	if t.Failure != nil && t.Failure.Line > 0 {
		line = t.Failure.Line
	}
	if t.File == "" || line == 0 {
		return t.File
	}
	return fmt.Sprintf("%s:%d", t.File, line)
}

type part struct{ label, text string }

// parts returns the parts of a failure other than its message, in reading order.
func (f *Failure) parts() []part {
	var list []part
	for _, x := range []part{
		{"step", f.Step},
		{"sent", f.Sent},
		{"pattern", f.Pattern},
		{"output", f.Output},
		{"received", f.Received},
		{"ended by", f.EndedBy},
	} {
		if x.text != "" {
			list = append(list, x)
		}
	}
	return list
}

func (p *textWriter) part(label, text string) {
	if !strings.Contains(text, "\n") {
		p.line("    %-9s %s", label+":", text)
		return
	}
	p.line("    %s:", label)
	for line := range strings.SplitSeq(text, "\n") {
		p.line("      %s", line)
	}
}

// summary returns the line with the overall result.
func summary(r *Report) string {
	name := strings.TrimSpace(r.Adapter + " " + r.InterpreterVersion)
	if r.Skipped != "" {
		verdict := "skipped"
		if r.absent() {
			verdict = "in error"
		}
		return fmt.Sprintf("%s: %s: %s", name, verdict, strings.TrimPrefix(r.Skipped, r.Adapter+": ")) + unverified(r)
	}
	counts := []string{fmt.Sprintf("%d passed", r.Count(Passed))}
	for _, c := range []struct {
		status Status
		word   string
	}{{Failed, "failed"}, {Errored, "in error"}, {Skipped, "skipped"}, {NotApplicable, "not applicable"}} {
		if n := r.Count(c.status); n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, c.word))
		}
	}
	if r.NotStarted > 0 {
		counts = append(counts, fmt.Sprintf("%d left out", r.NotStarted))
	}
	grade := ""
	if !r.ungraded() {
		grade = fmt.Sprintf("level %d, ", r.Level)
	}
	text := fmt.Sprintf("%s: %s%s, %s", name, grade, strings.Join(counts, ", "), rounded(r.Duration))
	if r.LevelNote != "" {
		text += "; " + r.LevelNote
	}
	return text + unverified(r)
}

func unverified(r *Report) string {
	if r.Unverified == "" {
		return ""
	}
	return "; the adapter is not verified: " + r.Unverified
}

func rounded(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

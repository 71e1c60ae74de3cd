package probe

import (
	"bytes"
	"fmt"
	"strconv"
	"time"
)

// evidence is the transcript of all experiments.
type evidence struct {
	b     bytes.Buffer
	began time.Time
}

// longest is how much of one answer the transcript contains, in bytes.
const longest = 1200

func newEvidence(command string) *evidence {
	e := &evidence{began: time.Now()}
	fmt.Fprintf(&e.b, "# Transcript of experiments with %s.\n", oneLine(command))
	e.b.WriteString("# > is input, < is output; both as Go strings, long ones shortened. Times are in milliseconds.\n")
	return e
}

// experiment starts a section.
func (e *evidence) experiment(number int, what string) {
	fmt.Fprintf(&e.b, "\n## %d. %s (at %d)\n\n", number, what, time.Since(e.began).Milliseconds())
}

// say records a finding.
func (e *evidence) say(format string, args ...any) {
	fmt.Fprintf(&e.b, "= %s (at %d)\n", oneLine(fmt.Sprintf(format, args...)), time.Since(e.began).Milliseconds())
}

func (e *evidence) exchange(sent string, r reply) {
	if sent != "" {
		fmt.Fprintf(&e.b, "> %s\n", strconv.Quote(shortened(sent)))
	}
	fmt.Fprintf(&e.b, "< %s\n  %s, %d ms\n", strconv.Quote(shortened(string(r.raw))), r.how, r.took.Milliseconds())
}

// shortened keeps the beginning and the end of a long text.
func shortened(s string) string {
	if len(s) <= longest {
		return s
	}
	return fmt.Sprintf("%s … %d bytes … %s", s[:longest/2], len(s)-longest, s[len(s)-longest/2:])
}

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

// longest is how much of one answer the transcript shows, in bytes.
const longest = 1200

func newEvidence(command string) *evidence {
	e := &evidence{began: time.Now()}
	fmt.Fprintf(&e.b, "# What %s did in experiments.\n", oneLine(command))
	e.b.WriteString("# > was typed, < came back; both as Go strings, long ones cut. Times are in milliseconds.\n")
	return e
}

// experiment begins a chapter.
func (e *evidence) experiment(number int, what string) {
	fmt.Fprintf(&e.b, "\n## %d. %s (at %d)\n\n", number, what, time.Since(e.began).Milliseconds())
}

// say notes a finding.
func (e *evidence) say(format string, args ...any) {
	fmt.Fprintf(&e.b, "= %s (at %d)\n", oneLine(fmt.Sprintf(format, args...)), time.Since(e.began).Milliseconds())
}

func (e *evidence) exchange(sent string, r reply) {
	if sent != "" {
		fmt.Fprintf(&e.b, "> %s\n", strconv.Quote(shortened(sent)))
	}
	fmt.Fprintf(&e.b, "< %s\n  %s, %d ms\n", strconv.Quote(shortened(string(r.raw))), r.how, r.took.Milliseconds())
}

// shortened keeps the two ends.
func shortened(s string) string {
	if len(s) <= longest {
		return s
	}
	return fmt.Sprintf("%s … %d bytes … %s", s[:longest/2], len(s)-longest, s[len(s)-longest/2:])
}

package agent_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/event"
)

// Some agents pretty-print a JSON value over several lines.
func TestAValueOverSeveralLines(t *testing.T) {
	said := func(texts ...string) (events []event.Event) {
		for _, x := range texts {
			events = append(events, event.Event{Type: event.Text, Text: x})
		}
		return events
	}
	unknown := func(lines ...string) (events []event.Event) {
		for _, l := range lines {
			events = append(events, event.Event{Type: event.Unknown, Raw: l})
		}
		return events
	}
	const one = `{"t":"say","x":"one"}`
	for name, c := range map[string]struct {
		lines []string
		want  []event.Event
	}{
		"an object":                         {[]string{"{", `  "t": "say",`, `  "x": "a b"`, "}"}, said("a b")},
		"between others":                    {[]string{one, "{", ` "t": "say",`, ` "x": "two"`, "}", one}, said("one", "two", "one")},
		"a brace that begins nothing":       {[]string{"{", one}, append(unknown("{"), said("one")...)},
		"one that is never closed":          {[]string{"{", `  "t": "say"`}, unknown("{", `  "t": "say"`)},
		"one that turns out not to be JSON": {[]string{"{", "  code", "}", one}, append(unknown("{", "  code", "}"), said("one")...)},
		"one that nobody knows":             {[]string{"[", "  1", "]"}, unknown("[1]")},
	} {
		t.Run(name, func(t *testing.T) {
			for _, ending := range []string{"\n", "\r\n"} {
				_, got := recorded(t, agent.Recording{}, strings.Join(c.lines, ending))
				assert.Equal(t, c.want, got)
			}
		})
	}
}

// The buffered text is bounded.
func TestAValueWithoutEnd(t *testing.T) {
	n := testkit.Fewer(t, 20_000, testkit.Times(t, 50_000, 200_000))
	_, got := recorded(t, agent.Recording{}, "{\n"+strings.Repeat("  \"a\": 1,\n", n))
	assert.Len(t, got, n+1)
}

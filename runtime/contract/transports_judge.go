package contract

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.org/ripple/runtime/event"
	"example.org/ripple/schema"
)

// TransportResult is the result of a scripted turn over one of an agent's transports.
type TransportResult struct {
	Transport    string       `json:"way"`               // stdio, acp, screen
	Missing      string       `json:"missing,omitempty"` // why it was not run: its program is not installed
	Version      string       `json:"version,omitempty"` // of its program
	Text         string       `json:"text,omitempty"`    // the answer, with single blanks
	Tools        []string     `json:"tools,omitempty"`   // the tools used, and their results
	End          string       `json:"end,omitempty"`     // done, or the kind of the failure
	ExitCode     int          `json:"exit_code"`
	Capabilities []string     `json:"offers,omitempty"` // its capabilities over the protocol, as declared and shown
	Differences  []Difference `json:"differs,omitempty"`

	message string // of the failure
}

// Difference is a difference from the turn over the first transport.
type Difference struct {
	Field  string `json:"in"` // text, tools, end, exit_code
	Want   string `json:"want"`
	Got    string `json:"got"`
	Reason string `json:"because,omitempty"` // reason for a known difference
}

// onScreens is the known difference of every screen.
const onScreens = "a screen has no tool events, only text"

// judge compares the transports with the first one that was run, and that one with the script.
func (c *transportComparison) judge() error {
	first, others := -1, 0
	var wrong []string
	for i := range c.played {
		p := &c.played[i]
		switch {
		case p.Missing != "":
			c.note("%s was not tested: %s", p.Transport, p.Missing)
			continue
		case first < 0:
			first = i
			wrong = c.turn.scriptDifferences(*p)
			continue
		}
		others++
		wrong = append(wrong, c.compare(c.played[first], p)...)
	}
	switch {
	case first < 0:
		return inapplicable{"no program for any of its transports is installed"}
	case len(wrong) > 0:
		return failf("%s", strings.Join(wrong, "\n"))
	case others == 0:
		c.note("%s is the only transport that was run: there is nothing to compare it with", c.played[first].Transport)
	}
	return nil
}

// scriptDifferences returns the differences from the script.
func (s scriptedTurn) scriptDifferences(p TransportResult) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, p.Transport+": "+fmt.Sprintf(format, args...)) }
	switch {
	case s.fails && p.End == "done":
		say("the server refused to answer, and the turn worked")
	case s.fails:
	case p.End != "done":
		say("the turn failed: %s: %s", p.End, p.message)
	case !strings.Contains(p.Text, answer):
		say("the answer is %q, and the model said %q", p.Text, answer)
	}
	if s.printed != "" && !strings.Contains(strings.Join(p.Tools, "\n"), s.printed) {
		say("no tool printed %q: %q", s.printed, p.Tools)
	}
	return wrong
}

// compare returns the unknown differences, and notes the known ones.
func (c *transportComparison) compare(first TransportResult, p *TransportResult) (wrong []string) {
	for _, d := range c.differences(first, *p) {
		k := c.declaredDifference(*p, d.Field)
		if k == nil {
			wrong = append(wrong, fmt.Sprintf("%s: %s differs: over %s %s, here %s", p.Transport, d.Field, first.Transport, d.Want, d.Got))
		} else {
			d.Reason = k.Because
			c.note("%s: %s differs: %s", p.Transport, d.Field, d.Reason)
		}
		p.Differences = append(p.Differences, d)
	}
	return append(wrong, c.outdated(*p)...)
}

// differences compares the text of an answer, the tools, the end and the exit code.
func (c *transportComparison) differences(first, p TransportResult) (list []Difference) {
	add := func(in, want, got string) {
		if want != got {
			list = append(list, Difference{Field: in, Want: cut(want, shownOutput), Got: cut(got, shownOutput)})
		}
	}
	if !c.turn.fails { // the text of a failure is the program's
		add("text", fmt.Sprintf("%q", first.Text), fmt.Sprintf("%q", p.Text))
	}
	add("tools", shownArgs(first.Tools), shownArgs(p.Tools))
	add("end", first.End, p.End)
	add("exit_code", fmt.Sprint(first.ExitCode), fmt.Sprint(p.ExitCode))
	return list
}

// declaredDifference returns the declaration of a difference, or nil if there is none.
func (c *transportComparison) declaredDifference(p TransportResult, in string) *schema.AgentDifference {
	for _, d := range c.test.Differs {
		if d.Transport == p.Transport && (d.Turn == "" || d.Turn == c.turn.name) && slices.Contains(d.In, in) {
			return &d
		}
	}
	if p.Transport == schema.TransportScreen && in == "tools" {
		return &schema.AgentDifference{Because: onScreens}
	}
	return nil
}

// outdated returns declared differences of this turn that no longer exist. With another version of
// the program than the one that had them they are only noted.
func (c *transportComparison) outdated(p TransportResult) (wrong []string) {
	for _, d := range c.test.Differs {
		if d.Transport != p.Transport || d.Turn != c.turn.name {
			continue
		}
		for _, in := range d.In {
			if slices.ContainsFunc(p.Differences, func(found Difference) bool { return found.Field == in }) {
				continue
			}
			said := fmt.Sprintf("%s: %s is declared to differ, but does not", p.Transport, in)
			if d.Version == "" || d.Version == p.Version {
				wrong = append(wrong, said)
			} else {
				c.note("%s with version %s; it did with %s", said, p.Version, d.Version)
			}
		}
	}
	return wrong
}

// words returns a text with single blanks instead of line ends and other blank space, because lines
// are wrapped on a screen.
func words(s string) string { return strings.Join(strings.Fields(s), " ") }

// toolLog collects the uses of tools and their results.
type toolLog struct {
	tools []string
	at    map[string]int
}

func (l *toolLog) take(e event.Event) {
	if l.at == nil {
		l.at = map[string]int{}
	}
	switch e.Type {
	case event.ToolUse:
		l.at[e.ID] = len(l.tools)
		l.tools = append(l.tools, cmp.Or(string(e.Tool), e.Name)+command(e.Input))
	case event.ToolResult:
		came := " → "
		if e.IsError {
			came = " ✗ "
		}
		if i, used := l.at[e.ID]; used {
			l.tools[i] += came + words(e.Content)
		} else {
			l.tools = append(l.tools, "?"+came+words(e.Content))
		}
	}
}

// command returns the command given to a shell tool.
func command(input json.RawMessage) string {
	var given map[string]any
	if json.Unmarshal(input, &given) != nil {
		return ""
	}
	switch v := given["command"].(type) {
	case string:
		return " " + words(v)
	case []any:
		return " " + words(strings.Trim(fmt.Sprint(v), "[]"))
	}
	return ""
}

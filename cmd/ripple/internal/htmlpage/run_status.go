package htmlpage

import (
	"strings"
)

// The lines around the block in which an agent says how far it is.
const (
	statusBegins = "---RALPH_STATUS---"
	statusEnds   = "---END_RALPH_STATUS---"
)

// sayAll writes the agent's text, with each status block as one line and its details collapsed.
func sayAll(m *markup, text string) {
	for {
		before, rest, begins := strings.Cut(text, statusBegins)
		block, after, ends := strings.Cut(rest, statusEnds)
		if !begins || !ends {
			say(m, text)
			return
		}
		before, after = withoutFence(before, after)
		say(m, before)
		fold(m, "status", statusLine(block), "", strings.TrimSpace(block))
		text = after
	}
}

// withoutFence takes away a fence that stands around a status block.
func withoutFence(before, after string) (string, string) {
	head := strings.TrimRight(before, " \t\r\n")
	at := strings.LastIndexByte(head, '\n') + 1
	tail := strings.TrimLeft(after, " \t\r\n")
	if strings.HasPrefix(strings.TrimSpace(head[at:]), "```") && strings.HasPrefix(tail, "```") {
		return head[:at], strings.TrimPrefix(tail, "```")
	}
	return before, after
}

// statusLine is a block in one line: the status, the tests and what comes next.
func statusLine(block string) string {
	fields := map[string]string{}
	for line := range strings.Lines(block) {
		if key, value, is := strings.Cut(strings.TrimSpace(line), ":"); is {
			fields[key] = strings.TrimSpace(value)
		}
	}
	parts := []string{"status"}
	for _, f := range []struct{ key, before string }{{"STATUS", ""}, {"TESTS_STATUS", "tests "}, {"RECOMMENDATION", "next: "}} {
		if value := fields[f.key]; value != "" {
			parts = append(parts, f.before+value)
		}
	}
	return strings.Join(parts, " · ")
}

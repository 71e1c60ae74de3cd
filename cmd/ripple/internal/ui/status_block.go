package ui

import (
	"cmp"
	"strconv"
	"strings"

	"example.org/ripple/internal/lazyregexp"
)

// statusBlock matches the status blocks of an answer, with a surrounding fence.
var statusBlock = lazyregexp.New("(?m)^(?:```[^\n`]*\n)?---RALPH_STATUS---[ \t]*\n((?:[^\n]*\n)*?)---END_RALPH_STATUS---[ \t]*$(?:\n```[ \t]*$)?")

// passage is a part of an answer: text, or the status block that follows it.
type passage struct {
	text   string
	status map[string]string // nil: text
}

// passages splits an answer into its parts.
func passages(answer string) (list []passage) {
	words := func(text string) {
		if text = strings.Trim(text, "\n"); strings.TrimSpace(text) != "" {
			list = append(list, passage{text: text})
		}
	}
	answer = strings.ReplaceAll(answer, "\r\n", "\n")
	at := 0
	for _, m := range statusBlock().FindAllStringSubmatchIndex(answer, -1) {
		words(answer[at:m[0]])
		list = append(list, passage{status: statusValues(answer[m[2]:m[3]])})
		at = m[1]
	}
	words(answer[at:])
	return list
}

func statusValues(block string) map[string]string {
	values := map[string]string{}
	for line := range strings.Lines(block) {
		if key, value, found := strings.Cut(line, ":"); found {
			values[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	return values
}

// folded formats a status block in one line, and returns its color.
func folded(values map[string]string) (text, color string) {
	status := strings.ToUpper(cmp.Or(values["STATUS"], "no status"))
	mark, color := "●", Cyan
	switch status {
	case "COMPLETE":
		mark, color = "✓", Green
	case "BLOCKED":
		mark, color = "■", Red
	}
	parts := []string{mark + " " + strings.ReplaceAll(strings.ToLower(status), "_", " ")}
	if strings.EqualFold(values["EXIT_SIGNAL"], "true") {
		parts = append(parts, "wants to end")
	}
	for _, c := range []struct{ key, noun string }{{"TASKS_COMPLETED_THIS_LOOP", "task"}, {"FILES_MODIFIED", "file"}} {
		if n, err := strconv.Atoi(values[c.key]); err == nil && n > 0 {
			parts = append(parts, Count(n, c.noun))
		}
	}
	if tests := strings.ToLower(values["TESTS_STATUS"]); tests != "" && tests != "not_run" {
		parts = append(parts, "tests "+tests)
		if tests == "failing" && color != Red {
			color = Magenta
		}
	}
	if next := values["RECOMMENDATION"]; next != "" {
		parts = append(parts, next)
	}
	return strings.Join(parts, " · "), color
}

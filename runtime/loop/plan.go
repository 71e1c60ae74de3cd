package loop

import (
	"errors"
	"io/fs"
	"regexp"
	"strings"
)

// plan counts the boxes of a task list.
type plan struct{ open, ticked int }

// complete says that every box is ticked, and that there is one.
func (p plan) complete() bool { return p.open == 0 && p.ticked > 0 }

// box is an item of a Markdown list that begins with [ ] or [x].
var box = regexp.MustCompile(`^\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\](?:\s|$)`)

// parsePlan counts the boxes outside fenced code.
func parsePlan(text string) plan {
	var p plan
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		m := box.FindStringSubmatch(line)
		switch {
		case fenced || m == nil:
		case m[1] == " ":
			p.open++
		default:
			p.ticked++
		}
	}
	return p
}

// readPlan reads a task list; one that is not there has no boxes.
func readPlan(path string) (plan, error) {
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return plan{}, nil
	}
	return parsePlan(string(data)), err
}

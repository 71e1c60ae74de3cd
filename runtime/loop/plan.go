package loop

import (
	"errors"
	"io/fs"
	"strings"

	"ripple/internal/lazyregexp"
	"ripple/runtime/loop/layout"
)

// plan counts the boxes of a task list.
type plan struct{ open, ticked int }

// complete says that every box is ticked, and that there is one.
func (p plan) complete() bool { return p.open == 0 && p.ticked > 0 }

// box is an item of a Markdown list that begins with [ ] or [x].
var box = lazyregexp.New(`^\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\](?:\s+(.*)|$)`)

// Task is a box of a task list.
type Task struct {
	Text string
	Done bool
}

// parsePlan counts the boxes outside fenced code.
func parsePlan(text string) (p plan) {
	for _, t := range parseTasks(text) {
		if t.Done {
			p.ticked++
		} else {
			p.open++
		}
	}
	return p
}

// parseTasks lists the boxes outside fenced code.
func parseTasks(text string) (list []Task) {
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if m := box().FindStringSubmatch(line); !fenced && m != nil {
			list = append(list, Task{oneLine(m[2], 200), m[1] != " "})
		}
	}
	return list
}

// readPlan counts the boxes of a task list; one that is not there has none.
func readPlan(path string) (plan, error) {
	text, err := readPlanText(path)
	return parsePlan(text), err
}

func readPlanText(path string) (string, error) {
	data, err := layout.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(data), err
}

// nextTask is the first open one, "" for none.
func nextTask(list []Task) string {
	for _, t := range list {
		if !t.Done {
			return t.Text
		}
	}
	return ""
}

// task is what the plan has the agent do next. That it cannot be read is said
// elsewhere.
func (l *Loop) task() string {
	text, _ := readPlanText(l.planPath())
	return nextTask(parseTasks(text))
}

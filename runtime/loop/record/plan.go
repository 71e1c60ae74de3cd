package record

import (
	"errors"
	"io/fs"
	"strings"

	"example.com/ripple/internal/lazyregexp"
	"example.com/ripple/runtime/loop/layout"
)

// Task is a check box of a task list.
type Task struct {
	Text string
	Done bool
}

// Tasks are the check boxes of a task list.
type Tasks []Task

// Plan has the counts of a task list.
type Plan struct{ Open, Ticked int }

// Complete reports whether at least one box exists and every box is checked.
func (p Plan) Complete() bool { return p.Open == 0 && p.Ticked > 0 }

// box is an item of a Markdown list that begins with [ ] or [x].
var box = lazyregexp.New(`^\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\](?:\s+(.*)|$)`)

// ParseTasks returns the check boxes outside fenced code.
func ParseTasks(text string) (list Tasks) {
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if m := box().FindStringSubmatch(line); !fenced && m != nil {
			list = append(list, Task{OneLine(m[2], 200), m[1] != " "})
		}
	}
	return list
}

// ReadTasks reads the task list of an agent that works in dir; a missing file has no tasks.
func ReadTasks(project, dir string) (Tasks, error) {
	data, err := layout.Read(project, layout.PlanIn(project, dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return ParseTasks(string(data)), err
}

// Count counts the open and the completed tasks.
func (l Tasks) Count() (p Plan) {
	for _, t := range l {
		if t.Done {
			p.Ticked++
		} else {
			p.Open++
		}
	}
	return p
}

// Next returns the text of the first open task, or "" if all are complete.
func (l Tasks) Next() string {
	for _, t := range l {
		if !t.Done {
			return t.Text
		}
	}
	return ""
}

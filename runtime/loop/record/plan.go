package record

import (
	"errors"
	"io/fs"
	"strings"

	"ripple/internal/lazyregexp"
	"ripple/runtime/loop/layout"
)

// Task is a box of a task list.
type Task struct {
	Text string
	Done bool
}

// Tasks are the boxes of a task list.
type Tasks []Task

// Plan counts them.
type Plan struct{ Open, Ticked int }

// Complete says that every box is ticked, and that there is one.
func (p Plan) Complete() bool { return p.Open == 0 && p.Ticked > 0 }

// box is an item of a Markdown list that begins with [ ] or [x].
var box = lazyregexp.New(`^\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\](?:\s+(.*)|$)`)

// ParseTasks lists the boxes outside fenced code.
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

// ReadTasks reads a task list; one that is not there has no box.
func ReadTasks(path string) (Tasks, error) {
	data, err := layout.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return ParseTasks(string(data)), err
}

// Count counts the open ones and the others.
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

// Next is the first open one, "" for none.
func (l Tasks) Next() string {
	for _, t := range l {
		if !t.Done {
			return t.Text
		}
	}
	return ""
}

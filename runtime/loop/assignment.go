package loop

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop/record"
)

// assignment is the work that the agent gets: the prompt's file and the plan.
type assignment struct {
	File   string `json:"prompt_file,omitempty"` // "": the prompt is in no file
	Prompt string `json:"prompt,omitempty"`      // digest of its content
	Tasks  int    `json:"tasks"`                 // number of tasks in the plan
	Left   *int   `json:"tasks_left,omitempty"`  // the number that the last attempt left; nil if it was killed, or there was none
}

// assign records the assignment before a turn, with the tree. It remains the one before the first attempt, except for changes that
// users made between a stop and the next attempt. A change of the prompt during or after an attempt that was killed is reported here.
func (l *Loop) assign(e *ended, p record.Plan) error {
	now := assignment{Tasks: tasksIn(p)}
	if l.o.Prompt == "" {
		now.File, now.Prompt = l.promptName(), l.prompt
	}
	if first := e.baseline.Assignment; first != nil {
		if first.Left != nil {
			now.Tasks = first.Tasks + addedByUsers(first.Tasks, *first.Left, now.Tasks)
		} else {
			now.Tasks = first.Tasks
			if first.File == now.File {
				l.comparePrompt(e, first.Prompt, "repeated")
				now.Prompt = first.Prompt // reported again if this attempt is killed, too: no line of the record has it yet
			}
		}
	}
	e.baseline.Assignment = &now
	return l.store.WriteJSON(layout.SnapshotFile, e.baseline)
}

// addedByUsers returns how many tasks users added to the plan after an attempt that found before of them and left the
// others. Users who add tasks after some were removed write these back first. The result is negative if users removed tasks.
func addedByUsers(before, left, now int) int {
	added, removed := now-left, max(0, before-left)
	if added > 0 {
		added = max(0, added-removed)
	}
	return added
}

// compareAssignment reports what a turn changed in its prompt and plan, and counts the tasks that it removed.
func (l *Loop) compareAssignment(e *ended) error {
	removed, _, err := l.tasksRemoved(e)
	l.state.Removed += removed
	l.comparePrompt(e, l.prompt, "next")
	return err
}

// compareCut is like compareAssignment, for an attempt. The tasks that it removed are counted when the turn ends.
func (l *Loop) compareCut(e *ended) {
	if _, left, err := l.tasksRemoved(e); err == nil {
		e.baseline.Assignment.Left = new(tasksIn(left))
	}
	l.comparePrompt(e, l.prompt, "repeated")
}

// tasksRemoved returns, and reports, how many tasks a turn removed from the plan, which can make a plan complete.
func (l *Loop) tasksRemoved(e *ended) (removed int, left record.Plan, err error) {
	left, err = planOf(l.project, l.work.tree.Dir)
	if removed = e.baseline.Assignment.Tasks - tasksIn(left); err != nil || removed <= 0 {
		return 0, left, err
	}
	l.note(fmt.Sprintf("turn %d removed %s from the plan; %d of %d are open", e.turn, plural(removed, "task"), left.Open, tasksIn(left)))
	return removed, left, nil
}

func tasksIn(p record.Plan) int { return p.Open + p.Ticked }

// promptName returns the name of the prompt's file, relative to the project if possible.
func (l *Loop) promptName() string {
	path := l.promptPath()
	if relative, err := filepath.Rel(l.project, path); err == nil {
		path = filepath.ToSlash(relative)
	}
	return path
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

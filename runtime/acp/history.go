package acp

import (
	"fmt"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// maxHistory is the number of records of a run, the last ones, that a client receives when
// it loads the session.
const maxHistory = 5000

// history sends the client the run of a session, from its record. ownTask reports whether the task is the one in layout.TaskFile.
func (ss *session) history(ownTask bool) {
	total := 0
	if !each(ss.dir, func(r journal.Record) {
		if total++; r.Type == record.RunStarted {
			total = 0
		}
	}) {
		return
	}
	if task, err := layout.Read(ss.dir, layout.TaskFile); err == nil && ownTask {
		ss.update("user_message_chunk", map[string]any{"content": map[string]any{"type": "text", "text": string(task)}})
	}
	t, seen := &teller{session: ss}, 0
	each(ss.dir, func(r journal.Record) {
		if seen++; r.Type == record.RunStarted {
			*t, seen = teller{session: ss}, 0
		}
		if ss.ctx.Err() == nil && seen > 0 && total-seen < maxHistory {
			t.record(r)
		}
	})
}

// each visits the records of a project's log.
func each(project string, visit func(journal.Record)) bool {
	f, err := layout.Files(project).Open(layout.EventsFile)
	if err != nil {
		return false
	}
	defer f.Close() // only read from
	return journal.Read(f, func(_ int, r journal.Record, err error) error {
		if err == nil {
			visit(r)
		}
		return nil // a record that no loop has written is left out
	}) == nil
}

// record reports a record of a loop as it was reported when it was made.
func (t *teller) record(r journal.Record) {
	if r.Event != nil {
		t.event(*r.Event)
		return
	}
	v := said{Turn: r.Turn, Type: r.Type, Task: r.Task, Branch: r.Branch, Verdicts: r.Verdicts}
	switch r.Type {
	case record.Verified:
		v.Type = "verifying"
		for _, verdict := range r.Verdicts {
			v.Text += verdict.Command + "; "
		}
		t.line(nil, v)
		v.Type = record.Verified
	case record.TurnEnded:
		if r.State != nil {
			v.Text, v.CostUSD = r.State.Last, r.State.CostUSD
		}
	case record.Answered:
		if q := r.Question; q.Given != nil {
			option, _ := q.Option(q.Given.Option)
			t.aside(wordsOf(*q) + " " + option.Name + q.Given.Text)
		}
		return
	case record.TurnCut:
		v.Type, v.Text = "note", fmt.Sprintf("Turn %d was interrupted and is repeated: %s", r.Turn, r.Why)
	case record.Guided:
		v.Text = r.Guide.Text
	case record.Decided:
		v.Text = wordsOf(*r.Question)
	case record.Committed:
		v.Text = r.SHA
	case record.Stopped:
		t.message(r.Why)
		return
	case record.TurnStarted:
	default:
		return
	}
	t.line(nil, v)
}

package acp

import (
	"os"

	"ripple/runtime/loop/journal"
	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
)

// maxHistory is how many records of a run a client is told when it takes it up, the last.
const maxHistory = 5000

// history tells the run that a session has, from its record.
func (ss *session) history() {
	path := ss.store().Path(layout.EventsFile)
	if layout.NotPipe(path) != nil {
		return
	}
	total := 0
	if !each(path, func(r journal.Record) {
		if total++; r.Type == record.RunStarted {
			total = 0
		}
	}) {
		return
	}
	if task, err := layout.ReadFile(ss.store().Path(layout.TaskFile)); err == nil {
		ss.update("user_message_chunk", map[string]any{"content": map[string]any{"type": "text", "text": string(task)}})
	}
	t, seen := &teller{session: ss}, 0
	each(path, func(r journal.Record) {
		if seen++; r.Type == record.RunStarted {
			*t, seen = teller{session: ss}, 0
		}
		if ss.ctx.Err() == nil && seen > 0 && total-seen < maxHistory {
			t.record(r)
		}
	})
}

// each visits the records of a log.
func each(path string, visit func(journal.Record)) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close() // only read from
	return journal.Read(f, func(_ int, r journal.Record, err error) error {
		if err == nil {
			visit(r)
		}
		return nil // what no loop has written is left out
	}) == nil
}

// record tells of a record of a loop what was told when it was made.
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

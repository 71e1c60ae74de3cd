package loop

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/permit"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// decide answers a request for a permission by the rules in the settings.
func (q *questions) decide(of record.Question) (a event.Answer, decided bool, err error) {
	a, decided = permit.Rules{Allow: q.config.Allow, Deny: q.config.Deny}.In(q.project).Decide(of.Question)
	if !decided {
		return a, false, nil
	}
	of.Given = &a
	allow(&q.state, of)
	v := record.Line{Turn: of.Turn, Time: of.Asked, Type: record.Decided, Question: &of}
	q.tell(Notice{Kind: NoticeDecided, Turn: of.Turn, Question: &of, Text: FormatQuestion(of), OK: allows(of), Record: &journal.Record{Line: v}})
	return a, true, q.decisions.add(q.run, v)
}

// decisions keeps the answers that rules gave in a turn in events.jsonl, up to the limit of a
// turn's output: an agent may ask without end.
type decisions struct {
	mu      sync.Mutex // a turn's questions may be concurrent
	written int64

	count int   // number of answers that were left out
	left  int64 // bytes of their lines
}

func (d *decisions) add(r *run, v record.Line) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("recording an answer: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	limit, size := r.config.MaxOutput, lineSize(data)
	if limit == 0 || d.count == 0 && d.written+size <= limit {
		d.written += size
		return r.log.Add(v)
	}
	if d.count == 0 {
		r.note(fmt.Sprintf("the rules' answers in turn %d exceed %s (max_output): further answers are not recorded", v.Turn, sizeWords(limit)))
	}
	d.count++
	d.left += size
	return nil
}

// close records how many answers of a turn were left out, and resets the counts.
func (d *decisions) close(r *run, turn int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	count, left := d.count, d.left
	d.written, d.count, d.left = 0, 0, 0
	if count == 0 {
		return nil
	}
	why := fmt.Sprintf("%s by rules in turn %d, %s, not recorded because of max_output", plural(count, "answer"), turn, sizeWords(left))
	return r.log.Add(record.Line{Turn: turn, Time: r.now(), Type: record.LeftOut, Why: why, Events: count, Bytes: left})
}

// allow adds a tool that was denied, and is allowed now, to the agent's list of allowed tools.
func allow(s *record.State, of record.Question) {
	if tool := allowedTool(of); tool != "" && !slices.Contains(s.Allowed, tool) {
		s.Allowed = append(s.Allowed, tool)
	}
}

// allowedTool returns the entry for that list, or "".
func allowedTool(of record.Question) string {
	if of.From != record.FromDenial || !allows(of) || of.Name == "" {
		return ""
	}
	on := permit.Subject(of.Question)
	if permit.IsCommand(of.Question) && len(of.Input) > 0 && !strings.ContainsAny(on, "(),*\n\r") {
		return of.Name + "(" + on + ")"
	}
	return of.Name
}

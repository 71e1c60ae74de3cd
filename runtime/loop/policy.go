package loop

import (
	"slices"
	"strings"

	"ripple/runtime/event"
	"ripple/runtime/internal/permit"
	"ripple/runtime/loop/journal"
	"ripple/runtime/loop/record"
)

// decide answers a question for a permission by the rules of the settings.
func (q *questions) decide(of record.Question) (a event.Answer, decided bool, err error) {
	a, decided = permit.Rules{Allow: q.config.Allow, Deny: q.config.Deny}.Decide(of.Question)
	if !decided {
		return a, false, nil
	}
	of.Given = &a
	q.allow(of)
	v := record.Line{Turn: of.Turn, Time: of.Asked, Type: record.Decided, Question: &of}
	q.tell(Notice{Kind: NoticeDecided, Turn: of.Turn, Question: &of, Text: Words(of), OK: allows(of), Record: &journal.Record{Line: v}})
	return a, true, q.log.Add(v)
}

// allow adds to an agent's list of allowed tools what was denied and is allowed now.
func (q *questions) allow(of record.Question) {
	if tool := allowedTool(of); tool != "" && !slices.Contains(q.state.Allowed, tool) {
		q.state.Allowed = append(q.state.Allowed, tool)
	}
}

// allowedTool is what that list gets, "" for nothing.
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

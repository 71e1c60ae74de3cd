package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/record"
)

// talk has the IDs of the answers and guides in a turn's prompt.
type talk struct{ answers, guides []string }

// begin adds users' messages to a turn's prompt: answers and guides.
func (q *questions) begin(e *ended) error {
	if err := q.take(); err != nil {
		return err
	}
	q.add(e)
	return nil
}

// add adds answers and guidance to the prompt of a turn.
func (q *questions) add(e *ended) {
	q.mu.Lock()
	defer q.mu.Unlock()
	var parts, answers, guides []string
	for _, of := range q.state.Questions {
		if of.Given != nil {
			e.talk.answers = append(e.talk.answers, of.ID)
			answers = append(answers, answered(of))
		}
	}
	for _, g := range q.state.Guides {
		e.talk.guides = append(e.talk.guides, g.ID)
		guides = append(guides, indented(g.Text))
	}
	if len(answers) > 0 {
		parts = append(parts, "# Answers to your questions\n\n"+strings.Join(answers, "\n\n"))
	}
	if len(guides) > 0 {
		parts = append(parts, "# From the person who watches this loop\n\n"+strings.Join(guides, "\n\n"))
	}
	if len(parts) > 0 {
		e.prompt = strings.TrimRight(e.prompt, "\n") + "\n\n" + strings.Join(parts, "\n\n") + "\n"
	}
}

// unheard reports whether the user has answered or written something that no successful turn has received.
func (r *run) unheard() bool {
	return len(r.state.Guides) > 0 || slices.ContainsFunc(r.state.Questions, func(of record.Question) bool { return of.Given != nil })
}

// answered formats an answer for the agent.
func answered(of record.Question) string {
	var text string
	switch {
	case of.From == record.FromDenial:
		text = fmt.Sprintf("You were denied %s. ", strings.TrimPrefix(FormatQuestion(of), "it was denied "))
	case of.Kind == event.AskPermission:
		text = fmt.Sprintf("You asked whether you may use %s. ", strings.TrimPrefix(FormatQuestion(of), "may it use "))
	default:
		text = "You asked:\n\n" + indented(of.Text) + "\n\n"
	}
	option, _ := of.Option(of.Given.Option)
	switch {
	case of.Kind == event.AskPermission && allows(of):
		text += "It is allowed now."
	case of.Kind == event.AskPermission && of.Given.Text == "":
		text += "It is not allowed: find another way."
	case of.Kind == event.AskPermission:
		text += "It is not allowed."
	case option.ID != "":
		text += "The answer is:\n\n" + indented(cmp.Or(option.Name, option.ID))
	}
	if of.Given.Text != "" {
		text += " The answer is:\n\n" + indented(of.Given.Text)
	}
	return strings.ReplaceAll(text, "\n\n The answer", "\n\nThe answer")
}

// indented formats a user's text so that no line of it starts a status block or a tag.
func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ")
}

// after finds the questions of a completed turn, and those that no longer need an answer. After a
// failed turn, the next one receives the same answers and guides again, since its conversation is
// not continued.
func (q *questions) after(e *ended) (changed []record.Question) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e.failed() || e.waits() {
		return nil
	}
	s := &q.state
	asked := q.asked(e)
	var left []record.Question
	for _, of := range s.Questions {
		i := slices.IndexFunc(asked, of.Same)
		switch {
		case of.Given != nil && (slices.Contains(e.talk.answers, of.ID) || of.From == record.FromRequest):
		case of.Given != nil:
			left = append(left, of) // answered while the turn ran
		case i >= 0:
			asked = slices.Delete(asked, i, i+1)
			left = append(left, of)
		default:
			of.Ended = fmt.Sprintf("turn %d ended without asking it again", e.turn)
			changed = append(changed, of)
		}
	}
	s.Guides = slices.DeleteFunc(s.Guides, func(g record.Guide) bool { return slices.Contains(e.talk.guides, g.ID) })
	for i := range asked {
		asked[i].ID = q.nextID()
	}
	s.Questions = append(left, asked...)
	return append(changed, asked...)
}

// asked returns the questions that a turn ended with, without IDs.
func (q *questions) asked(e *ended) (list []record.Question) {
	add := func(from string, holds bool, of event.Question) {
		list = append(list, record.Question{Question: of, Turn: e.turn, Asked: q.now(), From: from, Holds: holds})
	}
	if text := q.state.Asked; text != "" {
		add(record.FromTool, true, event.Question{Kind: event.AskText, Text: text})
	} else if b := e.block; b != nil && b.Status == statusBlocked {
		if text := record.OneLine(cmp.Or(strings.TrimSpace(b.Recommendation), q.state.Said), 1000); text != "" {
			add(record.FromBlock, true, event.Question{Kind: event.AskText, Text: text})
		}
	}
	for _, r := range e.said.refused {
		of := record.Question{Question: event.Question{
			Kind: event.AskPermission, Tool: r.Tool, Name: r.Name, Input: r.Input, Text: record.OneLine(r.Detail, 1000),
			Options: []event.Option{{ID: "allow", Name: "Allow", Kind: event.AllowAlways}, {ID: "deny", Name: "Deny", Kind: event.RejectOnce}},
		}, Turn: e.turn, Asked: q.now(), From: record.FromDenial, Holds: q.state.Halted}
		_, decided, err := q.decide(of)
		if err == nil && !decided && r.Name != "" && !slices.ContainsFunc(list, of.Same) { // the end of the turn reports the same error
			list = append(list, of)
		}
	}
	return list
}

// turnOver reports the questions that a turn ended with.
func (q *questions) turnOver(e *ended) {
	for _, of := range e.asked {
		if of.Open() && !(of.Holds && q.waits) { // otherwise it is reported when the loop waits for it
			q.tellAsked(of)
		}
	}
}

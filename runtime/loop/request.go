package loop

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/permit"
	"example.org/ripple/runtime/loop/record"
)

// ask gets an answer to a question during a turn.
func (q *questions) ask(ctx context.Context, turn int, asked event.Question) (event.Answer, error) {
	of := record.Question{Question: asked, Turn: turn, Asked: q.now(), From: record.FromRequest, Holds: true}
	if a, decided, err := q.decide(of); decided || err != nil {
		return a, err
	}
	of, isNew, err := q.put(of)
	if err != nil {
		return event.Answer{}, err
	}
	if of.Given == nil {
		if isNew || q.waits {
			q.tellAsked(of)
		}
		if !q.waits {
			return event.Answer{}, &Stop{Reason: ReasonQuestion, Message: sentence("The agent asks: " + FormatQuestion(of)), Question: &of}
		}
		a, answered, err := q.poll(ctx, of, false)
		if err == nil && !answered {
			err = fmt.Errorf("question %s ended without an answer", of.ID)
		}
		return a, err
	}
	return *of.Given, nil
}

// put assigns an ID to a question and records it, unless an interrupted attempt at the turn has
// asked it already.
func (q *questions) put(of record.Question) (known record.Question, isNew bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := &q.state
	if i := slices.IndexFunc(s.Questions, of.Same); i >= 0 && s.Questions[i].Ended == "" {
		s.Questions[i] = refit(s.Questions[i], of.Options)
		return s.Questions[i], false, nil
	}
	of.ID = q.nextID()
	s.Questions = append(s.Questions, of)
	return of, true, q.log.Add(record.Line{Turn: of.Turn, Time: q.now(), Type: record.Asked, Question: &of})
}

func (q *questions) nextID() string {
	q.state.Asking++
	return fmt.Sprintf("q%d", q.state.Asking)
}

// refit adapts an earlier answer to a repeated question: the answer's option is one of the new
// options, whose IDs may differ.
func refit(of record.Question, options []event.Option) record.Question {
	if of.Given != nil && of.Given.Option != "" {
		a := *of.Given
		old, _ := of.Option(a.Option)
		i := slices.IndexFunc(options, func(o event.Option) bool { return o == old })
		if i < 0 {
			i = slices.IndexFunc(options, func(o event.Option) bool {
				return o.Name == old.Name && old.Kind == "" || o.Kind != "" && o.Kind.Allows() == old.Kind.Allows()
			})
		}
		a.Option = ""
		if i >= 0 {
			a.Option = options[i].ID
		}
		of.Given = &a
	}
	of.Options = options
	return of
}

// allows reports whether the answer to a permission question grants it.
func allows(of record.Question) bool {
	if of.Given == nil || of.Kind != event.AskPermission {
		return false
	}
	o, _ := of.Option(of.Given.Option)
	return o.Kind.Allows()
}

// FormatQuestion returns a question in one line.
func FormatQuestion(of record.Question) string {
	what := cmp.Or(of.Name, string(of.Tool))
	switch input := permit.Subject(of.Question); {
	case of.Kind != event.AskPermission || what == "":
		return record.OneLine(cmp.Or(of.Text, "it contains no text"), 1000)
	case input != of.Text:
		what += " (" + input + ")"
	}
	if of.Text != "" && of.Text != of.Name {
		what += ": " + of.Text
	}
	verb := "may it use "
	if of.From == record.FromDenial {
		verb = "it was denied "
	}
	return record.OneLine(verb+what, 1000)
}

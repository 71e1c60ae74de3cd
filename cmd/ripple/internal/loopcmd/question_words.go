package loopcmd

import (
	"cmp"
	"fmt"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/record"
)

// asksWords describes a question.
func asksWords(q record.Question) string {
	return fmt.Sprintf("%s: the agent asks: %s", q.ID, ui.Harmless(loop.FormatQuestion(q)))
}

// givenWords describes an answer.
func givenWords(q record.Question) string {
	if q.Given == nil {
		return q.ID
	}
	o, _ := q.Option(q.Given.Option)
	text := cmp.Or(o.Name, o.ID)
	switch {
	case q.Kind == event.AskPermission && o.Kind.Allows():
		text = "allowed"
	case q.Kind == event.AskPermission:
		text = "denied"
	}
	if q.Given.Text != "" {
		text = ui.FirstLine(joined(text, q.Given.Text))
	}
	if q.ID != "" && q.From != "" && q.Given.By == byPerson {
		from := ""
		if q.Given.From != nil {
			from = " (" + q.Given.From.String() + ")"
		}
		return fmt.Sprintf("%s answered: %s", q.ID, ui.Harmless(text+from))
	}
	return fmt.Sprintf("%s (%s): %s", ui.Harmless(text), ui.Harmless(cmp.Or(q.Given.By, "a user")), ui.Harmless(loop.FormatQuestion(q)))
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + ", " + b
}

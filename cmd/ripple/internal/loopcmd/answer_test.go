package loopcmd

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/record"
)

// A question for text may have additional options: one that declines, and one that leaves it
// open, by its name.
func TestAnswersToAField(t *testing.T) {
	decline := event.Option{ID: "d", Name: "Decline", Kind: event.RejectOnce}
	open := event.Option{ID: "o", Name: "(leave it open)"}
	words := record.Question{Question: event.Question{ID: "q1", Kind: event.AskText, Text: "Where to?", Options: []event.Option{open, decline}}}
	address := record.Question{Question: event.Question{ID: "q1", Kind: event.AskChoice, Options: []event.Option{{ID: "a", Name: "I will open it", Kind: event.AllowOnce}, decline}}}
	plain := record.Question{Question: event.Question{ID: "q1", Kind: event.AskText, Text: "Where to?"}}
	for _, c := range []struct {
		name string
		q    record.Question
		r    reply
		want event.Answer // empty: none
	}{
		{"words", words, reply{text: "home"}, event.Answer{Text: "home", By: byPerson}},
		{"words that are a number", words, reply{text: "2"}, event.Answer{Text: "2", By: byPerson}},
		{"an option's name", words, reply{text: "(Leave it open)"}, event.Answer{Option: "o", By: byPerson}},
		{"a refusal", words, reply{deny: true}, event.Answer{Option: "d", By: byPerson}},
		{"the word for a refusal", words, reply{text: "Decline"}, event.Answer{Text: "Decline", By: byPerson}},
		{"leave", words, reply{allow: true}, event.Answer{}},
		{"an address is opened", address, reply{allow: true}, event.Answer{Option: "a", By: byPerson}},
		{"an address is not", address, reply{deny: true}, event.Answer{Option: "d", By: byPerson}},
		{"a refusal of what has none", plain, reply{deny: true}, event.Answer{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.r.answerTo(c.q)
			if c.want == (event.Answer{}) {
				assert.ErrorContains(t, err, "does not ask for permission")
				return
			}
			assert.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
	hostile := record.Question{Question: event.Question{ID: "q1;id", Kind: event.AskText, Options: []event.Option{{ID: "o", Name: "it's; id"}}}}
	assert.Equal(t, "ripple answer 'q1;id' 'TEXT'\n  ripple answer 'q1;id' 'it'\\''s; id'", ways(hostile), "a shell reads it as one argument")
	assert.Equal(t, "ripple answer q1 'TEXT'\n  ripple answer q1 '(leave it open)'\n  ripple answer q1 --deny", ways(words))
}

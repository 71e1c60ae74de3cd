//go:build unix

package agent_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/event"
)

const (
	makeIt = `{"jsonrpc":"2.0","id":"a","method":"session/request_permission","params":{"sessionId":"s-1","toolCall":{"toolCallId":"t1","title":"make","kind":"execute","rawInput":{"command":"make"}},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]}}`
	moveIt = `{"jsonrpc":"2.0","id":"a","method":"session/request_permission","params":{"sessionId":"s-1","toolCall":{"toolCallId":"t2","title":"move","kind":"execute","rawInput":{"command":"mv a b"}},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]}}`
	tellIt = `{"jsonrpc":"2.0","id":"a","method":"elicitation/create","params":{"sessionId":"s-1","mode":"form","message":"Tell me.","requestedSchema":{"properties":{"one":{"type":"string"},"two":{"type":"string"}},"required":["one","two"]}}}`
	openIt = `{"jsonrpc":"2.0","id":"a","method":"elicitation/create","params":{"sessionId":"s-1","mode":"url","elicitationId":"e","url":"https://a.example","message":"Log in."}}`

	allowed   = `{"jsonrpc":"2.0","id":"a","result":{"outcome":{"optionId":"y","outcome":"selected"}}}`
	told      = `{"jsonrpc":"2.0","id":"a","result":{"action":"accept","content":{"one":"as you like","two":"as you like"}}}`
	opened    = `{"jsonrpc":"2.0","id":"a","result":{"action":"accept"}}`
	takeBack  = `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"a"}}`
	takenBack = `{"jsonrpc":"2.0","id":"a","error":{"code":-32800,"message":"withdrawn"}}`
	noRequest = `{"jsonrpc":"2.0","id":"a","method":"session/request_permission","params":{"options":7}}`
	noParams  = `{"jsonrpc":"2.0","id":"a","error":{"code":-32602,"message":"invalid parameters for session/request_permission"}}`
	inUse     = `{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"the previous request with this ID is still open"}}`
)

// A repeated request with identical content is a single question: it is asked once, and each copy
// receives the answer, even one that arrives later. A different request with the same ID is
// another question, and is rejected while the first one is open, since an answer could not be
// assigned.
func TestARequestComesAgain(t *testing.T) {
	for name, c := range map[string]struct {
		lines string // of the script; it says "here" when all questions that precede an answer are open
		asked []string
		uses  int
		want  []string
	}{
		"while it is open":         {"> " + makeIt + "\n> " + makeIt + "\nhere\n<\ngot\n<\ngot", []string{"make"}, 1, []string{allowed, allowed}},
		"with other white space":   {"> " + makeIt + "\n> " + strings.ReplaceAll(makeIt, ",", ", ") + "\nhere\n<\ngot\n<\ngot", []string{"make"}, 1, []string{allowed, allowed}},
		"when it is answered":      {"> " + makeIt + "\nhere\n<\ngot\n> " + makeIt + "\n<\ngot\n> " + makeIt + "\n<\ngot", []string{"make"}, 1, []string{allowed, allowed, allowed}},
		"another, while it is":     {"> " + makeIt + "\n> " + moveIt + "\n<\ngot\nhere\n<\ngot", []string{"make"}, 1, []string{inUse, allowed}},
		"another, when it is not":  {"> " + makeIt + "\nhere\n<\ngot\n> " + moveIt + "\n<\ngot", []string{"make", "move"}, 2, []string{allowed, allowed}},
		"of a form":                {"> " + tellIt + "\n> " + tellIt + "\nhere\n<\ngot\n<\ngot\n> " + tellIt + "\n<\ngot", []string{"Tell me.\none", "Tell me.\ntwo"}, 0, []string{told, told, told}},
		"of an address":            {"> " + openIt + "\n> " + openIt + "\nhere\n<\ngot\n<\ngot", []string{"Log in.\nIt asks you to open an address at a.example: https://a.example"}, 0, []string{opened, opened}},
		"taken back, and again":    {"> " + makeIt + "\n> " + makeIt + "\n> " + takeBack + "\n<\ngot\n<\ngot\n> " + makeIt + "\n<\ngot\nhere", []string{"make"}, 1, []string{takenBack, takenBack, takenBack}},
		"with no option, and then": {"> " + makeIt + "\n> " + noRequest + "\n<\ngot\nhere\n<\ngot", []string{"make"}, 1, []string{noParams, allowed}},
	} {
		t.Run(name, func(t *testing.T) {
			here := make(chan struct{})
			said := sync.OnceFunc(func() { close(here) })
			var mu sync.Mutex
			var asked []string
			out, events := playIn(t.Context(), t, talking(t, "ask"), agent.Turn{Prompt: "go"}, agent.Options{
				Timeout: time.Minute,
				Env:     []string{script(t, "begin\n"+strings.ReplaceAll(c.lines, "here", "text HERE")+"\nstop end_turn")},
				Output: writes(func(b []byte) {
					if strings.Contains(string(b), "HERE") {
						said()
					}
				}),
				Ask: func(ctx context.Context, q event.Question) (event.Answer, error) {
					mu.Lock()
					asked = append(asked, q.Text)
					mu.Unlock()
					select {
					case <-here:
					case <-ctx.Done():
						return event.Answer{}, ctx.Err()
					}
					if q.Kind == event.AskText {
						return event.Answer{Text: "as you like"}, nil
					}
					return event.Answer{Option: q.Options[0].ID, By: "somebody"}, nil
				},
			})
			assert.Nil(t, out.Failure)
			got, uses := "", 0
			for _, e := range events {
				got += e.Text
				if e.Type == event.ToolUse {
					uses++
				}
			}
			assert.Equal(t, strings.Join(c.want, "\n")+"\n", strings.ReplaceAll(got, "HERE", ""))
			assert.EventuallyWithT(t, func(t *assert.CollectT) { // unanswered questions may still be on their way
				mu.Lock()
				defer mu.Unlock()
				assert.Equal(t, c.asked, asked)
			}, testkit.Patience(time.Minute), time.Millisecond)
			assert.Equal(t, c.uses, uses)
		})
	}
}

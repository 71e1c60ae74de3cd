package agent

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/acp"
	"example.org/ripple/runtime/internal/mapping"
	"example.org/ripple/schema"
)

// No question stays open if ending the turn panics.
func TestAPanicWhileATurnEndsDismissesItsQuestions(t *testing.T) {
	g := &schema.Agent{}
	g.Output.Format = schema.FormatText
	r, err := newReader(g, event.Tokens{}, func(event.Event) {})
	require.NoError(t, err)
	r.faults.Dir = t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := &watch{r: r, talk: &talk{client: acp.New(acp.Turn{}, acp.Calls{}), open: map[string]context.CancelFunc{"q1": cancel}}} // without a reader, its end panics
	w.close()
	assert.True(t, w.broken)
	assert.Error(t, ctx.Err())
}

// The outcome of a turn whose judging panics has what the turn used.
func TestAPanicWhileATurnIsJudged(t *testing.T) {
	g := &schema.Agent{}
	g.Output.Format, g.Output.Events = schema.FormatNDJSON, `{type: "usage", scope: "session", input: .in}, {type: "session", id: "s-1"}`
	r, err := newReader(g, event.Tokens{Input: 2}, func(e event.Event) {
		if e.Type == event.Usage {
			panic("broken")
		}
	})
	require.NoError(t, err)
	r.faults.Dir = t.TempDir()
	r.write([]byte("{\"in\":5}\n"))
	r.close()
	o := r.judged(ending{})
	require.NotNil(t, o.Failure)
	assert.Contains(t, o.Failure.Message, "internal error (panic) while judging the turn")
	assert.Equal(t, []any{int64(3), int64(5), "s-1"}, []any{o.Tokens.Input, o.SessionTokens.Input, o.SessionID})
}

// A panic of the adapter's program costs one line its form: the turn has it as the agent printed it.
func TestAPanicOfTheAdaptersProgram(t *testing.T) {
	var events []event.Event
	g := &schema.Agent{}
	g.Output.Format, g.Output.Events = schema.FormatNDJSON, `{type: "text", text: .x}`
	r, err := newReader(g, event.Tokens{}, func(e event.Event) { events = append(events, e) })
	require.NoError(t, err)
	r.faults.Dir = t.TempDir()
	works := r.program
	r.program = new(mapping.Program) // running it panics
	r.write([]byte("{\"x\":\"one\"}\n"))
	r.program = works
	r.write([]byte("{\"x\":\"two\"}\n"))
	r.close()
	require.Len(t, events, 2)
	assert.Equal(t, `{"x":"one"}`, events[0].Raw)
	assert.Equal(t, "two", events[1].Text)
	require.Len(t, r.problems, 1)
	assert.Regexp(t, `^internal error \(panic\) while converting a line of the agent's output with .*: the line is passed on as the agent printed it; please report it with `, r.problems[0])
}

package agent

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/ripple/runtime/event"
	"example.com/ripple/runtime/mapping"
	"example.com/ripple/schema"
)

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

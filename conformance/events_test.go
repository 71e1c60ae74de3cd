package conformance

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/event"
	"example.org/ripple/schema"
)

// The loader checks the types of expected events without knowing package event.
func TestEventTypesOfTheSchema(t *testing.T) {
	var names []string
	for _, typ := range []event.Type{
		event.Session, event.Text, event.Reasoning, event.ToolUse, event.ToolResult, event.Usage, event.RateLimited,
		event.PermissionDenied, event.Error, event.Finished, event.Unknown, event.Ignored,
	} {
		names = append(names, string(typ))
	}
	assert.Equal(t, names, schema.EventTypes())
}

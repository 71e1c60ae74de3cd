package event_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"ripple/runtime/event"
)

func TestChoose(t *testing.T) {
	q := event.Question{Options: []event.Option{
		{ID: "always", Kind: event.AllowAlways},
		{ID: "once", Kind: event.AllowOnce},
		{ID: "once too", Kind: event.AllowOnce},
	}}
	a, ok := q.Choose("a rule", event.AllowOnce, event.AllowAlways)
	assert.True(t, ok)
	assert.Equal(t, event.Answer{Option: "once", By: "a rule"}, a)
	_, ok = q.Choose("a rule", event.RejectOnce, event.RejectAlways)
	assert.False(t, ok, "a question that cannot be refused")

	o, ok := q.Option("always")
	assert.True(t, ok)
	assert.True(t, o.Kind.Allows())
	_, ok = q.Option("never")
	assert.False(t, ok)
	assert.False(t, event.RejectOnce.Allows())
}

func TestBoundInput(t *testing.T) {
	short := json.RawMessage(`{"command":"ls"}`)
	assert.Equal(t, short, event.BoundInput(short))
	for _, fill := range []string{"a", "ü", "<", "\x00"} {
		b, err := json.Marshal(strings.Repeat(fill, event.MaxInput))
		assert.NoError(t, err)
		got := event.BoundInput(b)
		assert.LessOrEqual(t, len(got), event.MaxInput)
		assert.True(t, json.Valid(got))
		assert.Contains(t, string(got), "…")
	}
}

package event_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/event"
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
	assert.Equal(t, short, event.TruncateInput(short))
	for _, fill := range []string{"a", "ü", "<", "\x00"} {
		b, err := json.Marshal(strings.Repeat(fill, event.MaxInput))
		assert.NoError(t, err)
		got := event.TruncateInput(b)
		assert.LessOrEqual(t, len(got), event.MaxInput)
		assert.True(t, json.Valid(got))
		assert.Contains(t, string(got), "…")
		assert.True(t, event.IsTruncated(string(got)))
	}
}

// Short values, which identify a use, are kept together with long ones.
func TestBoundInputKeepsItsKeys(t *testing.T) {
	bound := func(input map[string]any) (got map[string]any) {
		b, err := json.Marshal(input)
		require.NoError(t, err)
		b = event.TruncateInput(b)
		assert.LessOrEqual(t, len(b), event.MaxInput)
		require.NoError(t, json.Unmarshal(b, &got), "%.100s", b)
		return got
	}
	long := strings.Repeat("\x00", event.MaxInput)
	got := bound(map[string]any{"path": "src/a.go", "content": long, "n": 1})
	assert.Equal(t, "src/a.go", got["path"])
	assert.Equal(t, 1., got["n"])
	assert.True(t, event.IsTruncated(got["content"].(string)))
	assert.False(t, event.IsTruncated("src/a.go"))
	assert.False(t, event.IsTruncated("and so on…"))
	many := map[string]any{"path": "src/a.go"}
	for i := range 9 {
		many[string(rune('a'+i))] = long
	}
	assert.Equal(t, "src/a.go", bound(many)["path"])
	assert.True(t, event.IsTruncated(bound(map[string]any{"command": strings.Split(long, "\x00")})["command"].(string)))
}

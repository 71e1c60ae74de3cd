//go:build unix

package agent_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/event"
	"example.org/ripple/schema"
)

// A turn on a screen that reaches any limit reports the content of the screen.
func TestALimitOnAScreenReportsItsText(t *testing.T) {
	a, ds := schema.Parse("asking", []byte(`
schema: 1
name: asking
version: 1.0.0
description: asks what nobody knows
family: agent
process: {executable: sh}
agent:
  transport: screen
  screen:
    args: [-c, "echo 'What is your name?'; exec sleep 1000"]
    states: [{state: ready, pattern: '^never$'}]
    prompt: {submit: ["\r"]}
    interrupt: ["\e"]
    leave: ["\x03"]
    text: {below: '^never$'}
`), schema.Options{})
	require.Empty(t, ds)
	for name, o := range map[string]agent.Options{
		"of the turn": {Timeout: testkit.Patience(3 * time.Second)},
		"of silence":  {IdleTimeout: testkit.Patience(3 * time.Second)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.Grace = 100 * time.Millisecond
			out, err := agent.Run(t.Context(), a, agent.Turn{Prompt: "go"}, o)
			require.NoError(t, err)
			assert.Equal(t, event.Timeout, kind(out))
			assert.Contains(t, out.Failure.Message, "its screen shows:\nWhat is your name?")
		})
	}
}

//go:build unix

package agent_test

import (
	"strings"
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
	for name, limited := range map[string]func(time.Duration) agent.Options{
		"of the turn": func(limit time.Duration) agent.Options { return agent.Options{Timeout: limit} },
		"of silence":  func(limit time.Duration) agent.Options { return agent.Options{IdleTimeout: limit} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for limit := 250 * time.Millisecond; ; limit *= 2 {
				o := limited(limit)
				o.Grace = 100 * time.Millisecond
				out, err := agent.Run(t.Context(), a, agent.Turn{Prompt: "go"}, o)
				require.NoError(t, err)
				require.Equal(t, event.Timeout, kind(out))
				if strings.HasSuffix(out.Failure.Message, "its screen shows nothing") && limit < testkit.Patience(3*time.Second) {
					continue // the agent has printed nothing yet
				}
				assert.Contains(t, out.Failure.Message, "its screen shows:\nWhat is your name?")
				return
			}
		})
	}
}

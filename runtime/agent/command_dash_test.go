package agent_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/agent"
	"example.org/ripple/schema"
)

// An agent would parse an argument that begins with a dash as an option, even after a flag that takes no value.
func TestPromptThatBeginsWithADash(t *testing.T) {
	for name, c := range map[string]struct {
		prompt schema.AgentPrompt
		args   []string
		stdin  string
	}{
		"options end before it":             {schema.AgentPrompt{Flag: "--", Overflow: schema.PromptStdin}, []string{"--", "- a"}, ""},
		"a flag that is one with it":        {schema.AgentPrompt{Flag: "--prompt="}, []string{"--prompt=- a"}, ""},
		"another flag":                      {schema.AgentPrompt{Flag: "-p"}, []string{"-p", "\n- a"}, ""},
		"another flag and another way":      {schema.AgentPrompt{Flag: "-p", Overflow: schema.PromptStdin}, []string{"-p", "\n- a"}, ""},
		"alone it is delivered another way": {schema.AgentPrompt{Overflow: schema.PromptStdin, StdinArgs: []string{"-"}}, []string{"-"}, "- a"},
		"alone with no other way at all":    {schema.AgentPrompt{}, []string{"\n- a"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c.prompt.Deliver, c.prompt.MaxArgumentBytes = schema.PromptArgument, 100
			got, err := agent.NewCommand(&schema.Adapter{Name: "x", Agent: &schema.Agent{Prompt: c.prompt}}, agent.Turn{Prompt: "- a"})
			require.NoError(t, err)
			assert.Equal(t, c.args, got.Args)
			assert.Equal(t, c.stdin, got.Stdin)
		})
	}
}

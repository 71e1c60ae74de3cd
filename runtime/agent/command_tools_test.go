package agent_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"ripple/runtime/agent"
	"ripple/schema"
)

// Tools that may be allowed: by name, and by how the name begins.
func TestAllowedTools(t *testing.T) {
	a := &schema.Adapter{Name: "x", Agent: &schema.Agent{Prompt: schema.AgentPrompt{Deliver: schema.PromptStdin}}}
	a.Agent.Options.AllowedTools = &schema.AgentOption{Args: []string{"--allow={tools}"}}
	a.Agent.Tools.Valid = []string{"Bash", "mcp__*"}
	for tool, ok := range map[string]bool{
		"Bash": true, "Bash(git *)": true, "mcp__files__read": true, "mcp__*": true,
		"Bas": false, "Bash2": false, "mcp": false, "": false,
	} {
		_, err := agent.NewCommand(a, agent.Turn{Prompt: "p", AllowedTools: []string{tool}})
		assert.Equal(t, ok, err == nil, "%q: %v", tool, err)
	}
}

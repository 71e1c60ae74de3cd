package agent_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/agent"
	"example.org/ripple/schema"
)

// Tools can be allowed by name or by prefix.
func TestAllowedTools(t *testing.T) {
	a := &schema.Adapter{Name: "x", Agent: &schema.Agent{Prompt: schema.AgentPrompt{Deliver: schema.PromptStdin}}}
	a.Agent.Options.AllowedTools = &schema.AgentToolList{AgentOption: schema.AgentOption{Args: []string{"--allow={tools}"}}}
	a.Agent.Tools.Valid = []string{"Bash", "mcp__*"}
	for tool, ok := range map[string]bool{
		"Bash": true, "Bash(git *)": true, "mcp__files__read": true, "mcp__*": true,
		"Bas": false, "Bash2": false, "mcp": false, "": false,
	} {
		_, err := agent.NewCommand(a, agent.Turn{Prompt: "p", AllowedTools: []string{tool}})
		assert.Equal(t, ok, err == nil, "%q: %v", tool, err)
	}
}

// A list of tools selects the permission mode that enforces it; a mode that does not enforce it
// is rejected, as is a list that the adapter's program rejects.
func TestALimitIsKept(t *testing.T) {
	a := &schema.Adapter{Name: "x", Agent: &schema.Agent{Prompt: schema.AgentPrompt{Deliver: schema.PromptStdin}, Env: map[string]string{"A": "1"}}}
	a.Agent.Options.PermissionMode = &schema.AgentOption{Default: "all", Values: map[string][]string{"all": {"--all"}, "ask": {"--ask"}, "plan": {"--plan"}}}
	a.Agent.Options.AllowedTools = &schema.AgentToolList{
		PermissionModes: []string{"ask", "plan"},
		Limit:           `if .tools[0].tool == "never" then error("not that") else {args: ["--policy={file}"], env: {B: "2"}, file: {name: "p", text: .tools[0].tool}} end`,
	}
	for _, c := range []struct {
		turn    agent.Turn
		args    []string
		refused string
	}{
		{turn: agent.Turn{}, args: []string{"--all"}},
		{turn: agent.Turn{AllowedTools: []string{"read"}}, args: []string{"--policy={file}", "--ask"}},
		{turn: agent.Turn{AllowedTools: []string{"read"}, PermissionMode: "plan"}, args: []string{"--policy={file}", "--plan"}},
		{turn: agent.Turn{AllowedTools: []string{"read"}, PermissionMode: "all"}, refused: `in permission mode "all" this agent ignores the list of allowed tools; with such a list, use one of ask, plan`},
		{turn: agent.Turn{AllowedTools: []string{"never"}}, refused: "the agent cannot be restricted to these tools: not that"},
		{turn: agent.Turn{AllowedTools: []string{"a\nb"}}, refused: "contains a control character"},
	} {
		c.turn.Prompt = "p"
		got, err := agent.NewCommand(a, c.turn)
		if c.refused != "" {
			assert.ErrorContains(t, err, c.refused)
			continue
		}
		assert.NoError(t, err)
		assert.Equal(t, c.args, got.Args)
		if len(c.turn.AllowedTools) > 0 {
			assert.Equal(t, map[string]string{"A": "1", "B": "2"}, got.Env)
			assert.Equal(t, "read", got.ToolsFile)
			assert.Equal(t, []int{0}, got.ToolsAt)
		}
	}
	assert.Equal(t, map[string]string{"A": "1"}, a.Agent.Env, "the adapter is as it was")
}

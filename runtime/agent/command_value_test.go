package agent_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/registry"
)

// No value that may come from a file becomes an option of an agent, whichever adapter it has.
func TestAValueIsNotAnOption(t *testing.T) {
	r, err := registry.Open(registry.DefaultSources(func(string) string { return "" }, ""))
	require.NoError(t, err)
	require.NotEmpty(t, r.Agents())
	for _, e := range r.Agents() {
		for name, turn := range map[string]agent.Turn{
			"resume":          {SessionID: "--yolo"},
			"resume, lines":   {SessionID: "a\na"},
			"new session":     {NewSessionID: "-x"},
			"model":           {Model: "--yolo"},
			"permission mode": {PermissionMode: "--yolo"},
			"allowed tools":   {AllowedTools: []string{"--yolo"}},
		} {
			turn.Prompt = "p"
			c, err := agent.NewCommand(e.Adapter, turn)
			if err == nil { // over its protocol it is not an argument
				assert.NotContains(t, c.Args, "--yolo", "%s: %s", e.Name, name)
				assert.NotContains(t, c.Args, "a\na", "%s: %s", e.Name, name)
				assert.NotContains(t, c.Args, "-x", "%s: %s", e.Name, name)
			}
		}
	}
}

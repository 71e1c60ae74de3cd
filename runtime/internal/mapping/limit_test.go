package mapping_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/internal/mapping"
	"example.org/ripple/schema"
)

// The adapter converts a list of allowed tools to arguments, environment variables, a file, or an
// error with its own message.
func TestLimit(t *testing.T) {
	for _, c := range []struct {
		name, program string
		tools         []string
		want          mapping.Limit
		refused       string
	}{
		{name: "arguments", program: `{args: [.tools[] | "\(.tool)/\(.name)/\(.rule)"]}`, tools: []string{"a", "b(c d)"}, want: mapping.Limit{Args: []string{"a/a/null", "b(c d)/b/c d"}}},
		{name: "what was not named", program: `{args: .others}`, tools: []string{"b(x)"}, want: mapping.Limit{Args: []string{"a", "c"}}},
		{name: "environment", program: `{env: {X: (.tools | length | tostring)}}`, tools: []string{"a"}, want: mapping.Limit{Env: map[string]string{"X": "1"}}},
		{name: "in its own words", program: `error("a comes with b")`, tools: []string{"a"}, refused: "a comes with b"},
		{name: "nothing", program: `empty`, tools: []string{"a"}, refused: "agent.options.allowed_tools.limit yields nothing"},
		{name: "of another shape", program: `{args: 1}`, tools: []string{"a"}, refused: "{args, env, file} was expected"},
		{name: "a file elsewhere", program: `{file: {name: "../x", text: "y"}}`, tools: []string{"a"}, refused: `file.name "../x" must be a file name without a directory`},
		{name: "an error of its own", program: `.tools + 1`, tools: []string{"a"}, refused: "agent.options.allowed_tools.limit fails"},
		{name: "forever", program: `def f: f; f`, tools: []string{"a"}, refused: "agent.options.allowed_tools.limit fails"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &schema.Agent{Tools: schema.AgentTools{Valid: []string{"a", "b", "c", "d*"}}}
			g.Options.AllowedTools = &schema.AgentToolList{Limit: c.program}
			got, err := mapping.NewLimit(g, c.tools)
			if c.refused != "" {
				assert.ErrorContains(t, err, c.refused)
				return
			}
			assert.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

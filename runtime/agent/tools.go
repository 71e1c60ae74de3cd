package agent

import (
	"maps"
	"slices"
	"strings"

	"example.org/ripple/runtime/internal/mapping"
	"example.org/ripple/schema"
)

// enforce selects, for a turn with a list of tools, a permission mode in which the agent keeps to
// it. A mode that does not enforce the list is rejected.
func enforce(a *schema.Adapter, t *Turn) error {
	o := a.Agent.Options.AllowedTools
	if o == nil || len(t.AllowedTools) == 0 || len(o.PermissionModes) == 0 {
		return nil
	}
	b := builder{a: a}
	switch {
	case t.PermissionMode == "":
		t.PermissionMode = o.PermissionModes[0]
	case !slices.Contains(o.PermissionModes, t.PermissionMode):
		b.refuse("in permission mode %q this agent ignores the list of allowed tools; with such a list, use one of %s",
			t.PermissionMode, strings.Join(o.PermissionModes, ", "))
	}
	return b.err
}

// hasTool reports whether an agent has a tool with this name; "Bash(git *)" refers to Bash, and a
// name in the agent's list that ends in * matches every name with that prefix.
func hasTool(g *schema.Agent, tool string) bool {
	name, _, _ := strings.Cut(tool, "(")
	return len(g.Tools.Valid) == 0 || slices.ContainsFunc(g.Tools.Valid, func(v string) bool {
		prefix, many := strings.CutSuffix(v, "*")
		return v == name || many && strings.HasPrefix(name, prefix)
	})
}

func (b *builder) checkTools(tools []string) {
	valid := b.a.Agent.Tools.Valid
	for _, tool := range tools {
		name, _, _ := strings.Cut(tool, "(")
		if !hasTool(b.a.Agent, tool) {
			b.refuse("tool %q is not one of this agent's%s; its tools are %s", name, schema.Suggest(name, valid), strings.Join(valid, ", "))
		}
		if strings.ContainsAny(tool, "\x00\n\r") {
			b.refuse("tool %q contains a control character", tool)
		}
	}
}

// toolList returns the option that allows tools; nil if the agent has none.
func toolList(g *schema.Agent) *schema.AgentOption {
	if g.Options.AllowedTools == nil {
		return nil
	}
	return &g.Options.AllowedTools.AgentOption
}

// limitTools adds the results of the adapter's program for a list of tools.
func (b *builder) limitTools(tools []string) {
	l, err := mapping.NewLimit(b.a.Agent, tools)
	if err != nil {
		b.refuse("the agent cannot be restricted to these tools: %v", err)
		return
	}
	b.limit = l
	for _, arg := range l.Args {
		if l.File.Text != "" && strings.Contains(arg, ToolsPath) {
			b.limitAt = append(b.limitAt, len(b.args))
		}
		b.args = append(b.args, arg)
	}
}

// merged returns one environment with another one overlaid.
func merged(under, over map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, under)
	maps.Copy(all, over)
	return all
}

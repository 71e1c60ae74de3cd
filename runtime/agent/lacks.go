package agent

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.org/ripple/schema"
)

// ModeProblem describes why an agent does not support a permission mode; "" if it does.
func ModeProblem(g *schema.Agent, mode string) string {
	o := g.Options.PermissionMode
	if o == nil {
		return "option for it"
	}
	if _, known := o.Values[mode]; len(o.Values) > 0 && !known {
		return fmt.Sprintf("permission mode %q; it has %s", mode, strings.Join(slices.Sorted(maps.Keys(o.Values)), ", "))
	}
	return ""
}

// ToolsProblem describes why an agent does not support a list of tools; "" if it does. If the agent
// knows at least one of the names, the list was written for it: unknown names are then errors,
// which its turn rejects.
func ToolsProblem(g *schema.Agent, tools []string) string {
	if g.Options.AllowedTools == nil {
		return "option for it"
	}
	if len(tools) > 0 && !slices.ContainsFunc(tools, func(t string) bool { return hasTool(g, t) }) {
		return fmt.Sprintf("tool %q; it has %s", tools[0], strings.Join(g.Tools.Valid, ", "))
	}
	return ""
}

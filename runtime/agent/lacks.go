package agent

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ripple/schema"
)

// LacksMode is what an agent lacks of a permission mode; "" for nothing.
func LacksMode(g *schema.Agent, mode string) string {
	o := g.Options.PermissionMode
	if o == nil {
		return "option for it"
	}
	if _, known := o.Values[mode]; len(o.Values) > 0 && !known {
		return fmt.Sprintf("permission mode %q, but %s", mode, strings.Join(slices.Sorted(maps.Keys(o.Values)), ", "))
	}
	return ""
}

// LacksTools is what an agent lacks of a list of tools. A list of which it knows
// one name was written for it: then the others are mistakes, which its turn
// refuses.
func LacksTools(g *schema.Agent, tools []string) string {
	if g.Options.AllowedTools == nil {
		return "option for it"
	}
	if len(tools) > 0 && !slices.ContainsFunc(tools, func(t string) bool { return HasTool(g, t) }) {
		return fmt.Sprintf("tool %q, but %s", tools[0], strings.Join(g.Tools.Valid, ", "))
	}
	return ""
}

package schema

import (
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Defaults come from the JSON Schema alone: fill adds them to the tree before
// it is decoded, computeDefaults adds the few that depend on other keys.

// fill removes values that were reported as wrong and nulls that mean "not
// set", and adds the default of every key that is absent. Items of a list stay
// where they are, so that their positions remain valid.
func fill(k keys, n *yaml.Node, pointer string, bad map[string]bool) {
	switch n.Kind {
	case yaml.SequenceNode:
		for i, item := range n.Content {
			p := pointer + "/" + strconv.Itoa(i)
			if bad[p] {
				n.Content[i] = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
				continue
			}
			fill(k.items(), item, p, bad)
		}
	case yaml.MappingNode:
		fillMapping(k, n, pointer, bad)
	}
}

func fillMapping(k keys, n *yaml.Node, pointer string, bad map[string]bool) {
	set := map[string]bool{}
	kept := n.Content[:0:0]
	for i := 0; i < len(n.Content); i += 2 {
		key, v := n.Content[i], n.Content[i+1]
		p := pointer + "/" + escape(key.Value)
		property := k.property(key.Value)
		if bad[p] || isNull(v) && property["x-keep-null"] != true && property != nil {
			continue
		}
		set[key.Value] = true
		fill(property, v, p, bad)
		kept = append(kept, key, v)
	}
	n.Content = kept
	for _, name := range k.names() {
		property := k.property(name)
		if d, has := property["default"]; has && !set[name] {
			v := encode(d)
			fill(property, v, pointer+"/"+escape(name), bad)
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}, v)
		}
	}
}

// encode makes a tree of a default. yaml.Node.Encode goes through text and
// loses a string of line breaks on the way.
func encode(v any) *yaml.Node {
	switch v := v.(type) {
	case string:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: v}
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v)}
	case float64:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(int(v))}
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, item := range v {
			n.Content = append(n.Content, encode(item))
		}
		return n
	case map[string]any:
		return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"} // a section: its keys are filled in
	}
	panic(fmt.Sprintf("schema: the JSON Schema has a default of type %T", v))
}

// computeDefaults fills in what follows from other keys.
func (a *Adapter) computeDefaults() {
	a.Capabilities.ExitCode = ExitCode(strings.ToLower(string(a.Capabilities.ExitCode))) // YAML has True and TRUE too
	if a.Input.LineEnding == "" {
		a.Input.LineEnding = a.Process.LineEnding
	}
	if a.Output.InputEchoStrategy == "" {
		a.Output.InputEchoStrategy = EchoDeterministicByte
		if a.Prompt.Strategy == PromptShellIntegration {
			a.Output.InputEchoStrategy = EchoOSCBoundaries
		}
	}
	if a.Ready.WaitForEvent == "" || a.Ready.WaitForEvent == ReadyCustom && a.Ready.Pattern == "" {
		a.Ready.WaitForEvent = map[PromptStrategy]ReadyEvent{
			PromptShellIntegration: ReadyPromptStart, PromptMarker: ReadyMarker, PromptRegex: ReadyRegex,
		}[a.Prompt.Strategy]
	}
	if a.Agent != nil {
		a.Agent.computeDefaults(a)
	}
	if a.Prompt.Strategy == PromptShellIntegration && a.Prompt.ShellIntegration == nil {
		a.Prompt.ShellIntegration = &ShellIntegration{Protocol: "osc633", PropertyUpdates: PropertyUpdates{CwdKey: "Cwd"}}
	}
}

func (g *Agent) computeDefaults(a *Adapter) {
	if g.DisplayName == "" {
		g.DisplayName = a.Name
	}
	if g.Prompt.FileFlag == "" {
		g.Prompt.FileFlag = g.Prompt.Flag
	}
	if g.Output.Format == FormatText {
		g.Output.Finish = "optional"
	}
}

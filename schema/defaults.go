package schema

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

// The defaults of the JSON Schema are in adapter.defaults, since that is read in a tenth of
// the time: fill adds them to the tree before it is decoded. computeDefaults adds the few
// that depend on other keys.
//
//go:embed adapter.defaults
var defaultsText string

// setting is a key that has a default, or contains keys that have one.
type setting struct {
	name      *yaml.Node // "[]": each item of a list
	value     *yaml.Node // the default; nil: none
	keepsNull bool       // null is a value, and not the absence of one
	keys      []*setting
}

var adapterDefaults = sync.OnceValue(func() *setting {
	root := &setting{}
	for line := range strings.Lines(defaultsText) {
		path, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if path == "" || path == "#" {
			continue
		}
		s := root
		for name := range strings.SplitSeq(strings.ReplaceAll(path, "[]", ".[]"), ".") {
			s = s.at(name)
		}
		value, s.keepsNull = strings.CutPrefix(value, "null ")
		var v any
		if err := json.Unmarshal([]byte(value), &v); err != nil {
			panic(fmt.Sprintf("schema: adapter.defaults: %s: %v", path, err))
		}
		s.value = encode(v)
	}
	return root
})

// at returns the setting of a key of a section, and adds it if there is none.
func (s *setting) at(name string) *setting {
	if known := s.key(name); known != nil {
		return known
	}
	s.keys = append(s.keys, &setting{name: encode(name)})
	return s.keys[len(s.keys)-1]
}

// key returns the setting of a key of a section, or nil.
func (s *setting) key(name string) *setting {
	if s == nil {
		return nil
	}
	for _, k := range s.keys {
		if k.name.Value == name {
			return k
		}
	}
	return nil
}

// fill removes values that were reported as wrong and nulls that take the place of a
// default, and adds the default of every key that is absent. Items of a list stay where they
// are, so that their positions remain valid.
func fill(s *setting, n *yaml.Node, pointer string, bad map[string]bool) {
	switch n.Kind {
	case yaml.SequenceNode:
		for i, item := range n.Content {
			p := indexed(pointer, i)
			if bad[p] {
				n.Content[i] = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
				continue
			}
			fill(s.key("[]"), item, p, bad)
		}
	case yaml.MappingNode:
		fillMapping(s, n, pointer, bad)
	}
}

func fillMapping(s *setting, n *yaml.Node, pointer string, bad map[string]bool) {
	set := map[string]bool{}
	var more []*setting
	if s != nil {
		more = s.keys
	}
	kept := make([]*yaml.Node, 0, len(n.Content)+2*len(more))
	for i := 0; i < len(n.Content); i += 2 {
		key, v := n.Content[i], n.Content[i+1]
		p := pointer + "/" + escape(key.Value)
		k := s.key(key.Value)
		if bad[p] || isNull(v) && k != nil && !k.keepsNull {
			continue
		}
		set[key.Value] = true
		fill(k, v, p, bad)
		kept = append(kept, key, v)
	}
	n.Content = kept
	for _, k := range more {
		if k.value == nil || set[k.name.Value] {
			continue
		}
		v := k.value
		if v.Kind == yaml.MappingNode { // others are never changed, so that all trees share them
			v = &yaml.Node{Kind: v.Kind, Tag: v.Tag}
			fill(k, v, pointer+"/"+escape(k.name.Value), bad)
		}
		n.Content = append(n.Content, k.name, v)
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

package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"example.org/ripple/internal/lazyregexp"
)

// Key is the description of a key in the JSON Schema.
type Key struct {
	Path     string // sections joined by dots, [] for the items of a list: tests[].eval
	Meaning  string // Markdown
	Type     string // Markdown; the values in backquotes if there is a fixed set
	Default  string // JSON; empty: none
	Example  string // YAML with the sections that contain the key; empty: the JSON Schema has none
	Required bool
	Keys     []Key // those of a section, in the order of the JSON Schema
}

// Keys returns the keys of an adapter file.
func Keys() []Key { return adapterGrammar.keys() }

// keys reads them from the JSON Schema: as YAML, whose nodes keep the order.
func (g *grammar) keys() []Key {
	var order yaml.Node
	if err := yaml.Unmarshal(g.text, &order); err != nil || len(order.Content) != 1 {
		panic(fmt.Sprintf("schema: the embedded JSON Schema of the %s is broken: %v", g.name, err))
	}
	return keysOf("", g.root(), order.Content[0])
}

// keysOf are the keys of one object of the JSON Schema; path ends in a dot, or is empty.
func keysOf(path string, k jsonObject, order *yaml.Node) []Key {
	_, properties := childOf(order, "properties")
	if own, is := k["additionalProperties"].(map[string]any); is && properties == nil {
		_, order = childOf(order, "additionalProperties")
		if path == "" || jsonObject(own).names() == nil {
			return nil
		}
		return keysOf(path+"NAME.", own, order) // names of one's own
	}
	if properties == nil {
		return nil
	}
	var list []Key
	for i := 0; i+1 < len(properties.Content); i += 2 {
		name := properties.Content[i].Value
		p := k.property(name)
		key := Key{
			Path: path + name, Meaning: fmt.Sprint(p["description"]), Type: p.typeName(),
			Required: slices.Contains(k.strings("required"), name),
			Keys:     keysOf(path+name+".", p, properties.Content[i+1]),
		}
		if d, has := p["default"]; has && len(p.names()) == 0 {
			text, _ := json.Marshal(d) // a value that came from JSON
			key.Default = string(text)
		}
		if all, _ := p["examples"].([]any); len(all) > 0 {
			key.Example = nested(key.Path, all[0])
		}
		if items := p.items(); items != nil {
			_, below := childOf(properties.Content[i+1], "items")
			key.Keys = append(key.Keys, keysOf(path+name+"[].", items, below)...)
		}
		list = append(list, key)
	}
	return list
}

var formNames = map[any]string{
	"pattern": "pattern", "expect-pattern": "pattern", "command-template": "command template", "path-template": "path template",
	"semver": "version", "url": "URL", "name": "name", "label": "name", "env-name": "variable name", "file-name": "file name", "resource": "path",
	"home-path": "path", "host": "host",
}

// typeName says in Markdown what a value may be.
func (k jsonObject) typeName() string {
	switch types := k.strings("type"); {
	case k["const"] != nil:
		return fmt.Sprintf("`%v`", k["const"])
	case k["enum"] != nil:
		return "`" + strings.Join(k.strings("enum"), "` `") + "`"
	case k.items() != nil && len(k.items().names()) == 0:
		return "list of " + k.items().typeName()
	case slices.Contains(types, "array"):
		return "list"
	case k["minimum"] != nil:
		return fmt.Sprintf("%s %.0f…%.0f", types[0], k["minimum"], k["maximum"])
	case formNames[k["format"]] != "":
		return formNames[k["format"]]
	case len(types) == 3:
		return "text"
	default:
		return strings.NewReplacer("boolean", "bool", "object", "mapping").Replace(strings.Join(types, ", "))
	}
}

// Lookup finds the keys that a user may mean by path: the key with that path, with or without the
// brackets of lists, or else all keys whose paths end with it. If there is none, near lists
// similar paths.
func Lookup(path string) (found []Key, near []string) {
	want := "." + plainPath(path)
	var paths []string
	var walk func([]Key) bool
	walk = func(list []Key) bool {
		for _, k := range list {
			have := "." + plainPath(k.Path)
			if have == want {
				found = []Key{k}
				return true
			}
			if strings.HasSuffix(have, want) {
				found = append(found, k)
			}
			paths = append(paths, k.Path)
			if walk(k.Keys) {
				return true
			}
		}
		return false
	}
	if walk(Keys()) || len(found) > 0 {
		return found, nil
	}
	return nil, nearPaths(path, paths)
}

// nearPaths compares with the whole path, and if nothing is near, the last words.
func nearPaths(path string, paths []string) []string {
	if near := Nearest(path, paths); len(near) > 0 {
		return near
	}
	last := func(p string) string { return p[strings.LastIndexByte(p, '.')+1:] }
	var words, near []string
	for _, p := range paths {
		words = append(words, last(p))
	}
	for _, word := range Nearest(last(path), words) {
		for _, p := range paths {
			if last(p) == word && !slices.Contains(near, p) {
				near = append(near, p)
			}
		}
	}
	return near[:min(len(near), maxNearest)]
}

var indices = lazyregexp.New(`\[\d*\]|\.\d+`)

// plainPath is a path without the brackets, numbers and names of one's own.
func plainPath(path string) string { return indices().ReplaceAllString(strings.Trim(path, "."), "") }

// Example returns the part of an adapter's file that sets a key, in YAML and with the
// sections that contain it; empty: not set. For items of a list it is the first that sets
// the key.
func Example(file []byte, path string) string {
	root, err := decodeYAML(file)
	if err != nil {
		return ""
	}
	only := extract(root, strings.Split(strings.ReplaceAll(path, "[]", ".[]"), "."))
	if only == nil {
		return ""
	}
	return encoded(only)
}

// nested is a value in the sections that the path leads through.
func nested(path string, value any) string {
	steps := strings.Split(strings.ReplaceAll(path, "[]", ".[]"), ".")
	for _, step := range slices.Backward(steps) {
		if step == "[]" {
			value = []any{value}
		} else {
			value = map[string]any{step: value}
		}
	}
	return encoded(value)
}

func encoded(v any) string {
	var b strings.Builder
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if e.Encode(v) != nil {
		return ""
	}
	return b.String()
}

// extract returns a copy of the tree with only the nodes on the path and below its end.
func extract(n *yaml.Node, path []string) *yaml.Node {
	if len(path) == 0 {
		return plainCopy(n)
	}
	for i, c := range n.Content {
		var key *yaml.Node
		switch {
		case n.Kind == yaml.SequenceNode && path[0] == "[]":
		case n.Kind == yaml.MappingNode && i%2 == 1 && (n.Content[i-1].Value == path[0] || path[0] == "NAME"):
			key = plainCopy(n.Content[i-1])
		default:
			continue
		}
		if below := extract(c, path[1:]); below != nil {
			out := &yaml.Node{Kind: n.Kind, Tag: n.Tag}
			if key != nil {
				out.Content = append(out.Content, key)
			}
			out.Content = append(out.Content, below)
			return out
		}
	}
	return nil
}

// plainCopy returns a copy without comments; nil for null and for the target of an alias.
func plainCopy(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode || isNull(n) {
		return nil
	}
	out := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value, Style: n.Style &^ yaml.TaggedStyle}
	for _, c := range n.Content {
		below := plainCopy(c)
		if below == nil {
			below = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
		}
		out.Content = append(out.Content, below)
	}
	return out
}

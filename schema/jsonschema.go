package schema

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

//go:embed adapter.schema.json
var adapterText []byte

// AdapterJSON returns the JSON Schema (draft 2020-12) of adapter files, for editors.
func AdapterJSON() []byte { return bytes.Clone(adapterText) }

// FileName is the name of the JSON Schema in a directory of adapter files. EditorLine is the first
// line of a file that tells editors to use it: the modeline of yaml-language-server
// (https://github.com/redhat-developer/yaml-language-server#using-inlined-schema).
const (
	FileName   = "adapter.schema.json"
	EditorLine = "# yaml-language-server: $schema=" + FileName + "\n"
)

var adapterGrammar = newGrammar("adapter", "the adapter", "an adapter", "`schema: 1`", adapterText)

// jsonObject is an object of the JSON Schema, which describes a value.
type jsonObject map[string]any

// rootKeys is the whole JSON Schema of adapters, read for messages and
// the manual.
func rootKeys() jsonObject { return adapterGrammar.root() }

// at follows a JSON pointer ("/properties/name/format") into the JSON Schema.
func (k jsonObject) at(pointer string) any {
	var v any = map[string]any(k)
	if pointer == "" {
		return v
	}
	for token := range strings.SplitSeq(strings.Trim(pointer, "/"), "/") {
		switch t := v.(type) {
		case map[string]any:
			v = t[fromPointer.Replace(token)]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(t) {
				return nil
			}
			v = t[i]
		default:
			return nil
		}
	}
	return v
}

// property returns the description of a key, references resolved, or nil.
func (k jsonObject) property(name string) jsonObject {
	props, _ := k["properties"].(map[string]any)
	p, isObject := props[name].(map[string]any)
	if !isObject {
		return nil
	}
	return jsonObject(p).resolve()
}

func (k jsonObject) resolve() jsonObject {
	ref, isRef := k["$ref"].(string)
	if !isRef {
		return k
	}
	target, _ := rootKeys().at(strings.TrimPrefix(ref, "#")).(map[string]any)
	return target
}

// items returns the description of a list's items, or nil.
func (k jsonObject) items() jsonObject {
	i, isObject := k["items"].(map[string]any)
	if !isObject {
		return nil
	}
	return jsonObject(i).resolve()
}

// names returns the keys that an object may have, sorted.
func (k jsonObject) names() []string {
	props, _ := k["properties"].(map[string]any)
	return slices.Sorted(maps.Keys(props))
}

// strings returns a list of the JSON Schema as text, without null and with
// what is allowed quoted or not (exit_code) only once.
func (k jsonObject) strings(name string) []string {
	var list []string
	switch v := k[name].(type) {
	case string:
		return []string{v}
	case []any:
		for _, item := range v {
			text := fmt.Sprint(item)
			if item != nil && item != "null" && !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	return list
}

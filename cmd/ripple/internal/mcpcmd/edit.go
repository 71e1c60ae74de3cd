package mcpcmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"
)

var (
	errNotPlain = errors.New("it is not plain JSON: comments and trailing commas would be lost")
	errForm     = errors.New("its entry for ripple is written in a form that cannot be changed without changing other entries")
)

// mergeJSON adds the members of an object to those of a document, at any depth. All other bytes
// stay unchanged.
func mergeJSON(doc, add []byte) ([]byte, error) {
	if len(bytes.TrimSpace(doc)) == 0 {
		return add, nil
	}
	if !json.Valid(doc) {
		return nil, errNotPlain
	}
	members, err := membersOf(add)
	if err != nil {
		return nil, err
	}
	changed, err := mergeObject(doc, members, "")
	if err != nil {
		return nil, err
	}
	return changed, checkMerged(json.Unmarshal, doc, add, changed)
}

// mergeObject adds members to an object that is on a line with the given indent.
func mergeObject(object []byte, add []member, indent string) ([]byte, error) {
	for _, m := range add {
		members, err := membersOf(object)
		if err != nil {
			return nil, err
		}
		var found []member
		for _, other := range members {
			if other.name == m.name {
				found = append(found, other)
			}
		}
		switch len(found) {
		case 0:
			object = insert(object, members, m, indent)
			continue
		case 1:
		default:
			return nil, fmt.Errorf("it contains %q twice", m.name)
		}
		has, at := found[0], indentAt(object, found[0].start, indent)
		value := indented(m.value, at, "  ")
		inner, err := membersOf(m.value)
		switch {
		case err == nil && has.value[0] == '{':
			if value, err = mergeObject(has.value, inner, at); err != nil {
				return nil, err
			}
		case err == nil:
			return nil, fmt.Errorf("%q is not an object {…}", m.name)
		case equalJSON(has.value, m.value):
			value = has.value
		}
		object = splice(object, has.start, has.end, value)
	}
	return object, nil
}

func equalJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// member is a name in an object, with the position of its value.
type member struct {
	name       string
	start, end int
	value      []byte
}

// membersOf lists the members of an object, in order.
func membersOf(object []byte) (list []member, err error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("it is not an object {…}")
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, err
		}
		end := int(d.InputOffset())
		list = append(list, member{fmt.Sprint(name), end - len(raw), end, raw})
	}
	return list, nil
}

func splice(text []byte, start, end int, by []byte) []byte {
	return bytes.Join([][]byte{text[:start], by, text[end:]}, nil)
}

// indentAt returns the indent of the line at a position, or first for the first line of the text.
func indentAt(text []byte, at int, first string) string {
	i := bytes.LastIndexByte(text[:at], '\n')
	if i < 0 {
		return first
	}
	line := text[i+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

func indented(value []byte, indent, unit string) []byte {
	var b bytes.Buffer
	if json.Indent(&b, value, indent, unit) != nil {
		return value // membersOf has parsed it
	}
	return b.Bytes()
}

// insert adds a member after the last one of an object.
func insert(object []byte, members []member, m member, indent string) []byte {
	n := len(members)
	if n == 0 {
		open, end := bytes.IndexByte(object, '{'), bytes.LastIndexByte(object, '}')
		text := fmt.Appendf(nil, "\n%s  %q: %s\n%s", indent, m.name, indented(m.value, indent+"  ", "  "), indent)
		return splice(object, open+1, end, text)
	}
	text := fmt.Appendf(nil, ", %q: %s", m.name, m.value)
	if bytes.IndexByte(object[:members[0].start], '\n') >= 0 { // one line per member
		inner := indentAt(object, members[0].start, indent)
		unit := strings.TrimPrefix(inner, indent)
		text = fmt.Appendf(nil, ",\n%s%q: %s", inner, m.name, indented(m.value, inner, unit))
	}
	return splice(object, members[n-1].end, members[n-1].end, text)
}

// mergeTOML adds the keys of a table to a document: to an existing table of that name, or as a new
// one. All other bytes stay unchanged.
func mergeTOML(doc, add []byte) ([]byte, error) {
	var has map[string]any
	if err := toml.Unmarshal(doc, &has); err != nil {
		return nil, fmt.Errorf("it is not TOML: %w", err)
	}
	if checkMerged(toml.Unmarshal, doc, add, doc) == nil { // the document contains them, in any order
		return doc, nil
	}
	changed := []byte(withKeys(string(doc), string(add)))
	return changed, checkMerged(toml.Unmarshal, doc, add, changed)
}

// withKeys replaces and adds lines of a table, each with one key.
func withKeys(doc, table string) string {
	header, keys, _ := strings.Cut(table, "\n")
	var text strings.Builder
	within, found := false, false
	for line := range strings.Lines(doc) {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "[") {
			within = strings.HasPrefix(strings.ReplaceAll(trimmed, " ", ""), header)
		} else if within && replaced(trimmed, keys) {
			continue
		}
		text.WriteString(line)
		if within && !found {
			if !strings.HasSuffix(line, "\n") {
				text.WriteString("\n")
			}
			text.WriteString(keys)
			found = true
		}
	}
	switch {
	case found:
		return text.String()
	case strings.TrimSpace(doc) == "":
		return table
	}
	return strings.TrimRight(doc, "\n") + "\n\n" + table
}

// replaced reports whether a line sets one of the keys.
func replaced(line, keys string) bool {
	name, _, isKey := strings.Cut(line, "=")
	for key := range strings.Lines(keys) {
		if other, _, _ := strings.Cut(key, "="); isKey && strings.TrimSpace(other) == strings.TrimSpace(name) {
			return true
		}
	}
	return false
}

// checkMerged returns an error if after is not before with add merged into it: the document's form
// is not supported.
func checkMerged(read func([]byte, any) error, before, add, after []byte) error {
	values := make([]map[string]any, 3)
	for i, text := range [][]byte{before, add, after} {
		if err := read(text, &values[i]); err != nil {
			return fmt.Errorf("%w: %w", errForm, err)
		}
	}
	if !reflect.DeepEqual(merged(values[0], values[1]), values[2]) {
		return errForm
	}
	return nil
}

func merged(has, add map[string]any) map[string]any {
	if has == nil {
		has = map[string]any{}
	}
	for name, value := range add {
		inner, is := value.(map[string]any)
		if other, both := has[name].(map[string]any); is && both {
			value = merged(other, inner)
		}
		has[name] = value
	}
	return has
}

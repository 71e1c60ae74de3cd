package probe

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.org/ripple/internal/lazyregexp"
	"example.org/ripple/schema"
)

// confidence is how reliable a key of a learned adapter is.
type confidence string

const (
	sure   confidence = "sure"   // confirmed by an experiment
	likely confidence = "likely" // seen in one experiment, or inferred from a related one
	guess  confidence = "guess"  // nothing contradicts it
)

// entry is one key of a draft.
type entry struct {
	section, key string // key is empty at the top level
	value        any    // nil: unknown
	null         bool   // the value is known to be null
	note         string
}

// draft is an adapter under construction: its keys with the reason for each.
type draft struct {
	head    string
	entries []entry
}

// sections in the order in which they are written.
var sections = []string{
	"schema", "name", "version", "description", "family", "process", "ready", "init", "prompt", "output", "input",
	"modes", "signals", "lifecycle", "capabilities", "probe", "samples", "tests",
}

func split(path string) (section, key string) {
	section, key, _ = strings.Cut(path, ".")
	return section, key
}

func (d *draft) find(path string) *entry {
	section, key := split(path)
	for i := range d.entries {
		if e := &d.entries[i]; e.section == section && e.key == key {
			return e
		}
	}
	return nil
}

// set sets the value of a key. why is the reason for it; where is the number of the experiment that
// showed it.
func (d *draft) set(path string, value any, how confidence, where int, why string) {
	note := string(how)
	if where > 0 {
		note += fmt.Sprintf(" (experiment %d)", where)
	}
	if why != "" {
		note += ": " + why
	}
	d.put(path, value, note)
}

// plain sets a key that needs no reason.
func (d *draft) plain(path string, value any) { d.put(path, value, "") }

func (d *draft) put(path string, value any, note string) {
	section, key := split(path)
	e := d.find(path)
	if e == nil {
		d.entries = append(d.entries, entry{section: section, key: key})
		e = &d.entries[len(d.entries)-1]
	}
	e.value, e.note, e.null = value, note, value == nil
}

// unknown records why a key has no value.
func (d *draft) unknown(path, why string) {
	d.put(path, nil, why)
	d.find(path).null = false
}

// drop removes a key.
func (d *draft) drop(path string) {
	section, key := split(path)
	d.entries = slices.DeleteFunc(d.entries, func(e entry) bool { return e.section == section && e.key == key })
}

// text returns the value of a string key.
func (d *draft) text(path string) string {
	if e := d.find(path); e != nil {
		s, _ := e.value.(string)
		return s
	}
	return ""
}

func (d *draft) clone() *draft {
	return &draft{head: d.head, entries: slices.Clone(d.entries)}
}

// yaml returns the adapter file: a comment above each key that was found out, and one in place of
// each that was not.
func (d *draft) yaml() []byte {
	var b bytes.Buffer
	b.WriteString(d.head)
	for _, section := range sections {
		d.section(&b, section)
	}
	return b.Bytes()
}

func (d *draft) section(b *bytes.Buffer, section string) {
	var own []entry
	known := false
	for _, e := range d.entries {
		if e.section == section {
			own, known = append(own, e), known || e.value != nil || e.null
		}
	}
	if len(own) == 0 {
		return
	}
	indent := ""
	switch _, list := own[0].value.([]any); {
	case own[0].key != "":
		b.WriteString("\n")
		if known {
			fmt.Fprintf(b, "%s:\n", section)
		}
		indent = "  "
	case list:
		b.WriteString("\n")
	}
	for _, e := range own {
		name := cmp.Or(e.key, section)
		switch {
		case e.value == nil && !e.null:
			fmt.Fprintf(b, "%s# could not find out: %s.%s: %s\n", indent, section, name, oneLine(e.note))
			continue
		case e.note != "":
			fmt.Fprintf(b, "%s# %s\n", indent, oneLine(e.note))
		}
		writeValue(b, indent, name, e.value)
	}
}

// writeValue writes a list of mappings with one item per line, and any other value on the line of
// its key.
func writeValue(b *bytes.Buffer, indent, name string, value any) {
	list, ok := value.([]any)
	if !ok || len(list) == 0 {
		fmt.Fprintf(b, "%s%s: %s\n", indent, name, flow(value))
		return
	}
	fmt.Fprintf(b, "%s%s:\n", indent, name)
	for _, item := range list {
		fmt.Fprintf(b, "%s  - %s\n", indent, flow(item))
	}
}

// field is a key of an ordered mapping.
type field struct {
	key   string
	value any
}

// flow formats a value on one line.
func flow(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case string:
		return quote(v)
	case []string:
		items := make([]string, len(v))
		for i, s := range v {
			items[i] = quote(s)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = flow(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case []field:
		items := make([]string, len(v))
		for i, f := range v {
			items[i] = f.key + ": " + flow(f.value)
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	return asJSON(value)
}

func asJSON(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err) // marshaling numbers, booleans and strings cannot fail
	}
	return strings.TrimSpace(b.String())
}

// word matches text that needs no quotes, except the words in meaning, which have their own meaning in
// YAML.
var (
	word    = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*$`)
	meaning = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
)

// quote returns a string in single quotes, in which backslashes are literal, or in double quotes if
// single ones cannot hold it.
func quote(s string) string {
	if word().MatchString(s) && !slices.Contains(meaning, strings.ToLower(s)) {
		return s
	}
	for _, r := range s {
		if r < ' ' || r == 0x7f || r == 0xfeff || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfffd {
			return strconv.Quote(strings.ToValidUTF8(s, "\ufffd")) // YAML supports all escapes of Go
		}
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// oneLine returns text in a form that a comment can hold.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029 || r == 0x85 }), " ")
}

// adapter parses the draft as an adapter.
func (d *draft) adapter(source string) (*schema.Adapter, error) {
	a, diagnostics := schema.Parse(source, d.yaml(), schema.Options{})
	for _, x := range diagnostics {
		if x.Severity == schema.SeverityError {
			return nil, fmt.Errorf("the generated adapter is not valid, which is a bug in ripple: %s", x.Message)
		}
	}
	return a, nil
}

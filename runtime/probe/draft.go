package probe

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ripple/internal/lazyregexp"
	"ripple/schema"
)

// confidence says how far a key of a learnt adapter can be relied on.
type confidence string

const (
	sure   confidence = "sure"   // an experiment showed it
	likely confidence = "likely" // an experiment showed it once, or of something near
	guess  confidence = "guess"  // nothing speaks against it
)

// entry is one key of the adapter to be.
type entry struct {
	section, key string // key is empty at the top level
	value        any    // nil: not known
	null         bool   // the value is null, which is known
	note         string
}

// draft is an adapter that grows: each key with why it is what it is.
type draft struct {
	head    string
	entries []entry
}

// sections are written in this order.
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

// set gives a key its value. The note says why; where is the experiment that showed it.
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

// unknown says why a key has no value.
func (d *draft) unknown(path, why string) {
	d.put(path, nil, why)
	d.find(path).null = false
}

// drop forgets a key.
func (d *draft) drop(path string) {
	section, key := split(path)
	d.entries = slices.DeleteFunc(d.entries, func(e entry) bool { return e.section == section && e.key == key })
}

// text is the value of a key that is a string.
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

// yaml writes the adapter: a comment above each key that was found out, and one in the
// place of each that was not.
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

// writeValue writes a list of mappings an item a line, all else on the line of its key.
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

// field is a key of a mapping, in order.
type field struct {
	key   string
	value any
}

// flow is a value on one line.
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
		panic(err) // numbers, truth values and strings
	}
	return strings.TrimSpace(b.String())
}

// word is text that needs no quotes, unless it has a meaning of its own in YAML.
var (
	word    = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*$`)
	meaning = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
)

// quote writes a string in single quotes, where backslashes mean themselves, or in
// double ones, where that cannot hold it.
func quote(s string) string {
	if word().MatchString(s) && !slices.Contains(meaning, strings.ToLower(s)) {
		return s
	}
	for _, r := range s {
		if r < ' ' || r == 0x7f || r == 0xfeff || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfffd {
			return strconv.Quote(strings.ToValidUTF8(s, "\ufffd")) // YAML has all of Go's escapes
		}
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// oneLine is text as a comment can hold it.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029 || r == 0x85 }), " ")
}

// adapter is the draft as an adapter.
func (d *draft) adapter(source string) (*schema.Adapter, error) {
	a, diagnostics := schema.Parse(source, d.yaml(), schema.Options{})
	for _, x := range diagnostics {
		if x.Severity == schema.SeverityError {
			return nil, fmt.Errorf("the adapter that was made of it is not valid, which is a fault of ripple: %s", x.Message)
		}
	}
	return a, nil
}

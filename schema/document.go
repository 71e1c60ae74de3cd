package schema

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Limits of a file. They are far above any real adapter and keep a hostile
// one from using up memory or stack.
const (
	maxFileSize = 10 << 20
	maxDepth    = 50
	maxNodes    = 200_000 // after aliases are expanded
	maxKeys     = 2000    // of one mapping; the YAML library compares each with all others

	// Aliases repeat at most as much as the file has, or minRepeated bytes. Each value counts valueSize and its text.
	minRepeated = 32 << 10
	valueSize   = 16

	maxDiagnostics = 200
)

// document is a parsed file: a tree without aliases, and where in the file
// each value stands. Values are addressed by JSON pointers as the JSON Schema
// validator writes them.
type document struct {
	grammar *grammar
	source  string
	lines   []string
	root    *yaml.Node
	places  map[string]place
	nodes   int
	aliases int                 // around the value being expanded
	repeats int                 // bytes that aliases have repeated
	limit   int                 // of repeats
	open    map[*yaml.Node]bool // containers being expanded
	diags   []Diagnostic
}

// place is a value with its key; the key is nil for the root and for items.
type place struct{ key, value *yaml.Node }

// parseDocument reads YAML. The root is nil if parsing cannot continue.
func parseDocument(source string, data []byte) *document {
	return parseDocumentAs(adapterGrammar, source, data)
}

func parseDocumentAs(g *grammar, source string, data []byte) *document {
	d := newDocument(g, source)
	if !readable() {
		d.errorAt(1, 1, KindFile, "cannot be read by this program: it does not import example.org/ripple/schema/validate")
		return d
	}
	d.read(data)
	return d
}

func newDocument(g *grammar, source string) *document {
	return &document{grammar: g, source: source, places: map[string]place{}, open: map[*yaml.Node]bool{}}
}

// read parses YAML into the tree; without a root, parsing cannot continue.
func (d *document) read(data []byte) {
	if len(data) > maxFileSize {
		d.errorAt(1, 1, KindLimit, "file has %d bytes, more than the limit of %d", len(data), maxFileSize)
		return
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	d.lines = strings.Split(lineBreaks.Replace(string(data)), "\n")
	if !d.checkText(data) {
		return
	}
	d.limit = max(minRepeated, len(data))
	root, err := decodeYAML(data)
	switch {
	case err != nil:
		d.syntaxError(err, data)
	case isNull(root) && d.grammar.starts == "":
	case isNull(root):
		d.errorAt(1, 1, KindSyntax, "file is empty; %s starts with %s", d.grammar.one, d.grammar.starts)
	case root.Kind != yaml.MappingNode:
		d.errorNode(root, KindSyntax, "%s must be a mapping of keys to values, found %s", d.grammar.one, describe(root))
	default:
		d.root = d.expand(root, "", nil, 0)
	}
}

// expand replaces each alias of a tree by a copy of its target, and records the positions of
// values. Keys that are not strings, duplicates, merge keys and values that JSON does not
// have are reported and left out.
func (d *document) expand(n *yaml.Node, pointer string, key *yaml.Node, depth int) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		if d.open[n.Alias] {
			d.errorNode(n, KindLimit, "alias *%s refers to the value that contains it", n.Value)
			return nil
		}
		d.aliases++
		defer func() { d.aliases-- }()
		n = n.Alias
	}
	d.nodes++
	if depth > maxDepth {
		d.errorNode(n, KindLimit, "nested more than %d levels deep", maxDepth)
		return nil
	}
	if d.nodes > maxNodes {
		if d.nodes == maxNodes+1 {
			d.errorNode(n, KindLimit, "more than %d values once aliases are expanded", maxNodes)
		}
		return nil
	}
	content, out := n.Content, n
	if d.aliases > 0 { // the target is in the tree itself
		if d.repeats > d.limit {
			return nil
		}
		if d.repeats += valueSize + len(n.Value); d.repeats > d.limit {
			d.errorNode(n, KindLimit, "aliases repeat more than %d bytes; write the values out, or divide the file", d.limit)
			return nil
		}
		c := *n
		c.Content = make([]*yaml.Node, len(content))
		out = &c
	}
	if n.Anchor != "" { // an alias may refer to it
		d.open[n] = true
		defer delete(d.open, n)
	}
	out.Anchor, out.Alias, out.Content = "", nil, out.Content[:0]
	d.places[pointer] = place{key, out}
	switch n.Kind {
	case yaml.MappingNode:
		d.expandMapping(content, out, pointer, depth)
	case yaml.SequenceNode:
		for i, item := range content {
			if c := d.expand(item, indexed(pointer, i), nil, depth+1); c != nil {
				out.Content = append(out.Content, c)
			}
		}
	default:
		if !d.plainScalar(out) {
			return nil
		}
	}
	return out
}

func (d *document) expandMapping(content []*yaml.Node, out *yaml.Node, pointer string, depth int) {
	if len(content)/2 > maxKeys {
		d.errorNode(content[2*maxKeys], KindLimit, "more than %d keys in one mapping", maxKeys)
		return
	}
	seen := make(map[string]int, len(content)/2)
	for i := 0; i+1 < len(content); i += 2 {
		key := content[i]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		switch {
		case key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str":
			if key.ShortTag() == "!!merge" {
				d.errorNode(key, KindSyntax, "merge keys (`<<`) are not part of the schema; write the keys out")
			} else {
				d.errorNode(key, KindType, "a key must be a string, found %s; quote it", describe(key))
			}
			continue
		case seen[key.Value] != 0:
			d.errorNode(key, KindDuplicate, "key %s is already set in line %d", quoted(key.Value), seen[key.Value])
			continue
		}
		seen[key.Value] = key.Line
		key.Anchor = ""
		if c := d.expand(content[i+1], pointer+"/"+escape(key.Value), key, depth+1); c != nil {
			out.Content = append(out.Content, key, c)
		}
	}
}

// plainScalar reports scalars that have no JSON counterpart; timestamps and similar values
// are read as their text in the file.
func (d *document) plainScalar(n *yaml.Node) bool {
	switch n.ShortTag() {
	case "!!str", "!!int", "!!bool", "!!null":
	case "!!float":
		switch strings.ToLower(strings.TrimLeft(n.Value, "+-")) {
		case ".nan", ".inf":
			d.errorNode(n, KindType, "%s is not a finite number", n.Value)
			return false
		}
	case "!!timestamp":
		n.Tag = "!!str"
	default:
		d.errorNode(n, KindSyntax, "tag %s is not supported", n.ShortTag())
		return false
	}
	return true
}

// value converts a tree to what the JSON Schema validator takes.
func value(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for i := 0; i < len(n.Content); i += 2 {
			m[n.Content[i].Value] = value(n.Content[i+1])
		}
		return m
	case yaml.SequenceNode:
		s := make([]any, len(n.Content))
		for i, c := range n.Content {
			s[i] = value(c)
		}
		return s
	}
	var v any
	if n.ShortTag() == "!!str" || n.Decode(&v) != nil {
		return n.Value // a scalar that its tag does not fit fails the type check
	}
	return v
}

// The replacers of RFC 6901, built once: building one costs more than using it.
var (
	toPointer   = strings.NewReplacer("~", "~0", "/", "~1")
	fromPointer = strings.NewReplacer("~1", "/", "~0", "~")
	lineBreaks  = strings.NewReplacer("\r\n", "\n", "\r", "\n")
)

// escape writes a key as a token of the validator's JSON pointers.
func escape(key string) string {
	return toPointer.Replace(key)
}

func unescape(token string) string {
	return fromPointer.Replace(token)
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// describe names a value for a message.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	text := shorten(n.Value)
	switch n.ShortTag() {
	case "!!null":
		return "null"
	case "!!int", "!!float":
		return "the number " + text
	case "!!bool":
		return "the boolean " + text
	}
	return "the string " + quoted(n.Value)
}

// quoted writes text of a file for a message, however long it is.
func quoted(text string) string { return strconv.Quote(shorten(text)) }

func shorten(text string) string {
	const limit = 40
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit]) + "…"
}

func (d *document) errorNode(n *yaml.Node, kind, format string, args ...any) {
	d.errorAt(n.Line, n.Column, kind, format, args...)
}

func (d *document) errorAt(line, column int, kind, format string, args ...any) {
	d.report(SeverityError, line, column, kind, format, args...)
}

func (d *document) report(s Severity, line, column int, kind, format string, args ...any) {
	switch {
	case len(d.diags) > maxDiagnostics:
		return
	case len(d.diags) == maxDiagnostics:
		kind, format, args = KindLimit, "more than %d findings; the rest is not shown", []any{maxDiagnostics}
	}
	line, column = max(1, line), max(1, column)
	g := Diagnostic{
		File: d.source, Line: line, Column: column, Kind: kind, Severity: s,
		Message: fmt.Sprintf(format, args...),
	}
	if line <= len(d.lines) && strings.TrimSpace(d.lines[line-1]) != "" {
		g.Snippet = snippet(d.lines[line-1], line, column)
	}
	d.diags = append(d.diags, g)
}

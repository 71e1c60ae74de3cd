package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"sort"
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

	maxDiagnostics = 200
)

// document is a parsed file: a tree without aliases, and where in the file
// each value stands. Values are addressed by JSON pointers as the JSON Schema
// validator writes them.
type document struct {
	source string
	lines  []string
	root   *yaml.Node
	places map[string]place
	nodes  int
	open   map[*yaml.Node]bool // containers being expanded
	diags  []Diagnostic
}

// place is a value with its key; the key is nil for the root and for items.
type place struct{ key, value *yaml.Node }

// parseDocument reads YAML. The root is nil if there is nothing to go on with.
func parseDocument(source string, data []byte) *document {
	d := &document{source: source, places: map[string]place{}, open: map[*yaml.Node]bool{}}
	if len(data) > maxFileSize {
		d.errorAt(1, 1, KindLimit, "file has %d bytes, more than the limit of %d", len(data), maxFileSize)
		return d
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	d.lines = strings.Split(lineBreaks.Replace(string(data)), "\n")
	if !d.checkText(data) {
		return d
	}
	root, err := decodeYAML(data)
	switch {
	case err != nil:
		d.syntaxError(err, data)
	case root == nil || isNull(root):
		d.errorAt(1, 1, KindSyntax, "file is empty; an adapter starts with `schema: 1`")
	case root.Kind != yaml.MappingNode:
		d.errorNode(root, KindSyntax, "an adapter is a mapping of keys to values, found %s", describe(root))
	default:
		d.root = d.expand(root, "", nil, 0)
	}
	return d
}

// errSecondDocument reports a `---` that starts another document.
type errSecondDocument struct{ line int }

func (e errSecondDocument) Error() string {
	return fmt.Sprintf("line %d: a second document starts here; a file holds one adapter", e.line)
}

// decodeYAML returns the only document, nil for an empty file. A panic inside
// the YAML library becomes an error: a bad file must not end the program.
func decodeYAML(data []byte) (root *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			root, err = nil, fmt.Errorf("cannot be parsed: %v", r)
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var first, second yaml.Node
	if err := dec.Decode(&first); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, err
	}
	if err := dec.Decode(&second); err == nil {
		return nil, errSecondDocument{second.Line}
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if first.Kind == yaml.DocumentNode && len(first.Content) == 1 {
		return first.Content[0], nil
	}
	return nil, nil
}

// checkText refuses what is not printable UTF-8 text, at its place.
func (d *document) checkText(data []byte) bool {
	line, column := 1, 1
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size == 1:
			d.errorAt(line, column, KindSyntax, "byte 0x%02x is not UTF-8; save the file as UTF-8", data[0])
			return false
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', r == 0x7f:
			d.errorAt(line, column, KindSyntax, "control character U+%04X; write it as an escape in a double-quoted string", r)
			return false
		}
		column++
		if r == '\n' {
			line, column = line+1, 1
		}
		data = data[size:]
	}
	return true
}

var yamlLine = regexp.MustCompile(`line (\d+): `)

var unknownAnchor = regexp.MustCompile(`unknown anchor '(.*)' referenced`)

// syntaxError reports an error of the YAML library, which gives a line only,
// often that of the mapping around it.
func (d *document) syntaxError(err error, data []byte) {
	message, line := strings.TrimPrefix(err.Error(), "yaml: "), 1
	if m := yamlLine.FindStringSubmatchIndex(message); m != nil {
		line, _ = strconv.Atoi(message[m[2]:m[3]]) // digits by the pattern
		message = message[:m[0]] + message[m[1]:]
	}
	if strings.HasPrefix(message, "did not find expected") {
		line = firstBadLine(data, message)
	}
	if m := unknownAnchor.FindStringSubmatch(message); m != nil {
		line = 1 + max(0, slices.IndexFunc(d.lines, func(l string) bool { return strings.Contains(l, "*"+m[1]) }))
	}
	column := 1
	if line >= 1 && line <= len(d.lines) {
		text := d.lines[line-1]
		column += len(text) - len(strings.TrimLeft(text, " "))
	}
	d.errorAt(line, column, KindSyntax, "%s", message)
}

// firstBadLine finds the first line with which the file fails as it does: the
// parser stops at its first error, so all longer beginnings fail alike.
func firstBadLine(data []byte, message string) int {
	lines := bytes.SplitAfter(data, []byte("\n"))
	return 1 + sort.Search(len(lines)-1, func(i int) bool {
		_, err := decodeYAML(bytes.Join(lines[:i+1], nil))
		return err != nil && strings.HasSuffix(err.Error(), message)
	})
}

// expand copies a tree, putting the target of each alias in its place, and
// records where values stand. Keys that are no strings, duplicates, merge keys
// and values that JSON does not know are reported and left out.
func (d *document) expand(n *yaml.Node, pointer string, key *yaml.Node, depth int) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		if d.open[n.Alias] {
			d.errorNode(n, KindLimit, "alias *%s stands inside its own anchor", n.Value)
			return nil
		}
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
	out := *n
	out.Anchor, out.Alias, out.Content = "", nil, nil
	d.places[pointer] = place{key, &out}
	d.open[n] = true
	defer delete(d.open, n)
	switch n.Kind {
	case yaml.MappingNode:
		d.expandMapping(n, &out, pointer, depth)
	case yaml.SequenceNode:
		for i, item := range n.Content {
			if c := d.expand(item, pointer+"/"+strconv.Itoa(i), nil, depth+1); c != nil {
				out.Content = append(out.Content, c)
			}
		}
	default:
		if !d.plainScalar(&out) {
			return nil
		}
	}
	return &out
}

func (d *document) expandMapping(n, out *yaml.Node, pointer string, depth int) {
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
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
		k := *key
		k.Anchor = ""
		if c := d.expand(n.Content[i+1], pointer+"/"+escape(key.Value), &k, depth+1); c != nil {
			out.Content = append(out.Content, &k, c)
		}
	}
}

// plainScalar reports scalars that have no JSON counterpart; timestamps and
// the like are taken as the text that stands in the file.
func (d *document) plainScalar(n *yaml.Node) bool {
	switch n.ShortTag() {
	case "!!str", "!!int", "!!bool", "!!null":
	case "!!float":
		switch strings.ToLower(strings.TrimLeft(n.Value, "+-")) {
		case ".nan", ".inf":
			d.errorNode(n, KindType, "%s is not a number that an adapter can use", n.Value)
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
	return url.PathEscape(toPointer.Replace(key))
}

func unescape(token string) string {
	if t, err := url.PathUnescape(token); err == nil {
		token = t
	}
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
	g := Diagnostic{File: d.source, Line: line, Column: column, Kind: kind, Severity: s,
		Message: fmt.Sprintf(format, args...)}
	if line <= len(d.lines) && strings.TrimSpace(d.lines[line-1]) != "" {
		g.Snippet = snippet(d.lines[line-1], line, column)
	}
	d.diags = append(d.diags, g)
}

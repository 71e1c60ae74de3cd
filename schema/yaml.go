package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"example.org/ripple/internal/lazyregexp"
)

// errSecondDocument reports a `---` that starts another document.
type errSecondDocument struct{ line int }

func (e errSecondDocument) Error() string {
	return fmt.Sprintf("line %d: a second document starts here; a file holds one adapter", e.line)
}

// decodeYAML returns the only document, which is a null if the file is empty. A panic
// inside the YAML library becomes an error: a bad file must not end the program.
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
			return newNull(), nil
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
	return newNull(), nil
}

func newNull() *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"} }

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

var yamlLine = lazyregexp.New(`line (\d+): `)

var unknownAnchor = lazyregexp.New(`unknown anchor '(.*)' referenced`)

// syntaxError reports an error of the YAML library, which gives a line only,
// often that of the mapping around it.
func (d *document) syntaxError(err error, data []byte) {
	message, line := strings.TrimPrefix(err.Error(), "yaml: "), 1
	if m := yamlLine().FindStringSubmatchIndex(message); m != nil {
		line, _ = strconv.Atoi(message[m[2]:m[3]]) // digits by the pattern
		message = message[:m[0]] + message[m[1]:]
	}
	if strings.HasPrefix(message, "did not find expected") {
		if len(data) <= longestSearch {
			line = firstBadLine(data, message)
		}
		if d.flowError(line) {
			return
		}
	}
	if m := unknownAnchor().FindStringSubmatch(message); m != nil {
		line = 1 + max(0, slices.IndexFunc(d.lines, func(l string) bool { return strings.Contains(l, "*"+m[1]) }))
	}
	column, text := 1, ""
	if line >= 1 && line <= len(d.lines) {
		text = d.lines[line-1]
		column += len(text) - len(strings.TrimLeft(text, " "))
	}
	switch {
	case message == "found character that cannot start any token" && strings.HasPrefix(strings.TrimLeft(text, " "), "\t"):
		message = "this line is indented with a tab; YAML requires spaces"
	case message == "found unknown escape character":
		message += ": in double quotes a backslash begins an escape; use single quotes for a pattern"
	}
	d.errorAt(line, column, KindSyntax, "%s", message)
}

// flowError reports what is wrong with the collection in brackets that a line belongs to.
func (d *document) flowError(line int) bool {
	for top := min(line, len(d.lines)); top >= max(1, line-longestCollection); top-- {
		start := flowStart(d.lines[top-1])
		if start < 0 {
			continue
		}
		text := strings.Join(d.lines[top-1:], "\n")
		at, why, ok := flowFault(text, start)
		if !ok {
			continue
		}
		before := text[:at]
		d.errorAt(top+strings.Count(before, "\n"), 1+utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]), KindSyntax, "%s", why)
		return true
	}
	return false
}

// longestCollection is how many lines back one in brackets is looked for.
const longestCollection = 20

// longestSearch is the size of the largest file in which the line of an error is searched: the search
// parses the file some twenty times, and a file of a project is read before anybody approves it.
const longestSearch = 256 << 10

// firstBadLine finds the first line with which the file fails as it does: the
// parser stops at its first error, so all longer beginnings fail alike.
func firstBadLine(data []byte, message string) int {
	lines := bytes.SplitAfter(data, []byte("\n"))
	return 1 + sort.Search(len(lines)-1, func(i int) bool {
		_, err := decodeYAML(bytes.Join(lines[:i+1], nil))
		return err != nil && strings.HasSuffix(err.Error(), message)
	})
}

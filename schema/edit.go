package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// SetText replaces the text of one scalar of a YAML file, named by a JSON pointer such as
// /tests/3/expect. The rest of the file stays unchanged, including comments and layout:
// the result is parsed and compared. If that is not possible (an alias, text over several
// lines without quotes), nothing is changed and the error gives the reason.
func SetText(file []byte, pointer, text string) ([]byte, error) {
	body := bytes.TrimPrefix(file, []byte("\xef\xbb\xbf"))
	mark := file[:len(file)-len(body)]
	before, err := decodeYAML(body)
	if err != nil {
		return nil, err
	}
	node, indent, err := scalarAt(before, pointer)
	if err != nil {
		return nil, err
	}
	start, end, err := extent(body, node, indent)
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", node.Line, err)
	}
	edited := slices.Concat(body[:start], []byte(quoteYAML(text)), body[end:])
	after, err := decodeYAML(edited)
	if err == nil {
		var changed *yaml.Node
		if changed, _, err = scalarAt(after, pointer); err == nil {
			if changed.Value == text {
				changed.Value, changed.Style, changed.Tag = node.Value, node.Style, node.Tag
			}
			if !sameTree(before, after) {
				err = errors.New("another part of the file would change, too")
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("line %d: cannot be replaced: %w", node.Line, err)
	}
	return slices.Concat(mark, edited), nil
}

// scalarAt finds a scalar and how far its key is indented.
func scalarAt(n *yaml.Node, pointer string) (scalar *yaml.Node, indent int, err error) {
	if isNull(n) {
		return nil, 0, errors.New("the file is empty")
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		key, child := childOf(n, unescape(token))
		if child == nil {
			return nil, 0, fmt.Errorf("line %d: there is no %s", n.Line, pointer)
		}
		if key != nil {
			indent = key.Column - 1
		}
		n = child
	}
	if n.Kind != yaml.ScalarNode {
		return nil, 0, fmt.Errorf("line %d: %s is written as an alias or a collection, not as text", n.Line, pointer)
	}
	return n, indent, nil
}

func childOf(n *yaml.Node, token string) (key, child *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == token {
				return n.Content[i], n.Content[i+1]
			}
		}
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(n.Content) {
			return nil, n.Content[i]
		}
	}
	return nil, nil
}

// extent returns the position of a scalar in the file, in bytes. The end may be wrong in
// unusual files: callers that change them compare the trees.
func extent(body []byte, n *yaml.Node, indent int) (start, end int, err error) {
	lines := bytes.SplitAfter(body, []byte("\n"))
	for _, line := range lines[:min(len(lines), n.Line-1)] {
		start += len(line)
	}
	for range n.Column - 1 {
		_, size := utf8.DecodeRune(body[start:])
		start += size
	}
	rest := string(body[start:])
	length := -1
	switch n.Style &^ (yaml.TaggedStyle | yaml.FlowStyle) {
	case yaml.SingleQuotedStyle:
		length = quotedLength(rest, '\'')
	case yaml.DoubleQuotedStyle:
		length = quotedLength(rest, '"')
	case yaml.LiteralStyle, yaml.FoldedStyle:
		length = blockLength(rest, indent)
	default:
		if strings.HasPrefix(rest, n.Value) {
			length = len(n.Value)
		}
	}
	if length < 0 {
		return 0, 0, errors.New("the text cannot be found in the file; write it in quotes, on one line")
	}
	return start, start + length, nil
}

// quotedLength is the length of the quoted text at the beginning of s; -1: there is none.
func quotedLength(s string, quote byte) int {
	if s == "" || s[0] != quote {
		return -1
	}
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quote == '"':
			i++
		case s[i] == quote && quote == '\'' && strings.HasPrefix(s[i:], "''"):
			i++
		case s[i] == quote:
			return i + 1
		}
	}
	return -1
}

// blockLength is the length of the block text at the beginning of s, up to the last
// line that is indented further than its key.
func blockLength(s string, indent int) int {
	length, at := 0, 0
	for line := range strings.Lines(s) {
		text := strings.TrimRight(line, "\r\n")
		words := strings.TrimLeft(text, " ")
		if at > 0 && words != "" && len(text)-len(words) <= indent {
			break
		}
		if words != "" {
			length = at + len(text)
		}
		at += len(line)
	}
	return length
}

// quoteYAML writes text as a scalar on one line: in single quotes, where patterns stand
// as they are, or in double quotes if it holds what those cannot.
func quoteYAML(text string) string {
	for _, r := range text {
		if !strconv.IsPrint(r) {
			quoted, _ := json.Marshal(text) // a string always encodes
			return string(quoted)
		}
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// sameTree compares all of two trees but the places.
func sameTree(a, b *yaml.Node) bool {
	if (a == nil) != (b == nil) {
		return false
	}
	if a == nil {
		return true
	}
	same := a.Kind == b.Kind && a.Style == b.Style && a.Tag == b.Tag && a.Value == b.Value && a.Anchor == b.Anchor &&
		a.HeadComment == b.HeadComment && a.LineComment == b.LineComment && a.FootComment == b.FootComment
	return same && slices.EqualFunc(a.Content, b.Content, sameTree)
}

package schema

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// NewTest is a test to be added to an adapter's file; empty fields are not asserted.
type NewTest struct {
	Name, Eval, Expect string
	ExpectError        *bool
	ExpectExitCode     *int
	ExpectMode         string
}

// lines returns its keys as they are written in a file.
func (t NewTest) lines() []string {
	lines := []string{"name: " + quoteYAML(t.Name), "eval: " + quoteYAML(t.Eval)}
	if t.Expect != "" {
		lines = append(lines, "expect: "+quoteYAML(t.Expect))
	}
	if t.ExpectError != nil {
		lines = append(lines, fmt.Sprintf("expect_error: %v", *t.ExpectError))
	}
	if t.ExpectExitCode != nil {
		lines = append(lines, fmt.Sprintf("expect_exit_code: %d", *t.ExpectExitCode))
	}
	if t.ExpectMode != "" {
		lines = append(lines, "expect_mode: "+quoteYAML(t.ExpectMode))
	}
	return lines
}

// AppendTests adds tests after those that an adapter's file declares. The rest of the file
// stays unchanged, including comments and layout: the result is parsed and compared. The
// error says why tests cannot be added, for example because the tests are written in
// brackets.
func AppendTests(file []byte, tests []NewTest) ([]byte, error) {
	before, err := decodeYAML(bytes.TrimPrefix(file, []byte("\xef\xbb\xbf")))
	switch {
	case err != nil:
		return nil, err
	case before.Kind != yaml.MappingNode:
		return nil, errors.New("the file is not a mapping")
	}
	at, indent, head, err := placeForTests(file, before)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Write(file[:at])
	if at > 0 && file[at-1] != '\n' {
		b.WriteByte('\n')
	}
	b.WriteString(head)
	for _, t := range tests {
		lines := t.lines()
		fmt.Fprintf(&b, "%s- %s\n", indent, strings.Join(lines, "\n"+indent+"  "))
	}
	b.Write(file[at:])
	if err := sameButTests(before, b.Bytes(), len(tests)); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// placeForTests is where in the file tests go, how far they are indented, and what stands
// before them.
func placeForTests(file []byte, root *yaml.Node) (at int, indent, head string, err error) {
	lines := bytes.SplitAfter(file, []byte("\n"))
	key, list := childOf(root, "tests")
	if key == nil {
		return len(file), "  ", "\ntests:\n", nil
	}
	if list.Kind != yaml.SequenceNode || len(list.Content) == 0 || list.Style&yaml.FlowStyle != 0 {
		return 0, "", "", fmt.Errorf("line %d: write tests as a list of lines that begin with \"- \", so that more can be added", key.Line)
	}
	first := lines[list.Content[0].Line-1]
	indent = string(first[:max(bytes.IndexByte(first, '-'), 0)])
	end := len(lines)
	for i := 0; i+1 < len(root.Content); i += 2 {
		if l := root.Content[i].Line; l > key.Line {
			end = min(end, l-1)
		}
	}
	for end > list.Content[len(list.Content)-1].Line && outside(lines[end-1]) { // of the next key
		end--
	}
	for _, l := range lines[:end] {
		at += len(l)
	}
	return at, indent, "", nil
}

// outside reports whether a line is blank, or a comment at its beginning.
func outside(line []byte) bool {
	return len(bytes.TrimSpace(line)) == 0 || line[0] == '#'
}

// sameButTests returns an error unless file is the one before with that many more tests and no other change.
func sameButTests(before *yaml.Node, file []byte, more int) error {
	after, err := decodeYAML(bytes.TrimPrefix(file, []byte("\xef\xbb\xbf")))
	if err != nil {
		return fmt.Errorf("the tests cannot be added: %w", err)
	}
	_, old := childOf(before, "tests")
	_, list := childOf(after, "tests")
	if list != nil && len(list.Content) >= more {
		list.Content = list.Content[:len(list.Content)-more]
	}
	if old == nil && len(after.Content) >= 2 {
		after.Content = after.Content[:len(after.Content)-2]
	}
	uncomment(before)
	uncomment(after)
	if !sameTree(before, after) {
		return errors.New("the tests cannot be added, because another part of the file would change; add them by hand")
	}
	return nil
}

// uncomment forgets comments: which node one belongs to depends on what follows it.
func uncomment(n *yaml.Node) {
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	for _, c := range slices.Clone(n.Content) {
		uncomment(c)
	}
}

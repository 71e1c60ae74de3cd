package schema

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// Severity is the effect of a diagnostic on the file.
type Severity string

const (
	SeverityError   Severity = "error"   // the file does not load
	SeverityWarning Severity = "warning" // the file loads; something is likely wrong
)

// Diagnostic is one finding about an adapter file. Line and Column count from
// 1, columns in characters.
type Diagnostic struct {
	File     string
	Line     int
	Column   int
	Kind     string // one of the Kind constants
	Message  string
	Severity Severity
	Snippet  string // the line and a caret below the column; may be empty
}

// Kinds of errors.
const (
	KindFile      = "file"        // the file cannot be read
	KindSyntax    = "syntax"      // not YAML, or YAML that an adapter may not use
	KindLimit     = "limit"       // too large, or nested too deeply
	KindUnknown   = "unknown-key" // a key that the schema does not have
	KindMissing   = "missing-key" // a required key is absent
	KindType      = "type"        // a value of another type
	KindEnum      = "enum"        // not one of the listed values
	KindValue     = "value"       // out of range, or not of the required form
	KindPattern   = "pattern"     // not a regular expression
	KindProgram   = "program"     // not a jq program
	KindTemplate  = "template"    // a template that cannot be expanded
	KindConflict  = "conflict"    // two keys that contradict or need each other
	KindDuplicate = "duplicate"   // the same key or name twice
	KindScript    = "script"      // the integration script cannot be read
	KindVersion   = "version"     // another major version of the schema
)

// String renders the finding as `file:line:col: message [kind]`.
func (d Diagnostic) String() string {
	return fmt.Sprintf("%s:%d:%d: %s [%s]", d.File, d.Line, d.Column, d.Message, d.Kind)
}

// Format renders the finding with the offending line and a caret below it.
func (d Diagnostic) Format() string {
	if d.Snippet == "" {
		return d.String()
	}
	return d.String() + "\n" + d.Snippet
}

// maxSnippet bounds the width of a quoted line, in characters.
const maxSnippet = 120

// snippet quotes a line of the file with a caret below the column; control
// characters are shown as a blank so that the caret stays in place.
func snippet(line string, number, column int) string {
	start := 0
	if column > maxSnippet-20 {
		start = column - maxSnippet/2
	}
	var runes []rune
	at := 0
	for _, r := range line { // not a conversion: the line may have megabytes
		if at >= start+maxSnippet {
			break
		}
		if r < ' ' || r == utf8.RuneError || r >= 0x7f && r < 0xa0 {
			r = ' '
		}
		if at >= start {
			runes = append(runes, r)
		}
		at++
	}
	gutter := fmt.Sprintf("%4d | ", number)
	indent := strings.Repeat(" ", len(gutter)-2) + "| "
	caret := strings.Repeat(" ", max(0, column-1-start)) + "^"
	return gutter + strings.TrimRight(string(runes), " ") + "\n" + indent + caret
}

// sortDiagnostics orders findings by place and drops repetitions.
func sortDiagnostics(ds []Diagnostic) []Diagnostic {
	sort.SliceStable(ds, func(i, j int) bool {
		a, b := ds[i], ds[j]
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Message, b.Message)) < 0
	})
	return slices.Compact(ds)
}

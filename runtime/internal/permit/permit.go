// Package permit answers an agent's requests for a permission by rules.
//
// A Rule is TOOL or TOOL(INPUT): TOOL is the common name of a tool or the agent's
// own, in whatever case; INPUT is what it is used on, a command, a path or an
// address; * stands for anything in both. A rule that denies is stronger than one
// that allows. One that allows does not trust a star with a command line that a
// shell would take apart: Bash(git *) allows no "git status; rm -rf /". Nor does it trust
// a star with a path that goes up: Edit(src/*) allows no src/../../x. A path is also
// compared as it is relative to the agent's directory, and without "." and "..". Paths are
// compared by their names: links are not followed. Of an input
// that is too long only the beginning is known: then a rule that denies some uses of
// the tool denies this one.
package permit

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"example.org/ripple/runtime/event"
)

// Rule says which uses of a tool are meant.
type Rule struct {
	text, tool string
	input      *string // nil: any
}

// Parse reads a rule.
func Parse(text string) (Rule, error) {
	r := Rule{text: text, tool: text}
	if tool, rest, has := strings.Cut(text, "("); has {
		input, closed := strings.CutSuffix(rest, ")")
		if !closed {
			return r, fmt.Errorf("%q has no ) at its end; write TOOL or TOOL(INPUT), with * for anything: Bash(git *)", text)
		}
		r.tool, r.input = tool, &input
	}
	if r.tool = strings.TrimSpace(r.tool); r.tool == "" {
		return r, fmt.Errorf("%q has no tool name; write TOOL or TOOL(INPUT), with * for anything: Bash(git *)", text)
	}
	return r, nil
}

func (r Rule) String() string { return r.text }

// Rules are what is decided before anybody is asked.
type Rules struct {
	Allow, Deny []Rule

	dirs []string // names of the agent's directory
}

// In returns the rules for an agent that works in dir, so that Edit(src/*) is for dir/src/x, too.
func (rules Rules) In(dir string) Rules {
	rules.dirs = []string{filepath.Clean(dir)}
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != rules.dirs[0] { // agents may use this name
		rules.dirs = append(rules.dirs, real)
	}
	return rules
}

// New reads lists of rules; the error describes the first invalid rule.
func New(allow, deny []string) (rules Rules, err error) {
	for _, list := range []struct {
		from []string
		to   *[]Rule
	}{{allow, &rules.Allow}, {deny, &rules.Deny}} {
		for _, text := range list.from {
			r, bad := Parse(text)
			if bad != nil {
				return rules, bad
			}
			*list.to = append(*list.to, r)
		}
	}
	return rules, nil
}

// Decide is the answer to a request for a permission; false when no rule is for
// it, or when it has no option of the kind that the rule wants and cannot be
// refused by choosing nothing.
func (rules Rules) Decide(q event.Question) (event.Answer, bool) {
	if q.Kind != event.AskPermission {
		return event.Answer{}, false
	}
	on, key := subjectAndKey(q)
	var paths []string // its other forms
	if slices.Contains(pathKeys, key) {
		paths = rules.paths(on)
	}
	for _, r := range rules.Deny {
		unseen := r.input != nil && event.IsTruncated(on) // it may be what the rule denies
		if r.names(q) && (unseen || slices.ContainsFunc(append(pieces(q, on), paths...), r.on)) {
			by := "deny: " + r.text
			if unseen {
				by += " (its input is too long to be checked)"
			}
			a, has := q.Choose(by, event.RejectOnce, event.RejectAlways)
			if !has {
				a = event.Answer{By: by}
			}
			return a, true
		}
	}
	up := paths != nil && goesUp(on)
	if up { // "a/../x" is another file than "x" if a is a link
		paths = nil
	}
	for _, r := range rules.Allow {
		if r.names(q) && (r.on(on) || slices.ContainsFunc(paths, r.on)) && !(r.open() && (up || dividesCommand(q, on))) {
			return q.Choose("allow: "+r.text, event.AllowOnce, event.AllowAlways)
		}
	}
	return event.Answer{}, false
}

// dividesCommand reports whether a shell may do more with a command line than run one command with these words.
func dividesCommand(q event.Question, on string) bool {
	return IsCommand(q) && (strings.ContainsAny(on, divides+`!*?[]~#\`) || event.IsTruncated(on))
}

// goesUp reports whether a path has "..": then its beginning does not say where it leads.
func goesUp(path string) bool {
	return slices.Contains(strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == filepath.Separator }), "..")
}

// paths returns other forms of a path: without "." and "..", relative to the agent's directory, and absolute.
func (rules Rules) paths(path string) []string {
	clean := filepath.Clean(path)
	list := []string{clean}
	for _, dir := range rules.dirs {
		if !filepath.IsAbs(clean) {
			list = append(list, filepath.Join(dir, clean))
		} else if rest, err := filepath.Rel(dir, clean); err == nil && filepath.IsLocal(rest) {
			list = append(list, rest)
		}
	}
	return list
}

func (r Rule) names(q event.Question) bool {
	return slices.ContainsFunc([]string{q.Name, string(q.Tool)}, func(name string) bool {
		return name != "" && glob(strings.ToLower(r.tool), strings.ToLower(name))
	})
}

func (r Rule) on(text string) bool { return r.input == nil || glob(*r.input, text) }

// open reports whether a star matches a part of the input of the tool.
func (r Rule) open() bool { return r.input != nil && strings.Contains(*r.input, "*") }

// divides are the characters with which a shell makes several commands of one line.
const divides = "\n\r;&|<>`$(){}\"'"

// pieces are what a rule that denies looks at: the whole, and each command of a line.
func pieces(q event.Question, on string) []string {
	list := []string{on}
	if IsCommand(q) {
		for piece := range strings.FieldsFuncSeq(on, func(r rune) bool { return strings.ContainsRune(divides, r) }) {
			if piece = strings.TrimSpace(piece); piece != "" {
				list = append(list, piece)
			}
		}
	}
	return list
}

// IsCommand reports whether a question is about a command line.
func IsCommand(q event.Question) bool {
	_, has := fields(q)["command"]
	return has || q.Tool == event.ToolCommand
}

// keys of a tool's input that distinguish one use from another.
var keys = []string{"command", "file_path", "filePath", "path", "url", "pattern", "query"}

// pathKeys are those of them that name a file.
var pathKeys = []string{"file_path", "filePath", "path"}

// Subject is what a tool is to be used on; else all of its input, or the question.
func Subject(q event.Question) string {
	on, _ := subjectAndKey(q)
	return on
}

// subjectAndKey is Subject, with the key of the input that has it, or "".
func subjectAndKey(q event.Question) (on, key string) {
	all := fields(q)
	for _, key = range keys {
		switch v := all[key].(type) {
		case string:
			return v, key
		case []any: // a command in words
			var words []string
			for _, w := range v {
				text, _ := w.(string) // a value that is not a string is not part of a command
				words = append(words, text)
			}
			return strings.Join(words, " "), key
		}
	}
	if text := string(q.Input); text != "" && text != "null" && text != "{}" {
		return text, ""
	}
	return q.Text, ""
}

func fields(q event.Question) map[string]any {
	var all map[string]any
	_ = json.Unmarshal(q.Input, &all) // no object: it has none
	return all
}

// glob matches a text with a pattern whose stars stand for any characters.
func glob(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(text) < len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return true
}

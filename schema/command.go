package schema

import (
	"fmt"
	"slices"
	"strings"

	"example.org/ripple/internal/lazyregexp"
)

// Word is one argument of a command template, before expansion.
type Word struct {
	Parts  []Part
	Column int // where the word starts, from 1, in characters
}

// Part is literal text or the name of a placeholder, never both.
type Part struct {
	Text        string
	Placeholder string
}

// TemplateError is an error in a template.
type TemplateError struct {
	Column  int // from 1, in characters
	Message string
}

func (e *TemplateError) Error() string {
	return fmt.Sprintf("%s at column %d of the template", e.Message, e.Column)
}

// Placeholders returns the names that templates of a session may use, sorted.
func Placeholders() []string { return slices.Clone(placeholderNames) }

var placeholderNames = []string{
	"banner", "guid", "history_filter", "init_invocation", "marker", "marker_continuation", "nonce", "nonce_short", "path", "pid",
	"prompt_template", "reason", "script_path", "self", "shell_path", "temp_dir", "tempfile_path",
}

// ContainsNonce reports whether a template shows the session's nonce, or its short form,
// where it is expanded.
func ContainsNonce(template string) bool {
	return Expand(template, map[string]string{"nonce": "", "nonce_short": ""}) != template
}

// SplitCommand splits a command template into words. The template is split
// first and expanded afterwards, so a value never adds a word. Blanks separate
// words; `"…"` and `'…'` group; inside `"…"` a backslash stands for itself
// except before `"` and `\`. `{name}` is a placeholder and must be one of
// Placeholders; other braces, and `${name}`, are text. Errors are of type
// *TemplateError.
func SplitCommand(template string) ([]Word, error) {
	s := splitter{in: []rune(template)}
	for s.pos < len(s.in) {
		if err := s.step(); err != nil {
			return nil, err
		}
	}
	if s.quote != 0 {
		return nil, &TemplateError{s.quoteAt + 1, fmt.Sprintf("quote %c is never closed", s.quote)}
	}
	s.endWord()
	if len(s.words) == 0 {
		return nil, &TemplateError{1, "the command is empty"}
	}
	return s.words, nil
}

type splitter struct {
	in      []rune
	pos     int
	quote   rune // the open quote, 0 outside
	quoteAt int
	word    *Word
	text    strings.Builder
	words   []Word
}

func (s *splitter) step() error {
	r := s.in[s.pos]
	switch {
	case s.quote == 0 && (r == ' ' || r == '\t' || r == '\n' || r == '\r'):
		s.endWord()
	case r == 0:
		return &TemplateError{s.pos + 1, "a NUL cannot be part of an argument"}
	case s.quote == 0 && (r == '"' || r == '\''):
		s.begin()
		s.quote, s.quoteAt = r, s.pos
	case s.quote != 0 && r == s.quote:
		s.quote = 0
	case s.quote == '"' && r == '\\' && s.pos+1 < len(s.in) && (s.in[s.pos+1] == '"' || s.in[s.pos+1] == '\\'):
		s.pos++
		s.literal(s.in[s.pos])
	case r == '{':
		return s.brace()
	default:
		s.literal(r)
	}
	s.pos++
	return nil
}

// brace reads `{name}`, or the brace alone if no placeholder starts there.
func (s *splitter) brace() error {
	end := s.pos + 1
	for end < len(s.in) && isNameRune(s.in[end], end == s.pos+1) {
		end++
	}
	name := string(s.in[s.pos+1 : end])
	if name == "" || end == len(s.in) || s.in[end] != '}' || s.pos > 0 && s.in[s.pos-1] == '$' {
		s.literal('{')
		s.pos++
		return nil
	}
	if !slices.Contains(placeholderNames, name) {
		return &TemplateError{s.pos + 1, fmt.Sprintf("unknown placeholder {%s}%s", name, Suggest(name, placeholderNames))}
	}
	s.begin()
	s.flush()
	s.word.Parts = append(s.word.Parts, Part{Placeholder: name})
	s.pos = end + 1
	return nil
}

func isNameRune(r rune, first bool) bool {
	return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || !first && r >= '0' && r <= '9'
}

func (s *splitter) begin() {
	if s.word == nil {
		s.word = &Word{Column: s.pos + 1}
	}
}

func (s *splitter) literal(r rune) {
	s.begin()
	s.text.WriteRune(r)
}

func (s *splitter) flush() {
	if s.text.Len() > 0 {
		s.word.Parts = append(s.word.Parts, Part{Text: s.text.String()})
		s.text.Reset()
	}
}

func (s *splitter) endWord() {
	if s.word == nil {
		return
	}
	s.flush()
	s.words = append(s.words, *s.word)
	s.word = nil
}

var placeholder = lazyregexp.New(`\$?\{[A-Za-z_][A-Za-z0-9_]*\}`)

// Expand replaces `{name}` by its value wherever values has the name. All
// other braces stay as they are, and so does `${name}`, which in the language
// of a script is a variable of its own. Values are not expanded again.
func Expand(text string, values map[string]string) string {
	var b strings.Builder
	done := 0 // of text, in b
	for at := 0; ; at++ {
		open := strings.IndexByte(text[at:], '{')
		if open < 0 {
			break
		}
		at += open
		end := at + 1 + nameLength(text[at+1:])
		if end == len(text) || text[end] != '}' || at > 0 && text[at-1] == '$' {
			continue
		}
		if value, has := values[text[at+1:end]]; has {
			b.WriteString(text[done:at])
			b.WriteString(value)
			at, done = end, end+1
		}
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// nameLength is how much of the text is letters, digits and underscores.
func nameLength(text string) int {
	for i := range len(text) {
		c := text[i] | 0x20 // small
		if (c < 'a' || c > 'z') && text[i] != '_' && (text[i] < '0' || text[i] > '9') {
			return i
		}
	}
	return len(text)
}

// checkPath reports an unknown placeholder in a template for a file path.
func checkPath(template string) error {
	for _, m := range placeholder().FindAllStringIndex(template, -1) {
		name := strings.Trim(template[m[0]:m[1]], "{}")
		if !strings.HasPrefix(name, "$") && !slices.Contains(placeholderNames, name) {
			return &TemplateError{
				len([]rune(template[:m[0]])) + 1,
				fmt.Sprintf("unknown placeholder {%s}%s", name, Suggest(name, placeholderNames)),
			}
		}
	}
	return nil
}

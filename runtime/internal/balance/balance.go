// Package balance distinguishes complete code from incomplete code by counting brackets.
// [Rules.Check] is the whole of it: one pass over the text, in linear time, that knows
// strings, comments and the reader prefixes of the Lisp family as the adapter's
// input.balanced_parens describes them. It does not know the language: what it cannot
// judge by these rules it accepts.
package balance

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.org/ripple/schema"
)

// Problem is what keeps a text from being complete.
type Problem string

// Problems. Position and Opener of the report are about the thing that is open;
// for Unexpected and Mismatched the position is that of the closing bracket.
const (
	none                Problem = ""
	unclosed            Problem = "unclosed"             // a bracket
	unexpected          Problem = "unexpected"           // a closing bracket, nothing is open
	mismatched          Problem = "mismatched"           // a closing bracket of another kind
	unterminatedString  Problem = "unterminated_string"  //
	unterminatedComment Problem = "unterminated_comment" // a block comment
	emptyDatumComment   Problem = "empty_datum_comment"  // nothing follows that it could skip
	emptyCharLiteral    Problem = "empty_char_literal"   // nothing follows its prefix
)

// Report is the verdict on a text.
type Report struct {
	Complete bool
	Problem  Problem
	Line     int    // 1-based; 0 when complete
	Column   int    // 1-based, in runes
	Opener   string // what is open, as written
	Found    string // Unexpected, Mismatched: the closing bracket
	Want     string // Mismatched: the text that would have closed Opener
	Around   int    // Unclosed: how many more brackets are open around this one
	Outer    int    // Unclosed with Around: the line of the outermost of them
	Missing  string // Unclosed: what would close them all
	Text     string // the line of the problem, as written
}

// Excerpt is the line of the problem with a caret below it, as compilers show it;
// empty for a complete text. Of a long line it is the part around the caret.
func (r Report) Excerpt() string {
	if r.Complete {
		return ""
	}
	const before, after = 60, 20 // characters shown on either side
	line := []rune(r.Text)
	at := min(r.Column-1, len(line))
	from, to := max(0, at-before), min(len(line), at+after)
	shown := func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}
	return strings.Map(shown, string(line[from:to])) + "\n" + strings.Repeat(" ", at-from) + "^"
}

// manyMissing is how many closing brackets are too many to list.
const manyMissing = 20

// Message says what is open and where; empty for a complete text.
func (r Report) Message() string {
	at := fmt.Sprintf("at line %d, column %d", r.Line, r.Column)
	switch r.Problem {
	case unclosed:
		text := fmt.Sprintf("%q %s is never closed", r.Opener, at)
		switch {
		case r.Around == 1:
			text += fmt.Sprintf(", nor is the bracket around it in line %d", r.Outer)
		case r.Around > 1:
			text += fmt.Sprintf(", nor are the %d brackets around it, the first in line %d", r.Around, r.Outer)
		}
		if r.Around < manyMissing {
			text += fmt.Sprintf(": missing %s", r.Missing)
		}
		return text
	case unexpected:
		return fmt.Sprintf("%q %s has no opening bracket", r.Found, at)
	case mismatched:
		return fmt.Sprintf("%q %s cannot close %q: expected %q", r.Found, at, r.Opener, r.Want)
	case unterminatedString:
		return fmt.Sprintf("the string that %s opens %s is never closed", r.Opener, at)
	case unterminatedComment:
		return fmt.Sprintf("the comment that %s opens %s is never closed", r.Opener, at)
	case emptyDatumComment:
		return fmt.Sprintf("%s %s comments out nothing: an expression must follow", r.Opener, at)
	case emptyCharLiteral:
		return fmt.Sprintf("%s %s must be followed by a character", r.Opener, at)
	}
	return ""
}

// Rules are what an adapter declares, made ready to judge many texts.
type Rules struct {
	escape  string
	symbols bool // the escape is one outside strings too
	flat    bool // block comments do not nest
	tokens  tokens
}

// New makes ready an adapter's input.balanced_parens.
func New(cfg schema.BalancedParens) *Rules {
	return &Rules{escape: cfg.Escape, symbols: cfg.EscapeSymbols, flat: cfg.BlockCommentFlat, tokens: newTokens(cfg)}
}

// Check judges a text. When brackets are left open, the innermost is reported.
func (rules *Rules) Check(text string) Report {
	s := scanner{Rules: rules, text: text}
	r := s.run()
	if r.Problem == none {
		return Report{Complete: true}
	}
	before := text[:s.at]
	start := strings.LastIndexByte(before, '\n') + 1
	r.Line = strings.Count(before, "\n") + 1
	r.Column = utf8.RuneCountInString(before[start:]) + 1
	r.Text, _, _ = strings.Cut(text[start:], "\n")
	if r.Around > 0 {
		r.Outer = strings.Count(text[:s.open[0].at], "\n") + 1
	}
	return r
}

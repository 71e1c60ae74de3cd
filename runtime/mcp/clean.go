package mcp

import (
	"crypto/rand"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.org/ripple/internal/vt"
)

// fence encloses text between two lines that do not occur in it.
func fence(text string) string {
	mark := "----- " + rand.Text()[:10]
	return mark + "\n" + strings.TrimSuffix(text, "\n") + "\n" + mark
}

// clean returns text without escape sequences. Characters that are invisible or change the text
// direction are replaced by their code points.
func clean(text string) string {
	text = vt.Strip(text)
	plain := true
	for i := 0; i < len(text) && plain; i++ {
		plain = text[i] >= ' ' && text[i] < 0x7f || text[i] == '\n' || text[i] == '\t'
	}
	if plain {
		return text
	}
	b := &strings.Builder{}
	var before rune
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n <= 1:
			fmt.Fprintf(b, "\\x%02x", text[i])
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case unicode.In(r, unseen...) && (r != emojiStyle || before < firstSymbol):
			fmt.Fprintf(b, "\\u{%x}", r)
		default:
			b.WriteString(text[i : i+n])
		}
		before = r
		i += n
	}
	return b.String()
}

// unseen are the characters that a reader does not see: controls, direction marks, zero-width
// characters, and unusual line ends.
var unseen = []*unicode.RangeTable{
	unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector,
}

// A symbol may be followed by a variation selector that requests an emoji; after a letter it could
// only hide data.
const (
	emojiStyle  = '\uFE0F'
	firstSymbol = '\u2000'
)

var inLine = strings.NewReplacer("\n", `\u{a}`, "\t", `\u{9}`)

// sentence returns a message of ripple in one line: its further lines, such as hints, follow after "; ".
func sentence(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return word(strings.Join(lines, "; "))
}

// word returns text that is safe inside a line that ripple writes.
func word(text string) string { return inLine.Replace(clean(text)) }

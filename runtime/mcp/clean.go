package mcp

import (
	"crypto/rand"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"ripple/runtime/internal/vt"
)

// fence puts text between lines that it cannot hold.
func fence(text string) string {
	mark := "----- " + rand.Text()[:10]
	return mark + "\n" + strings.TrimSuffix(text, "\n") + "\n" + mark
}

// clean is text without escape sequences, in which what cannot be seen or turns the
// order of letters is shown by its number.
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

// unseen are the characters that a person does not see: controls, those that turn the
// order of letters, are as wide as nothing, or end a line where none ends.
var unseen = []*unicode.RangeTable{
	unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector,
}

// A symbol may be followed by the request to be drawn as an emoji; behind a letter it
// would only hide something.
const (
	emojiStyle  = '\uFE0F'
	firstSymbol = '\u2000'
)

var inLine = strings.NewReplacer("\n", `\u{a}`, "\t", `\u{9}`)

// word is text that stands within a line of ours.
func word(text string) string { return inLine.Replace(clean(text)) }

package event

import (
	"strings"
	"unicode"

	"example.org/ripple/internal/vt"
)

// Printable returns text without characters that move a terminal's cursor, set its title or
// change the direction of text: it may come from a model, or from a file that the model read. The
// only control characters kept are tabs and line feeds.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, vt.Strip(strings.ToValidUTF8(text, "\ufffd")))
}

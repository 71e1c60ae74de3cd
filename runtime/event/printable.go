package event

import (
	"strings"
	"unicode"

	"ripple/runtime/internal/vt"
)

// Printable is text without what would move a terminal's cursor, set its title or
// turn the order of its letters: a model wrote it, or somebody whose file it read.
// Of the control characters tabs and line feeds stay.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, vt.Strip(strings.ToValidUTF8(text, "\ufffd")))
}

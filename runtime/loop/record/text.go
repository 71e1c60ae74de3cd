package record

import (
	"strings"
	"time"
	"unicode"
)

// OneLine returns text as one line of at most limit characters, without bytes that are invalid in
// an argument or a commit message.
func OneLine(text string, limit int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	return Shorten(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text), limit)
}

// Shorten cuts text to a number of characters, including a final ellipsis.
func Shorten(text string, limit int) string {
	n, cut := 0, 0
	for i := range text {
		switch n {
		case limit - 1:
			cut = i
		case limit:
			return text[:cut] + "…"
		}
		n++
	}
	return text
}

// StampLayout is the layout of a Stamp.
const StampLayout = "20060102T150405Z"

// Stamp formats a time for use in a name.
func Stamp(now time.Time) string { return now.UTC().Format(StampLayout) }

package record

import (
	"strings"
	"time"
	"unicode"
)

// OneLine puts text on one line of at most so many characters. What a program
// printed may hold bytes that neither an argument nor a commit can have.
func OneLine(text string, limit int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	return Shorten(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text), limit)
}

// Shorten cuts text to a number of characters, the last of them an ellipsis.
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

// Stamp is a time in a name.
func Stamp(now time.Time) string { return now.UTC().Format("20060102T150405Z") }

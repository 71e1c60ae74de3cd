package ui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/displaywidth"

	"example.org/ripple/internal/lazyregexp"
)

// listItem matches the beginning of a list item: its further lines are indented to its text.
var listItem = lazyregexp.New(`^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?`)

// wrapLine breaks a line at blanks, and between wide characters, so that no part is wider than
// width columns. A wider word is cut. Further lines of a list item are indented to its text. The
// text has no escape sequences.
func wrapLine(line string, width int) []string {
	hang := strings.Repeat(" ", ansi.StringWidth(listItem().FindString(line)))
	if len(hang) == 0 {
		hang = line[:len(line)-len(strings.TrimLeft(line, " "))]
	}
	if len(hang) > width/2 {
		hang = ""
	}
	w := wrapper{width: max(width, 2), hang: hang} // room for a wide character
	for g := displaywidth.StringGraphemes(line); g.Next(); {
		w.add(g.Value(), g.Width())
	}
	return append(w.lines, strings.TrimRight(w.line, " "))
}

// wrapper fills lines with characters.
type wrapper struct {
	width int
	hang  string
	lines []string

	line  string
	used  int // columns of line
	words int // length of line up to the last possible break, in bytes; 0: none
}

func (w *wrapper) add(char string, width int) {
	if w.used+width > w.width {
		if char == " " { // the line is broken at blanks
			w.words = len(w.line)
			return
		}
		w.wrap()
	}
	w.line += char
	w.used += width
	blank := char == " " && strings.TrimSpace(w.line) != ""
	if blank || width == 2 {
		w.words = len(w.line)
	}
}

// wrap ends the line at the last possible break, or at its end.
func (w *wrapper) wrap() {
	at := w.words
	if at == 0 || strings.TrimSpace(w.line[:at]) == strings.TrimSpace(listItem().FindString(w.line)) {
		at = len(w.line)
	}
	w.lines = append(w.lines, strings.TrimRight(w.line[:at], " "))
	w.line = w.hang + strings.TrimLeft(w.line[at:], " ")
	w.used, w.words = ansi.StringWidth(w.line), 0
}

// Wrapped wraps text after a prefix for the terminal of notes.
func (a *App) Wrapped(text, prefix string) string {
	width := min(a.page(a.Err).Width, widestProse) - len(prefix)
	var lines []string
	for line := range strings.SplitSeq(Harmless(text), "\n") {
		lines = append(lines, wrapLine(line, width)...)
	}
	return strings.Join(lines, "\n")
}

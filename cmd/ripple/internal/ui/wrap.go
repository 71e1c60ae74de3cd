package ui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/displaywidth"

	"ripple/internal/lazyregexp"
)

// listItem is what a line of a list begins with: the lines that it is wrapped to
// stand below its text.
var listItem = lazyregexp.New(`^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?`)

// wrapLine breaks a line at blanks, and between wide characters, so that no piece
// is wider than width columns. A word that is wider is cut. The pieces of a list's
// item stand below its text. Words have no escape sequences.
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
	words int // bytes of line up to which it could be broken; 0: nowhere
}

func (w *wrapper) add(char string, width int) {
	if w.used+width > w.width {
		if char == " " { // it is what the line is broken at
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

// wrap ends the line where it can be broken, or where it is.
func (w *wrapper) wrap() {
	at := w.words
	if at == 0 || strings.TrimSpace(w.line[:at]) == strings.TrimSpace(listItem().FindString(w.line)) {
		at = len(w.line)
	}
	w.lines = append(w.lines, strings.TrimRight(w.line[:at], " "))
	w.line = w.hang + strings.TrimLeft(w.line[at:], " ")
	w.used, w.words = ansi.StringWidth(w.line), 0
}

// Wrapped breaks words that stand behind a prefix for the terminal of notes.
func (a *App) Wrapped(text, prefix string) string {
	width := min(a.page(a.Err).Width, widestProse) - len(prefix)
	var lines []string
	for line := range strings.SplitSeq(Harmless(text), "\n") {
		lines = append(lines, wrapLine(line, width)...)
	}
	return strings.Join(lines, "\n")
}

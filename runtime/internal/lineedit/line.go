// Package lineedit edits a line of text by keys: Editor. It reads no terminal and writes to
// none: Key takes a key, View and Layout say what is to be shown and where.
//
// The libraries that edit lines (golang.org/x/term, chzyer/readline and its successors, liner,
// reeflective/readline) own the terminal, or block in a call until the line is entered. Here
// the terminal is a program's, whose output comes at any time, and the editor has it only
// while the program waits at its prompt.
package lineedit

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// longest is how long a line that is entered may be, in bytes: what Linux's terminal keeps of one
// (N_TTY_BUF_SIZE less its end).
const longest = 4095

// most is how long a line may become while it is edited, in bytes. It is more than longest: of a line that is
// too long, no part is entered.
const most = 2 * longest

// line is the text that is edited, as what a reader takes for characters (UAX #29).
type line struct {
	chars []string
	at    int // the cursor is before this one

	past   []lineState // before each change, the oldest first
	joined int         // where a character continues the text that was inserted last; 0: none does
}

// lineState is a line at one time.
type lineState struct {
	chars []string // not modified later
	at    int
}

func (l *line) text() string { return strings.Join(l.chars, "") }

func (l *line) set(text string) {
	*l = line{chars: split(text)}
	l.at = len(l.chars)
}

// maxPast is how many changes of a line can be undone.
const maxPast = 200

// changes records the line before a change.
func (l *line) changes() {
	if l.past = append(l.past, lineState{l.chars, l.at}); len(l.past) > maxPast {
		l.past = l.past[1:]
	}
	l.joined = 0
}

// undo reverts the last change, and reports whether there was one. Characters that were typed one after another are one change.
func (l *line) undo() bool {
	n := len(l.past) - 1
	if n < 0 {
		return false
	}
	l.chars, l.at, l.past, l.joined = l.past[n].chars, l.past[n].at, l.past[:n], 0
	return true
}

func split(text string) (chars []string) {
	for g := graphemes.FromString(text); g.Next(); {
		chars = append(chars, g.Value())
	}
	return chars
}

// insert adds text at the cursor and says whether there was room. With what is beside it, it
// may make one character.
func (l *line) insert(text string) bool {
	size := len(text)
	for _, char := range l.chars {
		size += len(char)
	}
	if size > most {
		return false
	}
	if l.joined == 0 || l.joined != l.at {
		l.changes()
	}
	from, to := max(l.at-1, 0), min(l.at+1, len(l.chars))
	before, after := strings.Join(l.chars[from:l.at], "")+text, strings.Join(l.chars[l.at:to], "")
	chars := split(before + after)
	l.chars = slices.Concat(l.chars[:from], chars, l.chars[to:])
	l.at = from
	for n := 0; n < len(before); l.at++ {
		n += len(l.chars[l.at])
	}
	l.joined = l.at
	return true
}

// remove takes out what is between two places, and returns it; the cursor is there.
func (l *line) remove(from, to int) string {
	l.changes()
	gone := strings.Join(l.chars[from:to], "")
	l.chars, l.at = slices.Concat(l.chars[:from], l.chars[to:]), from
	return gone
}

// letter reports whether a character is part of a word for the keys that move by words.
func letter(char string) bool {
	r, _ := utf8.DecodeRuneInString(char)
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
}

func notBlank(char string) bool { return char != " " && char != "\t" }

// wordLeft is where the word before the cursor begins; part says what a word is made of.
func (l *line) wordLeft(part func(string) bool) int {
	i := l.at
	for i > 0 && !part(l.chars[i-1]) {
		i--
	}
	for i > 0 && part(l.chars[i-1]) {
		i--
	}
	return i
}

// wordRight returns the end of the word after the cursor.
func (l *line) wordRight(part func(string) bool) int {
	i := l.at
	for i < len(l.chars) && !part(l.chars[i]) {
		i++
	}
	for i < len(l.chars) && part(l.chars[i]) {
		i++
	}
	return i
}

// transpose exchanges the two characters before the cursor's place, which moves on.
func (l *line) transpose() {
	if l.at < 1 || len(l.chars) < 2 {
		l.at = min(1, len(l.chars))
		return
	}
	l.changes()
	l.chars = slices.Clone(l.chars)
	if l.at == len(l.chars) {
		l.at--
	}
	l.chars[l.at-1], l.chars[l.at] = l.chars[l.at], l.chars[l.at-1]
	l.at++
}

// printable is text without what a terminal would not show but act on; tabs stay.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && unicode.IsControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, text)
}

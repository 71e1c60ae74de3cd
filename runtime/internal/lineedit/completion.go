package lineedit

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Completion is where Tab finds words, in addition to the lines of the history. Its zero value
// has none.
type Completion struct {
	Indents func() bool // a Tab before the first word is a character; nil: it is not

	Text  func() string              // text that has words, such as what a terminal shows; nil: none
	Files func(word string) []string // the names of files that begin with a word, and with a slash after directories; nil: none
}

// doComplete completes the word before the cursor as far as all candidates agree. A second Tab
// lists them.
func doComplete(e *Editor) Result {
	if before := e.line.chars[:e.line.at]; e.completion.Indents != nil && e.completion.Indents() && !slices.ContainsFunc(before, notBlank) {
		return e.insert("\t")
	}
	again := e.tabbed
	word, found := e.candidates()
	e.tabbed = len(found) > 1
	rest := ""
	if len(found) > 0 {
		rest = plain(commonPrefix(found)[len(word):])
	}
	switch {
	case rest != "":
		return e.insert(printable(rest))
	case again && e.tabbed:
		folder := strings.LastIndexByte(word, '/') + 1
		for _, c := range found {
			e.list = append(e.list, printable(c[folder:]))
		}
		return Result{}
	}
	return Result{Do: Bell}
}

// candidates returns the word before the cursor and its possible completions, sorted. The word
// is the longest one that has completions: for os.pa it is os.pa or pa.
func (e *Editor) candidates() (word string, found []string) {
	before, after := strings.Join(e.line.chars[:e.line.at], ""), strings.Join(e.line.chars[e.line.at:], "")
	text := strings.Join(e.history.Lines, "\n")
	if e.completion.Text != nil {
		text += "\n" + e.completion.Text()
	}
	for i, part := range []func(rune) bool{inWord, inName} {
		word = before[len(strings.TrimRightFunc(before, part)):]
		if word == "" {
			continue
		}
		itself := word + after[:len(after)-len(strings.TrimLeftFunc(after, part))]
		for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return !part(r) }) {
			w = strings.TrimRight(w, ".-/")
			if len(w) > len(word) && w != itself && strings.HasPrefix(w, word) {
				found = append(found, w)
			}
		}
		if i == 0 && e.completion.Files != nil && mayBeFile(before[:len(before)-len(word)]) {
			found = append(found, e.completion.Files(word)...)
		}
		if len(found) > 0 {
			break
		}
	}
	slices.Sort(found)
	all := slices.Compact(found)
	return word, slices.DeleteFunc(slices.Clone(all), func(c string) bool { // a directory
		_, both := slices.BinarySearch(all, c+"/")
		return both
	})
}

// mayBeFile reports whether a file name may begin after this part of a line: not in the middle of
// a name that contains a space.
func mayBeFile(before string) bool {
	switch {
	case strings.HasSuffix(before, `\ `):
		return false
	case strings.HasSuffix(before, `"`), strings.HasSuffix(before, `'`):
		return true
	}
	return strings.Count(before, `"`)%2 == 0 && strings.Count(before, `'`)%2 == 0
}

// inName reports whether a character may be part of a name in a program, and inWord whether it may be part
// of a word without blanks, quotes or brackets: a path, an option, names with dots between them.
func inName(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}

func inWord(r rune) bool { return inName(r) || strings.ContainsRune("-./~+@%", r) }

// plain is text up to the first character that would have to be quoted in some language.
func plain(text string) string {
	if i := strings.IndexFunc(text, func(r rune) bool { return !inWord(r) }); i >= 0 {
		return text[:i]
	}
	return text
}

// commonPrefix is what all of a sorted list begin with, in whole code points.
func commonPrefix(list []string) string {
	first, last := list[0], list[len(list)-1]
	n := 0
	for n < len(first) && n < len(last) && first[n] == last[n] {
		n++
	}
	for n > 0 && n < len(first) && !utf8.RuneStart(first[n]) {
		n--
	}
	return first[:n]
}

// Table formats a list in columns for a terminal of the given size; each row is shorter than the
// width of the terminal. The last row has the number of items that do not fit.
func Table(list []string, cols, rows int) (shown []string) {
	column := 1
	for _, c := range list {
		column = max(column, cells(split(c)...)+2)
	}
	across := max((cols-1)/column, 1)
	for row := range slices.Chunk(list, across) {
		if len(shown) == rows-1 && len(list) > rows*across {
			row = []string{fmt.Sprintf("(%d more)", len(list)-len(shown)*across)}
		}
		if len(shown) >= rows {
			break
		}
		line, used := "", 0
		for i, c := range row {
			line += strings.Repeat(" ", max(i*column-used, 0))
			used = max(used, i*column)
			for _, char := range split(c) {
				if used += cells(char); used >= cols {
					break
				}
				line += drawn(char)
			}
		}
		shown = append(shown, line)
	}
	return shown
}

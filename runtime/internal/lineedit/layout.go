package lineedit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// Place is a place on the terminal: Row counts from the row of the prompt's end.
type Place struct{ Row, Col int }

// Layout lays out text on a terminal of the given size, after a prompt that ends in the column
// first. It returns what to write, where the cursor is afterwards, and where it should be. A
// column equal to the number of columns is after the last one, before the terminal wraps to a new
// row. If the text is longer than the screen, only the part around the cursor is shown.
func (v View) Layout(first, cols, rows int) (shown string, end, cursor Place) {
	from, to := v.visible(first, cols, rows)
	p := Place{Col: first}
	cursor = p
	for i := from; i < to; i++ {
		if i == v.At {
			cursor = p
		}
		next := p.after(v.Chars[i], cols)
		if v.Chars[i] == "\t" {
			shown += strings.Repeat(" ", next.Col-p.Col) // a tab would leave what the cells have shown before
		} else {
			shown += drawn(v.Chars[i])
		}
		p = next
		if i == v.At { // the terminal may have put it in the next row
			if w := width(v.Chars[i]); w > 0 && p.Col == w {
				cursor = Place{Row: p.Row}
			}
		}
	}
	if v.At >= to {
		cursor = p
	}
	return shown, p, cursor
}

// after returns the position of the cursor after a character.
func (p Place) after(char string, cols int) Place {
	if char == "\t" { // a terminal stops in its last column
		if p.Col >= cols {
			return p
		}
		return Place{p.Row, min((p.Col/8+1)*8, cols-1)}
	}
	w := width(char)
	if p.Col+w > cols && w > 0 {
		p = Place{Row: p.Row + 1}
	}
	return Place{p.Row, p.Col + w}
}

// drawn is a character as it is written to the terminal: one that would reorder others, or end the line, is replaced.
func drawn(char string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
			return utf8.RuneError
		}
		return r
	}, char)
}

// width is how many columns a character has on a terminal that takes each code point for itself.
func width(char string) (n int) {
	for _, r := range drawn(char) {
		n += displaywidth.Rune(r)
	}
	return n
}

// visible is which characters fit on the screen.
func (v View) visible(first, cols, rows int) (from, to int) {
	room := max(cols*(rows-1)-first-cols, cols/2)
	used := 0
	for from = v.At; from > 0 && used+cells(v.Chars[from-1]) <= room; from-- {
		used += cells(v.Chars[from-1])
	}
	for to = v.At; to < len(v.Chars) && used+cells(v.Chars[to]) <= room; to++ {
		used += cells(v.Chars[to])
	}
	return from, to
}

// cells is the most columns that characters take, wherever they stand.
func cells(chars ...string) (n int) {
	for _, char := range chars {
		if char == "\t" {
			n += 8
		} else {
			n += width(char)
		}
	}
	return n
}

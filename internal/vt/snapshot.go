package vt

import (
	"bytes"
	"slices"
)

// appendRow appends the text of a row without trailing blanks.
func (s *Screen) appendRow(out []byte, r *row, cols int) []byte {
	start := len(out)
	n := r.used(cols)
	for x := 0; x < n; {
		c := r.at(x)
		if c.ch == 0 {
			out = append(out, ' ')
		} else {
			out = s.clusters.append(out, c)
		}
		x += int(max(c.width, 1))
	}
	return out[:start+len(bytes.TrimRight(out[start:], " "))]
}

// Row returns the text of row y of the screen without trailing blanks, and reports whether it
// continues the row above.
func (s *Screen) Row(y int) (text string, wrapped bool) {
	if y < 0 || y >= s.b.lines {
		return "", false
	}
	r := s.b.row(y)
	return string(s.appendRow(nil, r, s.b.cols)), r.wrapped
}

// AppendText appends the text of the screen to out as a program would have printed it: a wrapped
// line is one line, tabs over unwritten columns are tabs, and lines end with \n, the last one if
// the cursor is below it. Blanks at the end of lines, and blank lines at the end, are omitted.
func (s *Screen) AppendText(out []byte) []byte {
	b := s.b
	last := b.lines - 1
	for last >= 0 && len(s.appendRow(nil, b.row(last), b.cols)) == 0 {
		last--
	}
	for y := range last + 1 {
		out = s.appendLine(out, b.row(y), y < last && b.row(y+1).wrapped)
	}
	if last >= b.y {
		out = bytes.TrimSuffix(out, []byte("\n"))
	}
	return out
}

// appendLine appends a row as a line or, if the next row continues it, as a part of one with its
// trailing blanks.
func (s *Screen) appendLine(out []byte, r *row, continued bool) []byte {
	n := r.used(s.b.cols)
	if !continued {
		for n > 0 && isBlank(r.at(n-1)) {
			n--
		}
		for n < len(r.cells) && hasTab(r.cells[n:]) { // trailing tabs are kept
			n++
		}
	}
	for x := 0; x < n; {
		c := r.at(x)
		x += int(max(c.width, 1))
		switch {
		case c.ch != 0:
			out = s.clusters.append(out, c)
		case c.attr&tabbed != 0 && r.empty(x, s.b.nextTab(x-1)):
			out = append(out, '\t')
			x = max(x, s.b.nextTab(x-1)) // a tab in the last column does not move the cursor
		default:
			out = append(out, ' ')
		}
	}
	if !continued {
		out = append(out, '\n')
	}
	return out
}

func hasTab(cells []gridCell) bool {
	return slices.ContainsFunc(cells, func(c gridCell) bool { return c.ch == 0 && c.attr&tabbed != 0 })
}

// empty reports whether columns from to end-1 are unwritten.
func (r *row) empty(from, end int) bool {
	for x := from; x < end; x++ {
		if c := r.at(x); c.ch != 0 || c.width == 0 {
			return false
		}
	}
	return true
}

func isBlank(c gridCell) bool { return c.ch == ' ' || c.ch == 0 && c.width == 1 }

// History returns the number of lines above the screen; HistoryRow returns one of them, like Row,
// where 0 is the oldest.
func (s *Screen) History() int { return s.main.base() }

func (s *Screen) HistoryRow(i int) (text string, wrapped bool) {
	r := s.main.history.rows[i]
	return string(s.appendRow(nil, r, s.main.cols)), r.wrapped
}

// Cell is one displayed column. The right half of a wide character has no text and width 0.
type Cell struct {
	Text   string // "" if not written
	Width  int
	Fg, Bg Color
	Attr   Attr
}

// Cells returns the columns of row y of the screen.
func (s *Screen) Cells(y int) []Cell {
	r := s.b.row(y)
	out := make([]Cell, s.b.cols)
	for x := range out {
		c := r.at(x)
		out[x] = Cell{string(s.clusters.append(nil, c)), int(c.width), c.fg, c.bg, c.attr &^ (protected | tabbed)}
	}
	return out
}

package vt

import "unicode/utf8"

// Color is a foreground or background color: the terminal's default, one of the 256 of its
// palette, or red, green and blue.
type Color uint32

const (
	defaultColor Color = 0
	palette      Color = 1 << 24
	rgb          Color = 2 << 24
	colorKind    Color = 3 << 24
)

// Attr has the attributes of a character, or-ed.
type Attr uint16

const (
	Bold Attr = 1 << iota
	Dim
	Italic
	Blink
	Inverse
	Invisible
	Strike
	Overline
	protected // against erasing by DECSED and DECSEL (VT220)
	tabbed    // not written, but a tab moved the cursor from here to the next stop

	underlineShift = iota
	// UnderlineMask holds the style of the underline: 0 none, 1 single,
	// 2 double, 3 curly, 4 dotted, 5 dashed.
	UnderlineMask Attr = 7 << underlineShift
)

// gridCell is one column of a row. A wide character is a cell of width 2 followed by one of width 0
// without a character.
type gridCell struct {
	ch     uint32 // a character, or cluster|index into clusters; 0: not written
	fg, bg Color
	attr   Attr
	width  uint8
}

// cluster marks a cell whose character is followed by combining characters.
const cluster = 1 << 31

func blank(bg Color) gridCell { return gridCell{bg: bg, width: 1} }

// maxCluster bounds the text of one cell, in bytes; further combining characters are dropped.
const maxCluster = 64

// clusters holds the texts of cells with more than one character. Cells refer to them by index;
// sweep removes those that no cell refers to.
type clusters struct {
	text  []string
	index map[string]uint32
	limit int // sweep if there are more
}

const minClusters = 4096

// join returns cell c with a combining character added.
func (s *clusters) join(c gridCell, r rune) gridCell {
	text := utf8.AppendRune(s.append(nil, c), r)
	if len(text) > maxCluster {
		return c
	}
	i, ok := s.index[string(text)]
	if !ok {
		if s.index == nil {
			s.index = map[string]uint32{}
		}
		i = uint32(len(s.text))
		s.text = append(s.text, string(text))
		s.index[string(text)] = i
	}
	c.ch = cluster | i
	return c
}

// append appends the text of c; an empty cell has none.
func (s *clusters) append(out []byte, c gridCell) []byte {
	switch {
	case c.ch&cluster != 0:
		return append(out, s.text[c.ch&^cluster]...)
	case c.ch == 0:
		return out
	case c.ch < utf8.RuneSelf:
		return append(out, byte(c.ch))
	}
	return utf8.AppendRune(out, rune(c.ch))
}

// full reports whether a sweep is due.
func (s *clusters) full() bool { return len(s.text) >= max(s.limit, minClusters) }

// sweep keeps only the texts of cells that each visits.
func (s *clusters) sweep(each func(visit func(*gridCell))) {
	old := s.text
	*s = clusters{index: map[string]uint32{}}
	each(func(c *gridCell) {
		if c.ch&cluster == 0 {
			return
		}
		text := old[c.ch&^cluster]
		i, ok := s.index[text]
		if !ok {
			i = uint32(len(s.text))
			s.text = append(s.text, text)
			s.index[text] = i
		}
		c.ch = cluster | i
	})
	s.limit = 2 * len(s.text)
}

// Palette returns the color's index among the terminal's 256, if it is one of these.
func (c Color) Palette() (n uint8, is bool) { return uint8(c), c&colorKind == palette }

// RGB returns red, green and blue, if the color consists of these.
func (c Color) RGB() (r, g, b uint8, is bool) {
	return uint8(c >> 16), uint8(c >> 8), uint8(c), c&colorKind == rgb
}

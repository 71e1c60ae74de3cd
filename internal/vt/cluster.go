package vt

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// Grapheme clusters on the screen follow mode 2027
// (https://github.com/contour-terminal/terminal-unicode-core): characters that belong together by
// UAX #29 share a cell, and have the width of the first of them, or width 2 if it is displayed as
// an emoji.

const (
	joiner        = 0x200d // ZERO WIDTH JOINER
	emojiStyle    = 0xfe0f // VARIATION SELECTOR-16
	regionalFirst = 0x1f1e6
	regionalLast  = 0x1f1ff
	modifierFirst = 0x1f3fb // skin tones
	modifierLast  = 0x1f3ff
)

func isModifier(r rune) bool { return r >= modifierFirst && r <= modifierLast }

// print prints one non-ASCII character.
func (s *Screen) print(r rune) {
	width := Width(r)
	switch {
	case !s.modes.Clusters && r >= regionalFirst && r <= regionalLast:
		width = 1 // as in wcwidth: a flag has the width of two of them
	case !s.modes.Clusters || s.lastWidth == 0 || s.b.x == 0 || width == 0 && r != emojiStyle:
	case s.extend(r, width):
		return
	}
	s.put(r, width)
}

// extend adds r to the cluster before the cursor if it belongs there, and widens the cluster if r
// makes it an emoji.
func (s *Screen) extend(r rune, width int) bool {
	b := s.b
	x := b.x - 1
	if c := b.line().at(x); c.width == 0 && c.ch == 0 && x > 0 {
		x--
	}
	c := b.line().at(x)
	if width > 0 && c.ch&cluster == 0 && !mayExtend(r, false) { // most characters
		return false
	}
	narrow := c.width == 1
	switch {
	case narrow && b.x == b.cols && !s.modes.Wrap: // no room for an emoji
		return false
	case int(c.width) != s.lastWidth: // the last printed character did not fit
		return false
	}
	text := s.clusters.append(s.scratch[:0], c)
	s.scratch = text
	switch {
	case width == 0:
		if !narrow || !hasEmojiStyle(text) {
			return false
		}
	case !extends(text, r):
		return false
	}
	if c = s.clusters.join(c, r); narrow && (r == emojiStyle || isModifier(r)) {
		s.widen(x, c)
	} else {
		*b.line().cell(x) = c
	}
	return true
}

// widen replaces the narrow character in column x, before the cursor, by the wide character c. If
// that does not fit, c begins the next row.
func (s *Screen) widen(x int, c gridCell) {
	b := s.b
	r := b.line()
	b.x = x
	switch fits := x+2 <= b.cols; {
	case !fits:
		r.erase(x, b.cols, b.cols, s.eraser(), false)
		if r = s.wrap(); s.modes.Insert {
			r.insert(0, 2, b.cols, s.eraser())
		}
	case s.modes.Insert:
		r.insert(x+1, 1, b.cols, s.eraser())
	}
	cells := r.write(b.x, 2)
	c.width = 2
	cells[0] = c
	c.ch, c.width = 0, 0
	cells[1] = c
	if b.x += 2; b.x < b.cols {
		r.orphan(b.x, s.eraser())
	}
	s.lastWidth = 2
}

// extends reports whether r, which is not a combining character, belongs to the cluster text.
func extends(text []byte, r rune) bool {
	switch {
	case !mayExtend(r, endsInJoiner(text)):
		return false
	case isModifier(r) && !isPictograph(text):
		return false // it is displayed separately after a character that is not an emoji
	}
	return isCluster(utf8.AppendRune(text, r))
}

// mayExtend reports what r alone shows about its cluster: few characters with a width extend a
// cluster. Halfwidth sound marks (U+FF9E, U+FF9F) and tone marks of Hangul (U+302E, U+302F) do by
// UAX #29, but have columns of their own on every terminal.
func mayExtend(r rune, joined bool) bool {
	switch {
	case joined, isModifier(r), r >= regionalFirst && r <= regionalLast:
		return true
	case r >= 0x897 && r < 0x1d00: // scripts of India and its neighbors, leading Jamo
		return true
	case r >= 0xa800 && r <= 0xd7a3: // more of these scripts, and syllables of Hangul
		return true
	}
	return r >= 0x10a00 && r < 0x1f000
}

func endsInJoiner(text []byte) bool { return bytes.HasSuffix(text, []byte("\u200d")) }

// isCluster reports whether text is one grapheme cluster.
func isCluster(text []byte) bool {
	g := displaywidth.BytesGraphemes(text)
	return g.Next() && len(g.Value()) == len(text)
}

// isPictograph reports whether text begins with an Extended_Pictographic character: only such a
// character can be joined to another one.
func isPictograph(text []byte) bool {
	_, n := utf8.DecodeRune(text)
	return n > 1 && isCluster(append(slices.Clone(text[:n]), "\u200d❤"...))
}

// hasEmojiStyle reports whether text with a VARIATION SELECTOR-16 is an emoji
// (emoji-variation-sequences.txt).
func hasEmojiStyle(text []byte) bool {
	if len(text) == 1 {
		c := text[0]
		return c >= '0' && c <= '9' || c == '#' || c == '*'
	}
	_, n := utf8.DecodeRune(text)
	return n == len(text) && isPictograph(text)
}

// clusterWidth returns the width in columns of text that is printed as one cell. As in extend, a
// VARIATION SELECTOR-16 widens only the character that it follows directly, and only the first.
func clusterWidth(text []byte) int {
	r, n := utf8.DecodeRune(text)
	width, rest := Width(r), text[n:]
	second, _ := utf8.DecodeRune(rest)
	if width == 1 && (second == emojiStyle && hasEmojiStyle(text[:n]) || bytes.ContainsFunc(rest, isModifier)) {
		return 2
	}
	return width
}

package vt

import (
	"unicode/utf8"
)

// decoder collects the bytes of a character. Invalid UTF-8 is ignored.
type decoder struct {
	b [utf8.UTFMax]byte
	n int
}

// text prints characters and handles the controls between them. b may begin and end within a
// character.
func (s *Screen) text(b []byte) {
	for i := 0; i < len(b); {
		c := b[i]
		if n := printableLen(b[i:]); n > 0 {
			s.decoder.n = 0
			s.ascii(b[i : i+n])
			i += n
			continue
		}
		if c < utf8.RuneSelf {
			s.decoder.n = 0
			s.control(c)
		} else if r, ok := s.decode(c); ok {
			s.print(r)
		}
		i++
	}
}

// decode handles a non-ASCII byte and returns the character that it completes.
func (s *Screen) decode(c byte) (rune, bool) {
	d := &s.decoder
	if c&0xc0 != 0x80 {
		d.n = 0
	} else if d.n == 0 {
		return 0, false
	}
	d.b[d.n] = c
	d.n++
	if n := charLen(d.b[0]); n == 0 {
		d.n = 0
	} else if d.n == n {
		d.n = 0
		r, size := utf8.DecodeRune(d.b[:n])
		return r, size == n && r != byteOrderMark
	}
	return 0, false
}

// ascii prints printable ASCII, possibly many lines of it.
func (s *Screen) ascii(p []byte) {
	if set := s.sets.used(); set != nil || s.modes.Insert {
		for _, c := range p {
			s.put(set.mapped(c), 1)
		}
		return
	}
	b := s.b
	r := b.line()
	r.unpair(b.x, s.eraser())
	for len(p) > 0 {
		if b.x >= b.cols {
			if s.modes.Wrap {
				r = s.wrap()
			} else {
				b.x = b.cols - 1
				r.unpair(b.x, s.eraser())
				p = p[len(p)-1:] // each character overwrites the previous one
			}
		}
		n := min(len(p), b.cols-b.x)
		cells := r.write(b.x, n)
		c := s.pen
		for i := range cells {
			c.ch = uint32(p[i])
			cells[i] = c
		}
		b.x += n
		p = p[n:]
	}
	if b.x < b.cols {
		r.orphan(b.x, s.eraser())
	}
	s.lastWidth = 1
}

func (set *charset) mapped(c byte) rune {
	if set != nil && set[c-' '] != 0 {
		return set[c-' ']
	}
	return rune(c)
}

// put prints one character with the given width in columns.
func (s *Screen) put(ch rune, width int) {
	b := s.b
	r := b.line()
	r.unpair(b.x, s.eraser())
	if width == 0 && s.lastWidth > 0 && b.x > 0 {
		s.combine(r, ch)
		return
	}
	if b.x+width > b.cols {
		if s.modes.Wrap {
			r.erase(b.x, b.cols, b.cols, s.eraser(), false)
			r = s.wrap()
		} else {
			half := b.x < b.cols // the left half of a wide character is gone
			b.x = b.cols - 1
			if width == 2 {
				if half {
					r.orphan(b.x, s.eraser())
				}
				s.lastWidth = width
				return
			}
			r.unpair(b.x, s.eraser())
		}
	}
	if b.x == b.cols { // a combining character with nothing to join
		return
	}
	if s.modes.Insert {
		r.insert(b.x, width, b.cols, s.eraser())
	}
	c := s.pen
	c.ch, c.width = uint32(ch), uint8(width)
	cells := r.write(b.x, max(width, 1))
	cells[0] = c
	if width == 2 {
		c.ch, c.width = 0, 0
		cells[1] = c
	}
	b.x += len(cells)
	if b.x < b.cols {
		r.orphan(b.x, s.eraser())
	}
	s.lastWidth = width
}

// combine adds ch to the character before the cursor.
func (s *Screen) combine(r *row, ch rune) {
	x := s.b.x - 1
	if c := r.at(x); c.width == 0 && c.ch == 0 && x > 0 {
		x--
	}
	c := r.cell(x)
	if c.ch == 0 || c.width == 0 { // the previous character did not fit, and another one is there
		return
	}
	*c = s.clusters.join(*c, ch)
}

// wrap begins a new line because the cursor's line is full.
func (s *Screen) wrap() *row {
	b := s.b
	b.x = 0
	b.y++
	if b.y == b.bottom+1 {
		b.y--
		b.scroll(s.eraser(), true)
	} else {
		b.y = min(b.y, b.lines-1)
		b.line().wrapped = true
	}
	return b.line()
}

// repeat is REP (CSI b): it prints the last character n more times, limited to a full screen and
// the rest of a line.
func (s *Screen) repeat(n int) {
	b := s.b
	x := b.x - s.lastWidth
	if s.lastWidth == 0 || x < 0 {
		return
	}
	c := b.line().at(x)
	if set := s.sets.used(); set != nil && c.ch >= ' ' && c.ch < del {
		c.ch = uint32(set.mapped(byte(c.ch)))
	}
	if cells := b.cols * b.lines; n > cells {
		n %= b.cols
		if c.fg, c.bg, c.attr = s.pen.fg, s.pen.bg, s.pen.attr; !b.fullOf(c) {
			n += cells
		}
	}
	if c.width == 1 && c.ch != 0 && c.ch&cluster == 0 && !s.modes.Insert && s.modes.Wrap {
		s.fillWith(c.ch, n)
		return
	}
	text := s.clusters.append(nil, c)
	for range n {
		for _, r := range string(text) {
			s.print(r)
		}
	}
}

// fillWith writes a narrow character n times; whole lines of it cost nothing.
func (s *Screen) fillWith(ch uint32, n int) {
	b := s.b
	c := s.pen
	c.ch = ch
	r := b.line()
	r.unpair(b.x, s.eraser())
	for n > 0 {
		if b.x >= b.cols {
			r = s.wrap()
		}
		k := min(n, b.cols-b.x)
		if k == b.cols {
			r.cells, r.fill = r.cells[:0], c
		} else {
			cells := r.write(b.x, k)
			for i := range cells {
				cells[i] = c
			}
		}
		b.x += k
		n -= k
	}
	if b.x < b.cols {
		r.orphan(b.x, s.eraser())
	}
}

// fullOf reports whether the lines between the margins contain only c, up to the cursor in the last
// of them: then printing more of it only moves the cursor.
func (b *buffer) fullOf(c gridCell) bool {
	if b.y != b.bottom || !b.line().starts(c, b.x) {
		return false
	}
	for y := b.top; y < b.bottom; y++ {
		r := b.row(y)
		if !r.starts(c, b.cols) {
			return false
		}
		r.cells, r.fill = r.cells[:0], c // so that the next check costs less
	}
	return true
}

// starts reports whether the first n columns equal c.
func (r *row) starts(c gridCell, n int) bool {
	for x := range min(n, len(r.cells)) {
		if r.cells[x] != c {
			return false
		}
	}
	return n <= len(r.cells) || r.fill == c
}

package vt

import (
	"bytes"
	"fmt"
	"strconv"
)

// AppendANSI appends sequences that paint the screen, with its history, cursor, modes and title, on
// an empty terminal of the same size. Two states cannot be expressed in such sequences: a cursor
// after the last column whose character was erased, and lines of the main screen's history that
// exceed the other terminal's limit.
func (s *Screen) AppendANSI(out []byte) []byte {
	p := painter{s: s, out: out, pen: blank(defaultColor)}
	p.screen(s.History())
	return p.out
}

// screen paints the screen, preceded by the given number of lines of its history.
func (p *painter) screen(history int) {
	s := p.s
	p.buffer(s.main, s.above(history))
	if s.b == s.alt {
		p.style(blank(defaultColor))
		p.write("\x1b[?1047h")
		p.buffer(s.alt, nil)
	}
	p.state()
}

// painter writes sequences; pen and sets are the current state of the other terminal.
type painter struct {
	s    *Screen
	out  []byte
	pen  gridCell
	sets charsets

	codePoints bool // the other terminal has mode 2027 reset
	joined     bool // the character just written ends in a joiner
	text       []byte
}

func (p *painter) write(text string)            { p.out = append(p.out, text...) }
func (p *painter) writef(f string, args ...any) { p.out = fmt.Appendf(p.out, f, args...) }

// buffer paints rows from the top; the rows in above precede them and scroll off.
func (p *painter) buffer(b *buffer, above []*row) {
	p.write("\x1b[H")
	var last gridCell // the last cell of the previous row
	for i := range len(above) + b.lines {
		var r *row
		if i < len(above) {
			r = above[i]
		} else {
			r = b.row(i - len(above))
		}
		wrapped := i > 0 && r.wrapped
		if wrapped {
			p.wrap(last, b.cols)
		} else if i > 0 {
			p.style(blank(defaultColor))
			p.write("\r\n")
		}
		p.row(r, b.cols, wrapped)
		last = shown(r.at(b.cols - 1))
	}
	p.tabs(b.tabs)
	p.savedCursor(b)
}

// wrap begins a row as the continuation of the previous one, by writing past its last column. It
// undoes the effect of that character.
func (p *painter) wrap(last gridCell, cols int) {
	none := blank(defaultColor)
	p.style(none)
	if last.ch != 0 || last.width == 0 { // the cursor is after the last column
		p.write(" \r")
		return
	}
	p.writef("\x1b[%dG  ", cols)
	p.style(last)
	p.writef("\x1b[A\x1b[%dG\x1b[X\x1b[B\r", cols)
	p.style(none)
}

// row paints r from its first column, where a wrapped row has a written blank.
func (p *painter) row(r *row, cols int, wrapped bool) {
	for x := 0; x < cols; {
		c := shown(r.at(x))
		if c.ch != 0 {
			p.char(c)
			x += int(max(c.width, 1))
			p.placeCursor(c, x, cols)
			continue
		}
		n := 1
		for x+n < cols && shown(r.at(x+n)) == c {
			n++
		}
		if c != blank(defaultColor) || x == 0 && wrapped {
			p.style(c)
			p.writef("\x1b[%dX", n)
		}
		if x += n; x < cols {
			p.writef("\x1b[%dC", n)
		}
	}
}

// shown returns c without its invisible attributes.
func shown(c gridCell) gridCell {
	c.attr &^= tabbed
	return c
}

// style sets the pen to that of c.
func (p *painter) style(c gridCell) {
	c.ch, c.width = 0, 1
	if c == p.pen {
		return
	}
	if (c.attr^p.pen.attr)&protected != 0 {
		p.writef("\x1b[%d\"q", number(1, c.attr&protected != 0))
	}
	p.out = appendSGR(p.out, c)
	p.pen = c
}

// appendSGR appends the sequence that sets the whole pen.
func appendSGR(out []byte, c gridCell) []byte {
	out = append(out, "\x1b[0"...)
	for n, a := range sgrOn {
		if c.attr&a != 0 {
			out = strconv.AppendInt(append(out, ';'), int64(n), 10)
		}
	}
	if u := c.attr & UnderlineMask >> underlineShift; u != 0 {
		out = fmt.Appendf(out, ";4:%d", u)
	}
	out = appendColor(out, c.fg, 30)
	out = appendColor(out, c.bg, 40)
	return append(out, 'm')
}

func appendColor(out []byte, c Color, base int) []byte {
	switch v := int(c &^ colorKind); c & colorKind {
	case palette:
		switch {
		case v < 8:
			return fmt.Appendf(out, ";%d", base+v)
		case v < 16:
			return fmt.Appendf(out, ";%d", base+60+v-8)
		}
		return fmt.Appendf(out, ";%d;5;%d", base+8, v)
	case rgb:
		return fmt.Appendf(out, ";%d;2;%d;%d;%d", base+8, v>>16, v>>8&0xff, v&0xff)
	}
	return out
}

func (p *painter) savedCursor(b *buffer) {
	y := min(max(b.saved.y-b.base(), 0), b.lines-1)
	p.writef("\x1b[%d;%dH", y+1, min(b.saved.x, b.cols-1)+1)
	p.charsets(b.saved.sets)
	p.style(b.saved.pen)
	p.write("\x1b7")
	p.charsets(charsets{})
}

// charset designates set as one of G0 to G3.
func (p *painter) charset(g byte, set *charset) {
	final := byte('B')
	switch set {
	case graphics:
		final = '0'
	case british:
		final = 'A'
	}
	p.out = append(p.out, '\x1b', g, final)
}

// state writes the terminal's state other than its cells.
func (p *painter) state() {
	s, b, m := p.s, p.s.b, p.s.modes
	if b.top > 0 || b.bottom < b.lines-1 {
		p.writef("\x1b[%d;%dr", b.top+1, b.bottom+1)
	}
	if s.title != "" {
		p.writef("\x1b]2;%s\x1b\\", s.title)
	}
	p.cursor()
	p.style(s.pen)
	p.charsets(s.sets)
	for _, f := range s.keyboard {
		p.writef("\x1b[=%du\x1b[>0u", f)
	}
	p.widths(true)
	p.out = m.append(p.out)
	if m.Origin {
		p.writef("\x1b[%d;%dH", max(b.y-b.top, 0)+1, min(b.x, b.cols-1)+1)
	}
}

func (p *painter) tabs(tabs []bool) {
	for x, set := range tabs {
		if set != (x%tabWidth == 0) {
			p.writef("\x1b[%dG\x1b[g", x+1)
			if set {
				p.write("\x1bH")
			}
		}
	}
}

// cursor moves the cursor to its position; after the last column, by writing the character there
// again.
func (p *painter) cursor() {
	b := p.s.b
	r := b.line()
	x := b.x
	if x < b.cols {
		p.writef("\x1b[%d;%dH", b.y+1, x+1)
		return
	}
	x--
	if r.at(x).width == 0 {
		x--
	}
	c := r.at(x)
	p.writef("\x1b[%d;%dH", b.y+1, x+1)
	if c.ch != 0 {
		p.char(c)
	}
}

func (p *painter) charsets(c charsets) {
	for i, set := range c.g {
		if set != p.sets.g[i] {
			p.charset("()*+"[i], set)
		}
	}
	if c.level != p.sets.level {
		p.write([...]string{"\x0f", "\x0e", "\x1bn", "\x1bo"}[c.level])
	}
	p.sets = c
}

// append appends the sequences that set the modes that differ from their initial values.
func (m Modes) append(out []byte) []byte {
	var b bytes.Buffer
	for _, mode := range []struct {
		set  bool
		text string
	}{
		{m.Insert, "\x1b[4h"},
		{m.NewLine, "\x1b[20h"},
		{m.AppCursor, "\x1b[?1h"},
		{m.AppKeypad, "\x1b="},
		{m.Origin, "\x1b[?6h"},
		{!m.Wrap, "\x1b[?7l"},
		{m.ReverseWrap, "\x1b[?45h"},
		{m.CursorHidden, "\x1b[?25l"},
		{m.BracketedPaste, "\x1b[?2004h"},
		{m.Focus, "\x1b[?1004h"},
		{m.Synchronized, "\x1b[?2026h"},
		{!m.Clusters, clusterMode(false)},
		{m.Mouse != 0, "\x1b[?" + strconv.Itoa(m.Mouse) + "h"},
		{m.MouseEncoding != 0, "\x1b[?" + strconv.Itoa(m.MouseEncoding) + "h"},
		{m.CursorStyle != 0, "\x1b[" + strconv.Itoa(m.CursorStyle) + " q"},
		{m.Keyboard != 0, "\x1b[=" + strconv.Itoa(m.Keyboard) + "u"},
	} {
		if mode.set {
			b.WriteString(mode.text)
		}
	}
	return append(out, b.Bytes()...)
}

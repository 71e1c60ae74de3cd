package vt

// Unset restores a terminal's state that a program may have changed: modes, margins, keyboard,
// colors and the alternate screen. It keeps the cursor and the content of the main screen.
const Unset = "\x1b[<99u\x1b7\x1b[?1049l\x1b[<99u" + // the kitty keyboard protocol has a stack for each screen
	unsetHere

// unsetHere is Unset except for the switch to the main screen.
const unsetHere = "\x1b7\x1b[?6l\x1b[r\x1b8" + // these two move the cursor
	"\x1b[0m\x1b[0\"q\x1b(B\x1b)B\x1b*B\x1b+B\x0f\x1b[4l\x1b[20l\x1b[?1l\x1b>\x1b[?7h\x1b[?45l\x1b[?5W" +
	"\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l" +
	"\x1b[?1004l\x1b[?2004l\x1b[?25h\x1b[0 q"

// A terminal displays everything between BeginFrame and EndFrame at once (DECSET 2026).
const (
	BeginFrame = "\x1b[?2026h"
	EndFrame   = "\x1b[?2026l"
)

// AppendAnew appends sequences that repaint the screen on a terminal of its size, whatever that
// terminal displayed and its program set. The caller continues with AppendPending and the stream.
// tail is the number of history lines that scroll off the other terminal first.
func (s *Screen) AppendAnew(out []byte, tail int) []byte {
	p := painter{s: s, out: append(out, Unset+EndFrame+"\x1b[?2027h\x1b[2J"...), pen: blank(defaultColor)}
	p.screen(tail)
	return p.out
}

// AppendView appends sequences that display the screen on a terminal of another size: as much as
// fits, including the cursor. tail has the meaning it has in AppendAnew.
func (s *Screen) AppendView(out []byte, cols, rows, tail int) []byte {
	p := painter{s: s, out: append(out, BeginFrame...), pen: blank(defaultColor)}
	b := s.b
	if tail > 0 || !s.Alternate() {
		p.write(Unset)
	}
	if above := s.above(tail); tail > 0 {
		p.write("\x1b[2J\x1b[H")
		for _, r := range above {
			p.part(r, 0, cols)
			p.write("\r\n")
		}
		if len(above) > 0 {
			for range rows - 1 {
				p.write("\n")
			}
		}
	}
	if s.Alternate() { // the content of the other terminal's main screen stays
		p.write("\x1b[<99u\x1b[?1049h\x1b[<99u" + unsetHere)
	}
	p.write(clusterMode(true))
	left, top := part(b.x, b.cols, cols), part(b.y, b.lines, rows)
	for y := range rows {
		p.writef("\x1b[%d;1H", y+1)
		var r row
		if top+y < b.lines {
			r = *b.row(top + y)
		}
		p.part(&r, left, cols)
	}
	if s.title != "" {
		p.writef("\x1b]2;%s\x1b\\", s.title)
	}
	p.writef("\x1b[%d;%dH", b.y-top+1, min(b.x-left, cols-1)+1)
	p.widths(true)
	m := s.modes
	m.Insert, m.NewLine, m.Origin, m.Wrap, m.ReverseWrap, m.Synchronized = false, false, false, true, false, false
	if left+top > 0 {
		m.Mouse = 0 // its coordinates would be wrong
	}
	p.out = m.append(p.out)
	p.write(EndFrame)
	return p.out
}

// AppendBeside appends sequences that display lines to the right of a screen of this size, one next
// to each row, and others below it. The cursor does not move. The lines may contain colors and no
// other sequences.
func (s *Screen) AppendBeside(out []byte, right, below []string) []byte {
	p := painter{s: s, out: append(out, BeginFrame+"\x1b7\x1b[m"...)}
	for y, line := range right {
		p.writef("\x1b[%d;%dH%s\x1b[K", y+1, s.b.cols+1, line)
	}
	for i, line := range below {
		p.writef("\x1b[%d;1H%s\x1b[K", s.b.lines+1+i, line)
	}
	p.write("\x1b8" + EndFrame)
	return p.out
}

// above returns the end of the history, at most n rows.
func (s *Screen) above(n int) []*row {
	rows := s.main.history.rows
	return rows[max(len(rows)-n, 0):]
}

// part returns the start of the part of the given length that contains the cursor and starts as
// early as possible.
func part(cursor, whole, length int) int {
	return min(max(cursor-length+1, 0), max(whole-length, 0))
}

// part paints columns of a row, starting at left, and clears the columns after them.
func (p *painter) part(r *row, left, cols int) {
	end := min(left+cols, p.s.b.cols)
	for x := left; x < end; {
		c := shown(r.at(x))
		w := int(max(c.width, 1))
		if c.ch == 0 || c.width == 0 && x == left || x+w > end {
			c.ch, c.width, w = ' ', 1, 1
		}
		p.char(c)
		x += w
		p.placeCursor(c, x-left, end-left)
	}
	p.style(blank(defaultColor))
	if end-left < cols {
		p.write("\x1b[K")
	}
}

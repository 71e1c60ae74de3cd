package render

import (
	"unicode/utf8"

	"example.org/ripple/internal/vt"
)

const (
	tabStop = 8
	// maxCluster bounds the text of one cell, in bytes: further combining
	// characters get a cell of their own.
	maxCluster = 256
)

// cellLine is a line that is being overwritten, by columns.
type cellLine struct {
	lead    []byte // what stands before the first column and takes none
	cells   []cell
	col     int
	partial []byte // the beginning of a UTF-8 character
	size    int    // bytes of text written since they were last counted
}

// cell is a column. A character of n columns is a cell with its text followed
// by n-1 without.
type cell struct {
	text  string
	color string
	rest  bool // of the character to the left
}

// ascii is the characters of one byte each, so that a cell's text needs no memory.
var ascii = func() string {
	var b [0x80]byte
	for c := range b {
		b[c] = byte(c)
	}
	return string(b[:])
}()

var blank = cell{text: " "}

// toCells prepares the unfinished line for being overwritten, with the cursor
// at its end.
func (r *Renderer) toCells() {
	r.cut()
	raw := append([]byte(nil), r.buf[r.open:]...)
	r.buf = r.buf[:r.open]
	r.cells, r.spare = r.spare, nil
	if r.cells == nil {
		r.cells = &cellLine{}
	}
	*r.cells = cellLine{lead: r.cells.lead[:0], cells: r.cells.cells[:0], partial: r.cells.partial[:0]}
	r.cr, r.printed = false, true
	r.color.now = r.color.lineStart
	r.again = true
	p := vt.ForText()
	p.Feed(raw, r.apply)
	p.Flush(r.apply)
	r.again = false
	r.cells.flushPartial(r.color.now) // what moves the cursor ends the character
}

// overwrite takes text into the cells, up to a line feed.
func (r *Renderer) overwrite(b []byte) int {
	l := r.cells
	for i, c := range b {
		if len(l.partial) > 0 && (c < 0x80 || c >= 0xc0) {
			l.flushPartial(r.color.now)
		}
		switch {
		case c == '\n':
			r.finishCells()
			r.append(b[i : i+1])
			return i + 1
		case c == '\r':
			l.col = 0
		case c == '\b':
			l.col = max(l.col-1, 0)
		case c == '\t':
			l.tab(r.color.now)
		case c < 0x20 || c == 0x7f:
			l.attach(ascii[c : c+1])
		case c < 0x80:
			l.put(ascii[c:c+1], 1, r.color.now)
		default:
			l.utf8(c, r.color.now)
		}
		if r.bound() {
			return i + 1
		}
	}
	return len(b)
}

// bound cuts an overlong line, at its end if the cursor gets there in time. It
// counts the text afresh now and then, because what was overwritten is gone.
func (r *Renderer) bound() bool {
	l := r.cells
	if l.size < maxLine {
		return false
	}
	actual := 0
	for _, c := range l.cells {
		actual += len(c.text)
	}
	if l.size = actual; actual < maxLine {
		return false
	}
	if l.col < len(l.cells) && actual < 4*maxLine {
		l.size = 0
		return false
	}
	r.finishCells()
	r.open = len(r.buf)
	r.color.lineStart = r.color.now
	return true
}

// finishCells makes the line text again.
func (r *Renderer) finishCells() {
	if r.cells == nil {
		return
	}
	r.cells.flushPartial(r.color.now)
	r.buf = r.cells.render(r.buf, r.color)
	r.spare, r.cells = r.cells, nil
}

func (l *cellLine) utf8(c byte, color string) {
	l.partial = append(l.partial, c)
	if !utf8.FullRune(l.partial) {
		return
	}
	ch, n := utf8.DecodeRune(l.partial)
	if ch == utf8.RuneError && n == 1 {
		l.flushPartial(color)
		return
	}
	text := string(l.partial[:n])
	l.partial = l.partial[:0]
	if w := vt.Width(ch); w > 0 {
		l.put(text, w, color)
	} else {
		l.attach(text)
	}
}

// flushPartial shows bytes that are not UTF-8 as one column each.
func (l *cellLine) flushPartial(color string) {
	for _, c := range l.partial {
		l.put(string([]byte{c}), 1, color)
	}
	l.partial = l.partial[:0]
}

// put writes a character of width columns at the cursor.
func (l *cellLine) put(text string, width int, color string) {
	l.extend(l.col)
	for i := range width {
		at := l.col + i
		if at == len(l.cells) {
			l.cells = append(l.cells, cell{})
		} else {
			l.split(at)
			l.split(at + 1)
		}
		l.cells[at] = cell{rest: true, color: color}
	}
	l.cells[l.col] = cell{text: text, color: color}
	l.col += width
	l.size += len(text)
}

// extend fills the line with blanks up to column n.
func (l *cellLine) extend(n int) {
	for len(l.cells) < n {
		l.cells = append(l.cells, blank)
		l.size++
	}
}

// split makes blanks of a character that reaches across the left edge of
// column at.
func (l *cellLine) split(at int) {
	if at >= len(l.cells) || !l.cells[at].rest {
		return
	}
	first := at
	for first > 0 && l.cells[first].rest {
		first--
	}
	for i := first; i == first || i < len(l.cells) && l.cells[i].rest; i++ {
		l.cells[i] = cell{text: " ", color: l.cells[i].color}
	}
}

// tab moves to the next stop; at the end of the line it stays a tab.
func (l *cellLine) tab(color string) {
	width := tabStop - l.col%tabStop
	if l.col >= len(l.cells) {
		l.put("\t", width, color)
	} else {
		l.col += width
	}
}

// attach adds what takes no column to the character before the cursor.
func (l *cellLine) attach(text string) {
	l.size += len(text)
	at := min(l.col, len(l.cells)) - 1
	for at >= 0 && l.cells[at].rest {
		at--
	}
	switch {
	case at < 0:
		l.lead = append(l.lead, text...)
	case len(l.cells[at].text) >= maxCluster:
		l.put(text, 1, l.cells[at].color)
	default:
		l.cells[at].text += text
	}
}

// render appends the line to out. c is the state of the colors before the
// line and after it.
func (l *cellLine) render(out []byte, c color) []byte {
	out = append(out, l.lead...)
	now := c.lineStart
	for _, cell := range l.cells {
		if cell.rest {
			continue
		}
		out = change(out, now, cell.color)
		now = cell.color
		out = append(out, cell.text...)
	}
	return change(append(out, l.partial...), now, c.now)
}

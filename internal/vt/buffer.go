package vt

// buffer is the main or the alternate screen: rows, cursor, margins and tabs. Rows are a ring, so
// that scrolling the whole screen copies no row.
type buffer struct {
	cols, lines int
	ring        []*row
	head        int // index in ring of the top row
	gen         uint32
	cleared     row // the content of rows that have not been accessed since the last clearing

	x, y        int // the cursor; x is cols when the next character wraps
	top, bottom int // margins, both inside
	tabs        []bool
	saved       savedCursor

	history *history // nil: rows that scroll off are lost
}

type savedCursor struct {
	x, y int // y counts from the oldest line of the history
	pen  gridCell
	sets charsets
}

func newBuffer(cols, lines int, h *history) *buffer {
	b := &buffer{history: h}
	b.reset(cols, lines)
	return b
}

// reset restores the initial state of the buffer.
func (b *buffer) reset(cols, lines int) {
	*b = buffer{cols: cols, lines: lines, bottom: lines - 1, history: b.history, ring: b.ring, gen: b.gen, cleared: b.cleared, tabs: b.tabs[:0]}
	b.saved.pen = blank(defaultColor)
	for len(b.ring) < lines {
		b.ring = append(b.ring, &row{})
	}
	b.ring = b.ring[:lines]
	if b.history != nil {
		b.history.clear()
	}
	b.clear(blank(defaultColor))
	b.setTabs()
}

const tabWidth = 8

// defaultTabs has a stop at every eighth column.
var defaultTabs = func() (tabs [maxCols]bool) {
	for x := 0; x < maxCols; x += tabWidth {
		tabs[x] = true
	}
	return tabs
}()

func (b *buffer) setTabs() {
	if n := len(b.tabs); n < b.cols {
		b.tabs = append(b.tabs, defaultTabs[n:b.cols]...)
	}
}

// row returns line y of the screen.
func (b *buffer) row(y int) *row {
	r := *b.slot(y)
	if r.gen != b.gen {
		r.clear(b.cleared.fill)
		r.cells = append(r.cells, b.cleared.cells...)
		r.gen = b.gen
	}
	return r
}

// untouched reports whether row y has not been accessed since the last clearing.
func (b *buffer) untouched(y int) bool { return (*b.slot(y)).gen != b.gen }

func (b *buffer) slot(y int) **row {
	i := b.head + y
	if i >= len(b.ring) {
		i -= len(b.ring)
	}
	return &b.ring[i]
}

// line returns the cursor's row.
func (b *buffer) line() *row { return b.row(b.y) }

// clear fills every row with fill; each row is cleared when it is accessed next.
func (b *buffer) clear(fill gridCell) {
	b.gen++
	b.cleared.clear(fill)
}

// eachRow calls f with the rows from top to bottom. Rows that have not been accessed since the last
// clearing are equal, so that f is called only once for all of them.
func (b *buffer) eachRow(top, bottom int, f func(*row)) {
	alike := false
	for y := top; y <= bottom; y++ {
		if b.untouched(y) {
			alike = true
		} else {
			f(b.row(y))
		}
	}
	if !alike {
		return
	}
	for y := range b.lines {
		if y < top || y > bottom {
			b.row(y) // must not change
		}
	}
	f(&b.cleared)
}

// base returns the number of lines above the screen.
func (b *buffer) base() int {
	if b.history == nil {
		return 0
	}
	return len(b.history.rows)
}

// scroll moves the rows between the margins up by one; a row that leaves the top of the screen goes
// to the history.
func (b *buffer) scroll(fill gridCell, wrapped bool) {
	var r *row
	if b.top == 0 && b.history != nil {
		r = b.history.push(b.row(0), b.continued(0, wrapped))
		*b.slot(0) = r
	}
	if b.top == 0 && b.bottom == b.lines-1 {
		if b.head++; b.head == len(b.ring) {
			b.head = 0
		}
	} else {
		b.rotate(b.top, b.bottom, 1)
	}
	r = *b.slot(b.bottom)
	r.clear(fill)
	r.wrapped, r.gen = wrapped, b.gen
}

// continued reports whether the row below y continues its line; below is the answer for the row
// that is about to appear at the bottom.
func (b *buffer) continued(y int, below bool) bool {
	if y+1 < b.lines {
		return b.row(y + 1).wrapped
	}
	return below
}

// rotate rotates the rows from top to bottom up by n, or down by -n.
func (b *buffer) rotate(top, bottom, n int) {
	height := bottom - top + 1
	n = (n%height + height) % height
	if n == 0 {
		return
	}
	if b.head+bottom >= len(b.ring) { // make the rows contiguous
		b.ring = append(b.ring[b.head:len(b.ring):len(b.ring)], b.ring[:b.head]...)
		b.head = 0
	}
	rows := b.ring[b.head+top : b.head+bottom+1]
	var few [8]*row
	if n <= height/2 {
		first := append(few[:0], rows[:n]...)
		copy(rows, rows[n:])
		copy(rows[height-n:], first)
		return
	}
	last := append(few[:0], rows[n:]...)
	copy(rows[height-n:], rows)
	copy(rows, last)
}

// up and down move the rows from top to bottom by n; new rows are filled with fill.
func (b *buffer) up(top, bottom, n int, fill gridCell) {
	n = min(n, bottom-top+1)
	b.rotate(top, bottom, n)
	b.blankRows(bottom-n+1, bottom, fill)
}

func (b *buffer) down(top, bottom, n int, fill gridCell) {
	n = min(n, bottom-top+1)
	b.rotate(top, bottom, -n)
	b.blankRows(top, top+n-1, fill)
}

func (b *buffer) blankRows(from, to int, fill gridCell) {
	for y := from; y <= to; y++ {
		b.row(y).clear(fill)
	}
}

// restrict keeps the cursor on the screen, within columns 0 to maxX, and in origin mode between the
// margins.
func (b *buffer) restrict(maxX int, origin bool) {
	b.x = min(max(b.x, 0), maxX)
	if origin {
		b.y = min(max(b.y, b.top), b.bottom)
	} else {
		b.y = min(max(b.y, 0), b.lines-1)
	}
}

// moveTo moves the cursor to a column and line; the line counts from the top margin in origin mode.
func (b *buffer) moveTo(x, y int, origin bool) {
	b.x, b.y = x, y
	if origin {
		b.y += b.top
	}
	b.restrict(b.cols-1, origin)
}

// within reports whether the cursor is between the margins.
func (b *buffer) within() bool { return b.y >= b.top && b.y <= b.bottom }

package vt

// Resize changes the size of the grid; sizes are clamped as in Options. Wrapped lines of the main
// screen and its history are wrapped again, and the cursor stays at its character, or after the
// last one: after the last column if that is at the edge. The alternate screen is cut off or grows,
// since its program repaints it. Margins become the whole screen.
func (s *Screen) Resize(cols, rows int) {
	cols, rows = clampSize(cols, rows)
	if cols == s.main.cols && rows == s.main.lines {
		return
	}
	s.main.reflow(cols, rows)
	s.alt.cut(cols, rows)
	for _, b := range []*buffer{s.main, s.alt} {
		b.top, b.bottom = 0, rows-1
		b.setTabs()
		b.saved.x = min(b.saved.x, cols-1)
	}
}

// cut changes the size of the buffer without wrapping; lines are removed at the bottom as long as
// the cursor is above them, then at the top.
func (b *buffer) cut(cols, lines int) {
	if b.x > cols || b.x == cols && !b.line().fits(cols) {
		b.x = cols - 1
	}
	rows := make([]*row, b.lines)
	for y := range rows {
		rows[y] = b.row(y)
		rows[y].resize(b.cols, cols)
	}
	if over := b.y - (lines - 1); over > 0 {
		rows = rows[over:]
		b.y -= over
	}
	b.take(rows[:min(len(rows), lines)], cols, lines)
}

// fits reports whether the last of cols columns has a whole character.
func (r *row) fits(cols int) bool {
	c := r.at(cols - 1)
	return c.ch != 0 && c.width < 2 || c.width == 0
}

// take makes rows, at most lines of them, the top of the screen.
func (b *buffer) take(rows []*row, cols, lines int) {
	ring := append(make([]*row, 0, lines), rows...)
	for len(ring) < lines {
		r := &row{gen: b.gen}
		r.clear(blank(defaultColor))
		ring = append(ring, r)
	}
	b.ring, b.head, b.cols, b.lines = ring, 0, cols, lines
	b.y = min(b.y, lines-1)
}

// reflow wraps all lines again and divides them into history and screen.
func (b *buffer) reflow(cols, lines int) {
	rows := append([]*row(nil), b.history.rows...)
	at := len(rows) + b.y // row of the cursor
	last := at
	for y := range b.lines {
		r := b.row(y)
		if len(r.cells) > 0 || r.fill != blank(defaultColor) {
			last = max(last, len(b.history.rows)+y)
		}
		rows = append(rows, r)
	}
	rows = rows[:last+1]
	if cols != b.cols {
		w := wrapper{from: b.cols, to: cols, gen: b.gen, cursorRow: at, cursorX: b.x}
		w.wrap(rows)
		rows, at, b.x = w.out, w.row, w.x
	}
	top := max(0, len(rows)-lines)
	b.y = max(at-top, 0)
	history := rows[:top]
	if over := len(history) - b.history.limit; over > 0 {
		history = history[over:]
	}
	b.saved.y = min(b.saved.y, len(history)+lines-1)
	b.history.rows = append([]*row(nil), history...)
	b.take(rows[top:], cols, lines)
}

// wrapper lays out lines of one width in another.
type wrapper struct {
	from, to           int
	gen                uint32
	cursorRow, cursorX int // position in the original rows
	out                []*row
	row, x             int // position of the cursor in out
}

func (w *wrapper) wrap(rows []*row) {
	for i := 0; i < len(rows); {
		end := i + 1
		for end < len(rows) && rows[end].wrapped {
			end++
		}
		w.line(rows[i:end], i)
		i = end
	}
}

// line wraps one line, whose first row has index first.
func (w *wrapper) line(rows []*row, first int) {
	if len(rows) == 1 && rows[0].used(w.from) <= w.to && w.cursorRow != first {
		rows[0].resize(w.from, w.to)
		w.out = append(w.out, rows[0])
		return
	}
	var cells []gridCell
	cursor := -1
	for i, r := range rows {
		n, x := r.used(w.from), w.cursorX
		if i+1 < len(rows) { // the line continues: only a column left free by a wide character is not part of it
			n = w.from
			if next := rows[i+1].at(0); next.width == 2 && r.at(n-1).ch == 0 && r.at(n-1).width == 1 {
				n--
			}
			x = min(x, n)
		}
		if first+i == w.cursorRow {
			cursor = len(cells) + x
		}
		for x := range n {
			cells = append(cells, r.at(x))
		}
	}
	w.place(cells, rows[len(rows)-1].fill, rows[0].wrapped, cursor)
}

// place appends the rows of one line.
func (w *wrapper) place(cells []gridCell, fill gridCell, wrapped bool, cursor int) {
	for from := 0; ; {
		n := min(w.to, len(cells)-from)
		if end := from + n; n == w.to && end < len(cells) && cells[end].width == 0 && cells[end-1].width == 2 {
			n--
		}
		r := &row{cells: append([]gridCell(nil), cells[from:from+n]...), fill: blank(defaultColor), wrapped: wrapped || from > 0, gen: w.gen}
		w.out = append(w.out, r)
		done := from+n >= len(cells)
		if cursor >= from && (cursor < from+n || done) {
			w.row, w.x = len(w.out)-1, min(cursor-from, w.to-1)
			if cursor == from+w.to && n == w.to {
				w.x = w.to // the next printed character begins a row
			}
		}
		if done {
			if fill.ch == 0 {
				r.fill = fill
			}
			return
		}
		from += n
	}
}

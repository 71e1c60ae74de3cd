package vt

// Resize changes the grid; sizes are clamped as in Options. Lines of the main
// screen and its history that wrapped are wrapped anew, and the cursor stays at
// its character. The alternate screen is cut off or grows: its program paints
// it again. Margins become the whole screen.
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

// cut gives the buffer another size without wrapping; lines leave at the bottom
// as long as the cursor is above them, then at the top.
func (b *buffer) cut(cols, lines int) {
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

// take makes rows, at most lines, the top of the screen.
func (b *buffer) take(rows []*row, cols, lines int) {
	ring := append(make([]*row, 0, lines), rows...)
	for len(ring) < lines {
		r := &row{gen: b.gen}
		r.clear(blank(DefaultColour))
		ring = append(ring, r)
	}
	b.ring, b.head, b.cols, b.lines = ring, 0, cols, lines
	b.x, b.y = min(b.x, cols-1), min(b.y, lines-1)
}

// reflow wraps all lines anew and divides them into history and screen.
func (b *buffer) reflow(cols, lines int) {
	rows := append([]*row(nil), b.history.rows...)
	at := len(rows) + b.y // of the cursor
	last := at
	for y := range b.lines {
		r := b.row(y)
		if len(r.cells) > 0 || r.fill != blank(DefaultColour) {
			last = max(last, len(b.history.rows)+y)
		}
		rows = append(rows, r)
	}
	rows = rows[:last+1]
	if cols != b.cols {
		w := wrapper{from: b.cols, to: cols, gen: b.gen, cursorRow: at, cursorX: min(b.x, b.cols-1)}
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

// wrapper lays lines of one width out in another.
type wrapper struct {
	from, to           int
	gen                uint32
	cursorRow, cursorX int // in the rows given
	out                []*row
	row, x             int // of the cursor in out
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
	var cells []cell
	cursor := -1
	for i, r := range rows {
		if first+i == w.cursorRow {
			cursor = len(cells) + w.cursorX
		}
		n := r.used(w.from)
		if i+1 < len(rows) { // it goes on: only what a wide character left free is not of the line
			n = w.from
			if next := rows[i+1].at(0); next.width == 2 && r.at(n-1).ch == 0 && r.at(n-1).width == 1 {
				n--
			}
		}
		for x := range n {
			cells = append(cells, r.at(x))
		}
	}
	w.place(cells, rows[len(rows)-1].fill, rows[0].wrapped, cursor)
}

// place appends the rows of one line.
func (w *wrapper) place(cells []cell, fill cell, wrapped bool, cursor int) {
	for from := 0; ; {
		n := min(w.to, len(cells)-from)
		if end := from + n; n == w.to && end < len(cells) && cells[end].width == 0 && cells[end-1].width == 2 {
			n--
		}
		r := &row{cells: append([]cell(nil), cells[from:from+n]...), fill: blank(DefaultColour), wrapped: wrapped || from > 0, gen: w.gen}
		w.out = append(w.out, r)
		done := from+n >= len(cells)
		if cursor >= from && (cursor < from+n || done) {
			w.row, w.x = len(w.out)-1, min(cursor-from, w.to-1)
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

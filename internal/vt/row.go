package vt

// row is one line of the grid. cells holds the written columns; the columns from there to the right
// edge equal fill, so that clearing a row costs nothing.
type row struct {
	cells   []gridCell
	fill    gridCell
	wrapped bool   // it continues the row above
	gen     uint32 // generation of the buffer's clearing that it has seen
}

func (r *row) clear(fill gridCell) {
	r.cells, r.fill, r.wrapped = r.cells[:0], fill, false
}

// at returns the cell of column x.
func (r *row) at(x int) gridCell {
	if x < len(r.cells) {
		return r.cells[x]
	}
	return r.fill
}

// cell returns the cell of column x for modification.
func (r *row) cell(x int) *gridCell {
	r.reach(x + 1)
	return &r.cells[x]
}

// reach gives the first n columns cells of their own.
func (r *row) reach(n int) {
	if n > cap(r.cells) {
		r.grow(n)
	}
	for i := len(r.cells); i < n; i++ {
		r.cells = append(r.cells, r.fill)
	}
}

// write returns columns x to x+n-1, to be filled by the caller.
func (r *row) write(x, n int) []gridCell {
	r.reach(x)
	if end := x + n; end > len(r.cells) {
		if end > cap(r.cells) {
			r.grow(end)
		}
		r.cells = r.cells[:end]
	}
	return r.cells[x : x+n]
}

func (r *row) grow(n int) {
	r.cells = append(make([]gridCell, 0, max(n, 2*cap(r.cells))), r.cells...)
}

// trim removes cells at the end that equal the fill.
func (r *row) trim() {
	n := len(r.cells)
	for n > 0 && r.cells[n-1] == r.fill {
		n--
	}
	r.cells = r.cells[:n]
}

// used returns the column after the last character.
func (r *row) used(cols int) int {
	if r.fill.ch != 0 && len(r.cells) < cols {
		return cols
	}
	for n := len(r.cells); n > 0; n-- {
		if c := r.cells[n-1]; c.ch != 0 {
			return min(n-1+int(c.width), cols) // a single cell of width 0 is visible only before others
		}
	}
	return 0
}

// unpair clears the half of a wide character whose other half is overwritten: the left half at x-1
// if x is its right half.
func (r *row) unpair(x int, fill gridCell) {
	if x > 0 && r.at(x-1).width == 2 {
		fill.ch, fill.width = 0, 1
		*r.cell(x - 1) = fill
	}
}

// orphan clears the right half of a wide character at x whose left half is gone.
func (r *row) orphan(x int, fill gridCell) {
	if c := r.at(x); c.width == 0 && c.ch == 0 {
		fill.ch, fill.width = 0, 1
		*r.cell(x) = fill
	}
}

// erase sets columns from to end-1 of cols to fill. A selective erase leaves protected cells
// unchanged.
func (r *row) erase(from, end, cols int, fill gridCell, selective bool) {
	end = min(end, cols)
	if from >= end || from >= len(r.cells) && r.fill == fill {
		return
	}
	selective = selective && (len(r.cells) > 0 || r.fill.attr&protected != 0)
	if from == 0 || !selective || r.at(from-1).attr&protected == 0 {
		r.unpair(from, fill)
	}
	if end < cols && r.at(end-1).width == 2 && !(selective && r.at(end).attr&protected != 0) {
		*r.cell(end) = fill
	}
	switch {
	case selective:
		for x := from; x < end; x++ {
			if r.at(x).attr&protected == 0 {
				*r.cell(x) = fill
			}
		}
	case end == cols:
		r.reach(from)
		r.cells, r.fill = r.cells[:from], fill
		r.trim()
	default:
		r.reach(end)
		for x := from; x < end; x++ {
			r.cells[x] = fill
		}
	}
}

// insert inserts n columns of fill at x; columns pushed past the edge are lost.
func (r *row) insert(x, n, cols int, fill gridCell) {
	r.unpair(x, fill)
	if x >= len(r.cells) && r.fill == fill {
		return
	}
	n = min(n, cols-x)
	r.reach(x)
	r.reach(min(len(r.cells)+n, cols))
	copy(r.cells[x+n:], r.cells[x:])
	for i := x; i < x+n; i++ {
		r.cells[i] = fill
	}
	r.unpair(cols, fill)
	if len(r.cells) == cols {
		r.refill()
	}
}

// remove removes n columns at x; columns of fill appear at the edge.
func (r *row) remove(x, n, cols int, fill gridCell) {
	n = min(n, cols-x)
	switch {
	case r.fill == fill:
		if end := len(r.cells); x < end {
			r.cells = r.cells[:x+copy(r.cells[x:], r.cells[min(x+n, end):])]
		}
	default:
		r.reach(cols)
		copy(r.cells[x:cols-n], r.cells[x+n:cols])
		for i := cols - n; i < cols; i++ {
			r.cells[i] = fill
		}
		r.refill()
	}
	r.unpair(x, fill)
	r.orphan(x, fill)
}

// refill makes the last cell of a row that reaches the edge its fill if that cell is not written.
func (r *row) refill() {
	if last := r.cells[len(r.cells)-1]; last.ch == 0 && last.width == 1 {
		r.fill = last
		r.trim()
	}
}

// resize cuts the row off at column to, or extends it with blank columns.
func (r *row) resize(from, to int) {
	if to < from {
		r.cells = r.cells[:min(len(r.cells), to)]
		r.unpair(to, blank(defaultColor))
	} else if r.fill != blank(defaultColor) {
		r.reach(from)
		r.fill = blank(defaultColor)
	}
}

package render

// edit obeys a sequence that moves or erases within the line; n is its
// parameter, 0 when it has none.
func (r *Renderer) edit(final byte, n int) {
	r.carriage()
	if r.cells == nil {
		if nothingToDo(final, n, r.column()) {
			return
		}
		r.toCells()
	}
	l := r.cells
	count := max(n, 1)
	last := max(r.opt.Cols, len(l.cells)+1) - 1
	switch final {
	case 'C':
		l.col = min(l.col+count, last)
	case 'D':
		l.col = max(l.col-count, 0)
	case 'G', '`':
		l.col = min(count-1, last)
	case 'K', 'J':
		l.erase(n, r.color.now)
	case 'P':
		l.remove(count)
	case '@':
		l.insert(count, r.opt.Cols, r.color.now)
	case 'X':
		l.blank(l.col, min(l.col+count, len(l.cells)), r.color.now)
	}
	r.bound()
}

// nothingToDo spares a line that ends at the cursor: erasing to its right, and
// going to the beginning of an empty one.
func nothingToDo(final byte, n, length int) bool {
	switch final {
	case 'K', 'J':
		return n == 0 || length == 0
	case 'P', 'X':
		return true
	case 'D':
		return length == 0
	case 'G', '`':
		return length == 0 && n <= 1
	}
	return false
}

// erase is EL: 0 from the cursor on, 1 up to and with it, 2 all.
func (l *cellLine) erase(which int, color string) {
	switch which {
	case 0:
		l.split(l.col)
		l.cells = l.cells[:min(l.col, len(l.cells))]
	case 1:
		l.blank(0, min(l.col+1, len(l.cells)), color)
	case 2:
		l.cells = l.cells[:0]
	}
}

func (l *cellLine) blank(from, to int, color string) {
	l.split(from)
	l.split(to)
	for i := from; i < to; i++ {
		l.cells[i] = cell{text: " ", color: color}
	}
}

// remove is DCH: the rest of the line moves left.
func (l *cellLine) remove(n int) {
	if l.col >= len(l.cells) {
		return
	}
	end := min(l.col+n, len(l.cells))
	l.split(l.col)
	l.split(end)
	l.cells = append(l.cells[:l.col], l.cells[end:]...)
}

// insert is ICH: the rest of the line moves right, as far as the terminal is
// wide and the line was long.
func (l *cellLine) insert(n, cols int, color string) {
	if l.col >= len(l.cells) {
		return
	}
	width := max(len(l.cells), cols)
	n = min(n, width-l.col)
	l.split(l.col)
	end := len(l.cells)
	for range n {
		l.cells = append(l.cells, blank)
	}
	copy(l.cells[l.col+n:], l.cells[l.col:end])
	for i := range n {
		l.cells[l.col+i] = cell{text: " ", color: color}
	}
	if len(l.cells) > width {
		l.split(width)
		l.cells = l.cells[:width]
	}
	l.size += n
}

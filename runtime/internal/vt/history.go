package vt

// history is the lines above the screen, oldest first, at most limit.
type history struct {
	limit int
	rows  []*row                       // a slice of a larger array, whose front is given up now and then
	gone  func(r *row, continued bool) // told of each row that leaves the screen
}

// push takes a row, which the next one may continue, and returns one to be used
// in its place.
func (h *history) push(r *row, continued bool) *row {
	if h.gone != nil {
		h.gone(r, continued)
	}
	if h.limit == 0 {
		return r
	}
	var free *row
	if len(h.rows) >= h.limit {
		free = h.rows[0]
		h.rows[0] = nil
		h.rows = h.rows[1:]
	} else {
		free = &row{}
	}
	h.rows = append(h.rows, r)
	return free
}

func (h *history) clear() {
	clear(h.rows)
	h.rows = h.rows[:0]
}

package vt

// history holds the lines above the screen, oldest first, at most limit.
type history struct {
	limit       int
	rows        []*row                       // a slice of a larger array, whose front is freed occasionally
	scrolledOff func(r *row, continued bool) // called for each row that leaves the screen
}

// push adds a row, which the next one may continue, and returns a row that replaces it on the
// screen.
func (h *history) push(r *row, continued bool) *row {
	if h.scrolledOff != nil {
		h.scrolledOff(r, continued)
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

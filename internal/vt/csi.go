package vt

// csi handles a control sequence.
func (s *Screen) csi(t *Token) {
	p := t.Params
	switch {
	case t.Prefix == 0 && t.Inter[0] == 0:
		s.plainCSI(t.Final, p)
	case t.Prefix == '?' && t.Inter[0] == 0:
		s.privateCSI(t.Final, p)
	case t.Inter[0] == 0 && t.Final == 'u':
		s.keyboardFlags(t.Prefix, p)
	case t.Prefix == 0 && t.Inter[1] == 0:
		s.intermediateCSI(t.Inter[0], t.Final, p)
	}
}

func (s *Screen) privateCSI(final byte, p *Params) {
	switch final {
	case 'J':
		s.eraseDisplay(p.Get(0), true)
	case 'K':
		s.eraseLine(p.Get(0), true)
	case 'h', 'l':
		for i := range p.Len() {
			s.setPrivate(p.Get(i), final == 'h')
		}
	}
}

func (s *Screen) intermediateCSI(inter, final byte, p *Params) {
	switch b := s.b; string([]byte{inter, final}) {
	case " @":
		s.shiftColumns(0, p.Count(0), (*row).remove)
	case " A":
		s.shiftColumns(0, p.Count(0), (*row).insert)
	case "'}":
		s.shiftColumns(min(b.x, b.cols-1), p.Count(0), (*row).insert)
	case "'~":
		s.shiftColumns(min(b.x, b.cols-1), p.Count(0), (*row).remove)
	case "!p":
		s.softReset()
	case " q":
		s.modes.CursorStyle = min(p.Get(0), 6)
	case "\"q": // DECSCA
		if p.Get(0) == 1 {
			s.pen.attr |= protected
		} else if p.Get(0) == 0 || p.Get(0) == 2 {
			s.pen.attr &^= protected
		}
	}
}

func (s *Screen) plainCSI(final byte, p *Params) {
	if final >= 'A' && final <= 'I' || final == 'Z' || final >= '`' && final <= 'f' {
		s.move(final, p)
		return
	}
	b := s.b
	n := p.Count(0)
	switch final {
	case '@', 'P', 'X', 'L', 'M':
		b.restrict(b.cols-1, s.modes.Origin)
		s.edit(final, n)
	case 'J':
		s.eraseDisplay(p.Get(0), false)
	case 'K':
		s.eraseLine(p.Get(0), false)
	case 'S':
		s.scrollUp(n)
	case 'T':
		b.down(b.top, b.bottom, n, blank(defaultColor))
	case 'g':
		s.clearTabs(p.Get(0))
	case 'h', 'l':
		for i := range p.Len() {
			s.setMode(p.Get(i), final == 'h')
		}
	case 'm':
		s.pen.sgr(p)
	case 'r':
		s.setMargins(p)
	case 's':
		s.save()
	case 'u':
		s.restore()
	case 't':
		s.window(p)
	}
}

// move handles all sequences that move the cursor.
func (s *Screen) move(final byte, p *Params) {
	b := s.b
	n := p.Count(0)
	switch final {
	case 'H', 'f':
		b.moveTo(p.Count(1)-1, n-1, s.modes.Origin)
		return
	case 'd':
		b.moveTo(b.x, n-1, s.modes.Origin)
		return
	case 'I', 'Z':
		s.tab(n, final == 'I')
		return
	case 'b':
		s.repeat(n)
		return
	case 'c':
		return
	}
	above, below := b.y >= b.top, b.y <= b.bottom // relative to the margins that stop the cursor
	b.restrict(b.cols-1, s.modes.Origin)
	n = min(n, maxCols+maxLines)
	switch final {
	case 'A', 'F':
		b.y -= n
		if above {
			b.y = max(b.y, b.top)
		}
	case 'B', 'E':
		b.y += n
		if below {
			b.y = min(b.y, b.bottom)
		}
	case 'C', 'a':
		b.x += n
	case 'D':
		b.x -= n
	case 'G', '`':
		b.x = n - 1
	case 'e':
		b.y += n
	}
	if final == 'E' || final == 'F' {
		b.x = 0
	}
	b.restrict(b.cols-1, s.modes.Origin)
}

// tab moves n tab stops forward or back.
func (s *Screen) tab(n int, forward bool) {
	b := s.b
	if b.x >= b.cols {
		return
	}
	for range min(n, b.cols) {
		if forward {
			b.x = b.nextTab(b.x)
		} else {
			b.x = b.prevTab(b.x)
		}
	}
}

func (s *Screen) clearTabs(mode int) {
	b := s.b
	if mode == 3 {
		clear(b.tabs)
	} else if mode == 0 && b.x < b.cols {
		b.tabs[b.x] = false
	}
}

// edit inserts, deletes or erases characters or lines at the cursor.
func (s *Screen) edit(final byte, n int) {
	b, fill := s.b, s.eraser()
	r := b.line()
	switch final {
	case '@':
		r.insert(b.x, n, b.cols, fill)
		return
	case 'P':
		r.remove(b.x, n, b.cols, fill)
		return
	case 'X':
		r.erase(b.x, b.x+min(n, b.cols), b.cols, fill, false)
		return
	}
	if !b.within() {
		return
	}
	if final == 'L' {
		b.down(b.y, b.bottom, n, fill)
	} else {
		b.up(b.y, b.bottom, n, fill)
	}
	b.x = 0
}

// scrollUp is SU. Rows that leave the top of the screen are reported, but not added to the history.
func (s *Screen) scrollUp(n int) {
	b := s.b
	n = min(n, b.bottom-b.top+1)
	if b.top == 0 && b.history != nil && b.history.scrolledOff != nil {
		for y := range n {
			b.history.scrolledOff(b.row(y), b.continued(y, false))
		}
	}
	b.up(b.top, b.bottom, n, s.eraser())
}

// shiftColumns inserts or removes n columns at x in every row between the margins.
func (s *Screen) shiftColumns(x, n int, do func(r *row, x, n, cols int, fill gridCell)) {
	b := s.b
	if !b.within() {
		return
	}
	b.eachRow(b.top, b.bottom, func(r *row) {
		do(r, x, n, b.cols, s.eraser())
		r.wrapped = false
	})
}

func (s *Screen) eraseDisplay(mode int, selective bool) {
	b, fill := s.b, s.eraser()
	b.restrict(b.cols, s.modes.Origin)
	switch mode {
	case 0:
		s.eraseLine(0, selective)
		s.eraseRows(b.y+1, b.lines-1, selective)
	case 1:
		s.eraseLine(1, selective)
		b.line().wrapped = false
		if b.x+1 >= b.cols && b.y+1 < b.lines {
			b.row(b.y + 1).wrapped = false
		}
		s.eraseRows(0, b.y-1, selective)
	case 2:
		if selective {
			s.eraseRows(0, b.lines-1, selective)
		} else {
			b.clear(fill)
		}
	case 3:
		if b.history != nil {
			b.history.clear()
		}
	}
}

func (s *Screen) eraseRows(from, to int, selective bool) {
	b, fill := s.b, s.eraser()
	b.eachRow(from, to, func(r *row) {
		if selective {
			r.erase(0, b.cols, b.cols, fill, true)
			r.wrapped = false
		} else {
			r.clear(fill)
		}
	})
}

func (s *Screen) eraseLine(mode int, selective bool) {
	b, fill := s.b, s.eraser()
	b.restrict(b.cols, s.modes.Origin)
	r := b.line()
	switch mode {
	case 0:
		r.erase(b.x, b.cols, b.cols, fill, selective)
		r.wrapped = r.wrapped && b.x > 0
	case 1:
		r.erase(0, b.x+1, b.cols, fill, selective)
	case 2:
		r.erase(0, b.cols, b.cols, fill, selective)
		r.wrapped = false
	}
}

// setMargins is DECSTBM.
func (s *Screen) setMargins(p *Params) {
	b := s.b
	top, bottom := p.Count(0), p.Get(1)
	if bottom == 0 || bottom > b.lines {
		bottom = b.lines
	}
	if bottom > top {
		b.top, b.bottom = top-1, bottom-1
		b.moveTo(0, 0, s.modes.Origin)
	}
}

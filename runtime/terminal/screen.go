package terminal

import (
	"ripple/runtime/internal/vt"
	"ripple/runtime/pty"
)

// picture is the screen, painted as far as somebody needed it. It is under
// Terminal.mu.
type picture struct {
	out     *ring
	history int  // lines kept above it
	exact   bool // somebody will look: nothing may leave the ring unpainted
	size    pty.Size
	screen  *vt.Screen // nil: nobody has looked yet
	painted int64      // how much of the output it shows
}

// Look calls f with the screen as it is now: text, cells, cursor, title, modes,
// history. While f runs nothing is read from the program; the screen is not
// valid after it.
func (t *Terminal) Look(f func(*vt.Screen)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(t.picture.upToDate())
}

// wanted says whether anybody looks, or will.
func (p *picture) wanted() bool { return p.screen != nil || p.exact }

// makeRoom paints what would leave the ring with the next n bytes, if anybody
// will look.
func (p *picture) makeRoom(n int) {
	if p.wanted() && p.out.end-p.painted+int64(n) > int64(p.out.limit) {
		p.upToDate()
	}
}

// upToDate is the screen with all that was printed.
func (p *picture) upToDate() *vt.Screen { return p.paintTo(p.out.end) }

func (p *picture) paintTo(end int64) *vt.Screen {
	if p.screen == nil {
		p.screen = vt.New(vt.Options{Cols: p.size.Cols, Rows: p.size.Rows, History: p.history})
		p.painted = p.out.firstLine()
	}
	if end > p.painted {
		first, second := p.out.between(p.painted, end)
		p.screen.Write(first)
		p.screen.Write(second)
		p.painted = end
	}
	return p.screen
}

// cursorAt is where the cursor stands at an offset of the output, from 1.
func (p *picture) cursorAt(end int64) (row, col int) {
	if !p.exact {
		return 1, 1
	}
	s := p.paintTo(end)
	cols, _ := s.Size()
	x, y := s.Cursor()
	return y + 1, min(x, cols-1) + 1
}

// resize is for what is printed from now on.
func (p *picture) resize(size pty.Size) {
	p.size = size
	if p.screen != nil {
		p.screen.Resize(size.Cols, size.Rows)
	}
}

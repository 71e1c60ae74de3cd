package terminal

import (
	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/internal/fault"
	"example.org/ripple/runtime/pty"
)

// picture is the screen, painted as far as a reader needed it. It is guarded by Terminal.mu.
type picture struct {
	out     *ring
	history int  // lines kept above the screen
	exact   bool // there will be readers: no byte may leave the ring unpainted
	size    pty.Size
	screen  *vt.Screen // nil: it has not been read
	painted int64      // number of output bytes painted
	fault   func(fault.Fault)
}

// Screen is what a user of the terminal would see, and the state of the terminal: AppendText returns the
// text, and other methods return cells, cursor, title, modes and history.
type Screen = vt.Screen

// WithScreen calls f with the current screen. While f runs nothing is read from the program; the screen
// is not valid after it.
func (t *Terminal) WithScreen(f func(*Screen)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.picture.read(f)
}

// wanted reports whether the screen is read, or will be.
func (p *picture) wanted() bool { return p.screen != nil || p.exact }

// makeRoom paints the bytes that would leave the ring with the next n bytes, if the screen will be
// read.
func (p *picture) makeRoom(n int) {
	if p.wanted() && p.out.end-p.painted+int64(n) > int64(p.out.limit) {
		p.upToDate()
	}
}

// upToDate returns the screen with all output so far.
func (p *picture) upToDate() *vt.Screen { return p.paintTo(p.out.end) }

func (p *picture) paintTo(end int64) *vt.Screen {
	if p.screen == nil {
		p.clear()
		p.painted = p.out.firstLine()
	}
	if end > p.painted {
		first, second := p.out.between(p.painted, end)
		p.paint(first)
		p.paint(second)
		p.painted = end
	}
	return p.screen
}

// clear begins an empty screen.
func (p *picture) clear() {
	p.screen = vt.New(vt.Options{Cols: p.size.Cols, Rows: p.size.Rows, History: p.history})
}

// paint paints output. If that panics, an empty screen takes what follows, and the text of b.
func (p *picture) paint(b []byte) {
	if !p.try("painting the screen", b, func() { p.screen.Write(b) }) {
		p.try("painting text", b, func() { p.screen.Write(plain(b)) })
	}
}

// plain returns the characters and line ends of b: no sequences.
func plain(b []byte) []byte {
	text := make([]byte, 0, len(b))
	for _, c := range b {
		if c >= ' ' && c != 0x7f || c == '\r' || c == '\n' || c == '\t' {
			text = append(text, c)
		}
	}
	return text
}

// read calls f with the screen; again, with an empty one, if that panics.
func (p *picture) read(f func(*vt.Screen)) {
	if !p.try("reading the screen", nil, func() { f(p.upToDate()) }) {
		p.try("reading an empty screen", nil, func() { f(p.screen) })
	}
}

// try calls f. If f panics, the screen is empty afterwards, and try reports false.
func (p *picture) try(doing string, b []byte, f func()) (done bool) {
	caught := fault.Catch(doing, b, f)
	if caught != nil {
		p.clear()
		p.fault(*caught)
	}
	return caught == nil
}

// cursorAt returns the cursor's position at an offset of the output, from 1.
func (p *picture) cursorAt(end int64) (row, col int) {
	if !p.exact {
		return 1, 1
	}
	s := p.paintTo(end)
	cols, _ := s.Size()
	x, y := s.Cursor()
	return y + 1, min(x, cols-1) + 1
}

// clustersAt reports whether mode 2027 is set at an offset of the output.
func (p *picture) clustersAt(end int64) bool { return !p.exact || p.paintTo(end).Modes().Clusters }

// resize sets the size for further output.
func (p *picture) resize(size pty.Size) {
	p.size = size
	if p.screen != nil {
		p.try("resizing the screen", nil, func() { p.screen.Resize(size.Cols, size.Rows) })
	}
}

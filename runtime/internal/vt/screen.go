package vt

const (
	minCols, maxCols = 2, 1000
	maxLines         = 1000
	maxTitle         = 1024 // bytes
	maxTitles        = 10
)

// Options are what New makes a screen of.
type Options struct {
	Cols, Rows int // cells: 2 to 1,000 and 1 to 1,000; what is outside is clamped
	History    int // the most lines kept above the screen

	// ScrolledOff is told of each row as it leaves the main screen at its top:
	// its text as AppendText has it, valid during the call, with \n unless the
	// next row continues its line. May be nil.
	ScrolledOff func(text []byte)
}

// Screen is a terminal's grid, cursor, modes and history. It is not safe for
// concurrent use.
type Screen struct {
	parser    Parser
	handle    func(*Token)
	main, alt *buffer
	b         *buffer // the one that is shown
	pen       cell    // how the next character is written
	modes     Modes
	keyboard  []int // flags under the current ones (kitty keyboard protocol)

	sets      charsets
	decoder   decoder
	lastWidth int // of the character just printed, which REP repeats and combining ones join; 0: none
	clusters  clusters
	title     string
	titles    []string
	progress  bool
}

// New makes an empty screen.
func New(o Options) *Screen {
	h := &history{limit: max(o.History, 0)}
	cols, lines := clampSize(o.Cols, o.Rows)
	s := &Screen{main: newBuffer(cols, lines, h), alt: newBuffer(cols, lines, nil)}
	s.b, s.pen, s.modes = s.main, blank(DefaultColour), Modes{Wrap: true}
	if o.ScrolledOff != nil {
		var text []byte
		h.gone = func(r *row, continued bool) {
			text = s.appendLine(text[:0], r, continued)
			o.ScrolledOff(text)
		}
	}
	s.handle = s.Token
	return s
}

func clampSize(cols, lines int) (int, int) {
	return min(max(cols, minCols), maxCols), min(max(lines, 1), maxLines)
}

// Write takes what a program prints. It keeps no reference to b.
func (s *Screen) Write(b []byte) { s.parser.Feed(b, s.handle) }

// Token paints one token, for a caller that has a Parser of its own.
func (s *Screen) Token(t *Token) {
	s.token(t)
	if s.clusters.full() {
		s.clusters.sweep(s.eachCell)
	}
}

func (s *Screen) token(t *Token) {
	switch t.Kind {
	case Text:
		s.text(t.Raw)
		return
	case Control:
		s.control(t.Final)
		return
	case Escape:
		s.escape(t)
	case CSI:
		s.csi(t)
	case OSC:
		s.osc(t)
	case Invalid:
		return
	}
	s.lastWidth = 0
}

func (s *Screen) eachCell(visit func(*cell)) {
	rows := func(rows []*row) {
		for _, r := range rows {
			for i := range r.cells {
				visit(&r.cells[i])
			}
			visit(&r.fill)
		}
	}
	rows(s.main.history.rows)
	rows(s.main.ring)
	rows(s.alt.ring)
	rows([]*row{&s.main.cleared, &s.alt.cleared})
}

// eraser is what erasing leaves: nothing, on the colour of the pen.
func (s *Screen) eraser() cell { return blank(s.pen.bg) }

// Size is the grid in cells.
func (s *Screen) Size() (cols, rows int) { return s.b.cols, s.b.lines }

// Cursor is the column and row of the cursor, from 0. A column equal to the
// number of columns says that the next character begins a new line.
func (s *Screen) Cursor() (x, y int) { return s.b.x, s.b.y }

// Alternate says that the alternate screen is shown.
func (s *Screen) Alternate() bool { return s.b == s.alt }

// Title is the window's title that the program set last.
func (s *Screen) Title() string { return s.title }

// Progress says that the program shows progress, whatever kind of it.
func (s *Screen) Progress() bool { return s.progress }

// Modes are the modes that a program has set.
func (s *Screen) Modes() Modes { return s.modes }

// switchTo shows the alternate or the main screen. The alternate one is empty
// whenever it comes.
func (s *Screen) switchTo(b *buffer) {
	if s.b == b {
		return
	}
	b.x, b.y = s.b.x, s.b.y
	if b == s.alt {
		b.clear(s.eraser())
	} else {
		s.alt.top, s.alt.bottom = 0, s.alt.lines-1
		s.alt.tabs = s.alt.tabs[:0]
		s.alt.setTabs()
	}
	s.b = b
}

func (s *Screen) save() {
	b := s.b
	b.saved = savedCursor{x: b.x, y: b.base() + b.y, pen: s.pen, sets: s.sets}
}

func (s *Screen) restore() {
	b := s.b
	b.x, b.y = b.saved.x, max(b.saved.y-b.base(), 0)
	s.pen, s.sets = b.saved.pen, b.saved.sets
	b.restrict(b.cols-1, s.modes.Origin)
}

// reset is RIS: everything as new, only the title stays.
func (s *Screen) reset() {
	s.main.reset(s.main.cols, s.main.lines)
	s.alt.reset(s.alt.cols, s.alt.lines)
	s.b, s.pen, s.modes, s.keyboard = s.main, blank(DefaultColour), Modes{Wrap: true}, nil
	s.sets = charsets{}
	s.progress = false
}

// softReset is DECSTR.
func (s *Screen) softReset() {
	m := s.modes
	s.modes = Modes{Wrap: true, Mouse: m.Mouse, MouseEncoding: m.MouseEncoding, Keyboard: m.Keyboard, CursorStyle: m.CursorStyle}
	s.pen = blank(DefaultColour)
	s.sets = charsets{}
	b := s.b
	b.top, b.bottom = 0, b.lines-1
	b.saved = savedCursor{y: b.base(), pen: s.pen}
}

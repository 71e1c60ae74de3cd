package vt

const (
	minCols, maxCols = 2, 1000
	maxLines         = 1000
	maxTitle         = 1024 // bytes
	maxTitles        = 10
)

// Options configures a Screen.
type Options struct {
	Cols, Rows int // cells: 2 to 1,000 and 1 to 1,000; other values are clamped
	History    int // the maximum number of lines kept above the screen

	// ScrolledOff is called for each row that leaves the main screen at its top, with the row's
	// text in the format of AppendText, valid during the call. The text ends in \n unless the next
	// row continues its line. May be nil.
	ScrolledOff func(text []byte)
}

// Screen is a terminal's grid, cursor, modes and history. It is not safe for
// concurrent use.
type Screen struct {
	parser    Parser
	handle    func(*Token)
	main, alt *buffer
	b         *buffer  // the one that is displayed
	pen       gridCell // style of the next character
	modes     Modes
	keyboard  []int // stack of flags below the current ones (kitty keyboard protocol)

	sets       charsets
	decoder    decoder
	lastWidth  int // width of the last printed character, which REP repeats and combining characters join; 0: none
	clusters   clusters
	scratch    []byte // the text of one cell
	title      string
	titles     []string
	progress   bool
	alternates int // how often a program has asked for the alternate screen
}

// New returns an empty screen.
func New(o Options) *Screen {
	h := &history{limit: max(o.History, 0)}
	cols, lines := clampSize(o.Cols, o.Rows)
	s := &Screen{main: newBuffer(cols, lines, h), alt: newBuffer(cols, lines, nil)}
	s.b, s.pen, s.modes = s.main, blank(defaultColor), initialModes
	if o.ScrolledOff != nil {
		var text []byte
		h.scrolledOff = func(r *row, continued bool) {
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

// Write processes output of a program. It keeps no reference to b.
func (s *Screen) Write(b []byte) { s.parser.Feed(b, s.handle) }

// Token paints one token, for a caller with its own Parser.
func (s *Screen) Token(t *Token) {
	s.token(t)
	if s.clusters.full() {
		s.clusters.sweep(s.eachCell)
	}
}

func (s *Screen) token(t *Token) {
	if t.Kind == Text {
		s.text(t.Raw)
		return
	}
	s.decoder.n = 0 // bytes after a sequence do not continue a character before it
	switch t.Kind {
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

func (s *Screen) eachCell(visit func(*gridCell)) {
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

// eraser returns an erased cell: empty, with the pen's background color.
func (s *Screen) eraser() gridCell { return blank(s.pen.bg) }

// Size returns the size of the grid in cells.
func (s *Screen) Size() (cols, rows int) { return s.b.cols, s.b.lines }

// Cursor returns the column and row of the cursor, from 0. If the column equals the number of
// columns, the next character begins a new line.
func (s *Screen) Cursor() (x, y int) { return s.b.x, s.b.y }

// Alternate reports whether the alternate screen is displayed.
func (s *Screen) Alternate() bool { return s.b == s.alt }

// AlternateCount returns how often the program has asked for the alternate screen, also while it was displayed.
func (s *Screen) AlternateCount() int { return s.alternates }

// Title returns the window's title that the program set last.
func (s *Screen) Title() string { return s.title }

// Progress reports whether the program displays progress of any kind.
func (s *Screen) Progress() bool { return s.progress }

// Modes returns the modes that the program has set.
func (s *Screen) Modes() Modes { return s.modes }

// switchTo displays the alternate or the main screen. The alternate screen is empty at first.
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

// reset is RIS: it restores the initial state, except for the title.
func (s *Screen) reset() {
	s.main.reset(s.main.cols, s.main.lines)
	s.alt.reset(s.alt.cols, s.alt.lines)
	s.b, s.pen, s.modes, s.keyboard = s.main, blank(defaultColor), initialModes, nil
	s.sets = charsets{}
	s.progress = false
}

// softReset is DECSTR.
func (s *Screen) softReset() {
	m := s.modes
	s.modes = Modes{Wrap: true, Clusters: m.Clusters, Mouse: m.Mouse, MouseEncoding: m.MouseEncoding, Keyboard: m.Keyboard, CursorStyle: m.CursorStyle}
	s.pen = blank(defaultColor)
	s.sets = charsets{}
	b := s.b
	b.top, b.bottom = 0, b.lines-1
	b.saved = savedCursor{y: b.base(), pen: s.pen}
}

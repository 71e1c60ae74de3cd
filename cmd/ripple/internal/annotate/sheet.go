package annotate

import (
	"slices"
	"strings"
	"sync"

	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/session"
)

// Note describes the session's interpretation of a part of a row.
type Note struct {
	As   session.Class
	Text string // name of a marker, or rule of a session.ClassEnd
}

// Sheet is a program's screen with notes on its rows. Its methods may be called from
// several goroutines.
type Sheet struct {
	mu     sync.Mutex
	screen *vt.Screen
	parser vt.Parser
	gone   int         // rows that have scrolled off the main screen
	main   map[int]row // by their number, counted from the start of the program
	full   map[int]row // of the alternate screen
	now    Note        // for what is painted now
	begin  int64       // offset in the stream at which the parser started; -1: nothing was painted
	kept   Transcript  // painted again after a change of size
}

// row has the notes on the parts of a row, in the order in which they were printed.
type row []part

type part struct {
	Note
	from, to int64 // offsets in the program's output
}

// NewSheet returns an empty screen of a size in cells.
func NewSheet(cols, rows int) *Sheet {
	s := &Sheet{}
	s.kept.limit = mostPainted
	s.empty(cols, rows)
	return s
}

// mostPainted limits the bytes that are painted again after a change of size.
const mostPainted = 128 << 10

func (s *Sheet) empty(cols, rows int) {
	s.begin, s.gone, s.main, s.full, s.parser = -1, 0, map[int]row{}, map[int]row{}, vt.Parser{}
	s.screen = vt.New(vt.Options{Cols: cols, Rows: rows, ScrolledOff: func([]byte) {
		delete(s.main, s.gone)
		s.gone++
	}})
}

// Resize changes the size. Text on the main screen is rewrapped.
func (s *Sheet) Resize(cols, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.screen.Alternate() { // the program redraws it
		s.screen.Resize(cols, rows)
		clear(s.full)
		return
	}
	s.empty(cols, rows)
	for _, p := range s.kept.passages {
		s.paint(p.Note(), p.Raw, p.from)
	}
}

// Observe implements session.Observer; it does nothing.
func (*Sheet) Observe(session.Event) {}

// ObservePiece implements session.PieceObserver.
func (s *Sheet) ObservePiece(p session.Piece) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept.ObservePiece(p)
	if p.Data == nil && p.Class != session.ClassEnd {
		retake(s.main, p)
		retake(s.full, p)
		return
	}
	s.paint(Note{p.Class, p.Text}, p.Data, p.From)
}

// paint paints bytes from offset from of the stream.
func (s *Sheet) paint(n Note, b []byte, from int64) {
	if s.now = n; s.begin < 0 {
		s.begin = from
	}
	s.parser.Feed(b, s.token)
	if n.As == session.ClassMarker || n.As == session.ClassEnd {
		s.note(s.cursorRow(), from, from+int64(len(b)))
	}
}

// token paints a token and adds a note to each row that it changed.
func (s *Sheet) token(t *vt.Token) {
	if t.Kind != vt.Text {
		s.erased(t)
		full := s.screen.Alternate()
		s.screen.Token(t)
		if !full && s.screen.Alternate() {
			clear(s.full)
		}
		return
	}
	for at := 0; at < len(t.Raw); {
		end, visible := run(t.Raw, at)
		piece := *t
		piece.Raw, piece.Offset = t.Raw[at:end], t.Offset+int64(at)
		first := s.cursorRow()
		if x, _ := s.screen.Cursor(); visible && x == s.cols() {
			first++ // it starts a new line
		}
		s.screen.Token(&piece)
		for y := first; visible && y <= s.cursorRow(); y++ {
			s.note(y, s.begin+piece.Offset, s.begin+piece.Offset+int64(len(piece.Raw)))
		}
		at = end
	}
}

// run returns the end of a run of printable characters, or of control characters.
func run(b []byte, at int) (end int, visible bool) {
	visible = b[at] >= ' '
	for end = at; end < len(b) && (b[end] >= ' ') == visible; {
		end++
	}
	return end, visible
}

// erased removes the notes on rows that a sequence clears (ED, EL, RIS).
func (s *Sheet) erased(t *vt.Token) {
	x, y := s.screen.Cursor()
	first, last := y, y
	switch {
	case t.Kind == vt.Escape && t.Final == 'c':
		first, last = 0, s.lines()
	case t.Kind != vt.CSI || t.Prefix != 0:
		return
	case t.Final == 'J' && t.Params.Get(0) >= 2:
		first, last = 0, s.lines()
	case t.Final == 'J' && t.Params.Get(0) == 0:
		last = s.lines()
		if x > 0 {
			first++
		}
	case t.Final == 'K' && x == 0:
	default:
		return
	}
	for ; first <= last; first++ {
		delete(s.rows(), s.base()+first)
	}
}

// note adds a note to a row.
func (s *Sheet) note(y int, from, to int64) {
	r := s.rows()[y]
	if n := len(r); n > 0 && r[n-1].Note == s.now && r[n-1].to == from && from < to {
		r[n-1].to = to
		return
	}
	if len(r) < mostParts {
		s.rows()[y] = append(r, part{s.now, from, to})
	}
}

// mostParts limits the notes on one row, which may be redrawn any number of times.
const mostParts = 200

// retake changes the interpretation of a range of the stream.
func retake(rows map[int]row, p session.Piece) {
	for y, r := range rows {
		var all row
		for _, old := range r {
			from, to := max(p.From, old.from), min(p.To, old.to)
			if from >= to {
				all = append(all, old)
				continue
			}
			for _, part := range []part{{old.Note, old.from, from}, {Note{As: p.Class}, from, to}, {old.Note, to, old.to}} {
				if part.from < part.to {
					all = append(all, part)
				}
			}
		}
		rows[y] = all
	}
}

func (s *Sheet) rows() map[int]row {
	if s.screen.Alternate() {
		return s.full
	}
	return s.main
}

// base returns the number of the first visible row.
func (s *Sheet) base() int {
	if s.screen.Alternate() {
		return 0
	}
	return s.gone
}

func (s *Sheet) cursorRow() int {
	_, y := s.screen.Cursor()
	return s.base() + y
}

func (s *Sheet) cols() int {
	cols, _ := s.screen.Size()
	return cols
}

func (s *Sheet) lines() int {
	_, lines := s.screen.Size()
	return lines
}

// Notes returns the notes on each row of the screen, without duplicates.
func (s *Sheet) Notes() [][]Note {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.notes()
}

func (s *Sheet) notes() [][]Note {
	all := make([][]Note, s.lines())
	for y := range all {
		for _, p := range s.rows()[s.base()+y] {
			if !slices.Contains(all[y], p.Note) {
				all[y] = append(all[y], p.Note)
			}
		}
	}
	return all
}

// Line returns the text of the row with the cursor, including blanks before the cursor.
func (s *Sheet) Line() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, y := s.screen.Cursor()
	var b strings.Builder
	for i, c := range s.screen.Cells(y) {
		if c.Text == "" && c.Width > 0 && i < x {
			c.Text = " "
		}
		b.WriteString(c.Text)
	}
	return b.String()
}

// Paint appends the text that shows the screen at the top left of a larger terminal. To the
// right of each row is the result of margin for its notes; below the screen are the feet.
func (s *Sheet) Paint(out []byte, margin func([]Note) string, feet []string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	out = s.screen.AppendView(out, s.cols(), s.lines(), 0)
	var beside []string
	for _, notes := range s.notes() {
		beside = append(beside, margin(notes))
	}
	return s.screen.AppendBeside(out, beside, feet)
}

package vt

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func dump(s *Screen) string {
	var b strings.Builder
	_, rows := s.Size()
	for i := range s.History() {
		text, wrapped := s.HistoryRow(i)
		fmt.Fprintln(&b, "above", i, wrapped && i > 0, text)
	}
	for y := range rows {
		_, wrapped := s.Row(y)
		fmt.Fprint(&b, y, wrapped && y+s.History() > 0 && !(y == 0 && s.Alternate()))
		for _, c := range s.Cells(y) {
			fmt.Fprintf(&b, " %q/%d/%x/%x/%x", c.Text, c.Width, c.Fg, c.Bg, c.Attr)
		}
		fmt.Fprintln(&b)
	}
	x, y := s.Cursor()
	fmt.Fprintln(&b, "cursor", x, y, s.Alternate(), s.Modes(), s.Title(), s.pen, s.b.top, s.b.bottom, s.b.tabs)
	return b.String()
}

func TestSnapshotPaintsTheSameScreen(t *testing.T) {
	for i := range 400 {
		r := rand.New(rand.NewPCG(7, uint64(i)))
		o := Options{Cols: pick(r, 80, 20, 11), Rows: pick(r, 24, 5, 3), History: 50}
		s := New(o)
		s.Write(stream(r, 1500))
		s.Write([]byte("\x18")) // whole, not in the middle of a sequence
		if x, _ := s.Cursor(); x == o.Cols {
			s.Write([]byte("\r"))
		}
		again := New(o)
		again.Write(s.AppendANSI(nil))
		require.Equal(t, dump(s), dump(again), "stream %d", i)
	}
}

// A tab in the last column does not move the cursor, and does not stop a reader of the line.
func TestTabInTheLastColumn(t *testing.T) {
	for cols := 2; cols < 20; cols++ {
		s := New(Options{Cols: cols, Rows: 2})
		s.Write([]byte("\x1b[999C\t\t\x1b[2D\x1b[1@"))
		require.LessOrEqual(t, len(s.AppendText(nil)), cols)
	}
}

// Lines are wrapped again, and the cursor stays at its character.
func TestResize(t *testing.T) {
	long := "0123456789abcdefghij"
	for _, tt := range []struct {
		name, in   string
		cols, rows int
		want       string
		x, y       int
	}{
		{"narrower", long + "\r\nx", 5, 6, "01234|56789|abcde|fghij|x", 1, 4},
		{"wider", long + long + "\r\nx", 40, 6, long + long + "|x", 1, 1},
		{"into the history", long + "\r\nx", 5, 3, "abcde|fghij|x", 1, 2},
		{"lower", "a\r\nb\r\nc", 20, 2, "b|c", 1, 1},
		{"higher brings the history back", "1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8", 20, 8, "1|2|3|4|5|6|7|8", 1, 7},
		{"wide characters are whole", "日本語日本語", 5, 6, "日本|語日|本語", 4, 2},
		{"the cursor in a wrapped line", long + "\x1b[1;8H", 5, 6, "01234|56789|abcde|fghij", 2, 1},
		{"the alternate screen is cut", "\x1b[?1049h\x1b[H" + long + "\r\nb", 5, 6, "01234|b", 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := New(Options{Cols: 20, Rows: 6, History: 100})
			s.Write([]byte(tt.in))
			s.Resize(tt.cols, tt.rows)
			p := pictureOf(s)
			require.Equal(t, tt.want, strings.TrimRight(strings.Join(p.Rows, "|"), "|"))
			require.Equal(t, []int{tt.x, tt.y}, []int{p.X, p.Y})
		})
	}
}

// A cursor after the last character of a line is there after each resize, even if that is after the
// last column: the next input overwrites nothing.
func TestResizeKeepsTheCursorAfterTheText(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		sizes    []int // columns, one after the other
		want     string
		x, y     int // before the X
	}{
		{"it ends at the edge", "$ cursor", []int{8}, "$ cursor|X", 8, 0},
		{"it ends at the edge of a wrapped row", "$ cursor", []int{4}, "$ cu|rsor|X", 4, 1},
		{"and back", "$ cursor", []int{4, 20}, "$ cursorX", 8, 0},
		{"and back in steps", "$ cursor", []int{8, 4, 2, 4, 8, 20}, "$ cursorX", 8, 0},
		{"it ended at the edge", "01234567890123456789", []int{40}, "01234567890123456789X", 20, 0},
		{"it ended at the edge, narrower", "01234567890123456789", []int{10}, "0123456789|0123456789|X", 10, 1},
		{"wide characters", "日本語日", []int{4, 20}, "日本語日X", 8, 0},
		{"a wide character that does not fit", "日本語日", []int{5, 20}, "日本語日X", 8, 0},
		{"blanks before the cursor", "$ \x1b[8G", []int{4}, "$  X", 3, 0},
		{"the last character is erased", "$ cursorx\b \b", []int{8}, "$ cursor|X", 0, 1},
		{"the cursor on the last character", "$ cursor\b", []int{4, 8, 20}, "$ cursoX", 7, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := New(Options{Cols: 20, Rows: 6, History: 100})
			s.Write([]byte(tt.in))
			for _, cols := range tt.sizes {
				s.Resize(cols, 6)
			}
			x, y := s.Cursor()
			s.Write([]byte("X"))
			require.Equal(t, tt.want, strings.TrimRight(strings.Join(rows(s), "|"), "|"))
			require.Equal(t, []int{tt.x, tt.y}, []int{x, y})
		})
	}
}

// The cursor keeps its place in the text however often and to whatever size the screen changes.
func TestResizeAndBack(t *testing.T) {
	for _, pattern := range []string{"0123456789", "a日e\u0301 ", "日本"} {
		for n := 1; n < 40; n++ {
			text := string([]rune(strings.Repeat(pattern, 40))[:n])
			for size := 2; size < 45; size++ {
				for _, back := range []int{20, 8, 100} {
					s := New(Options{Cols: 20, Rows: 30, History: 100})
					s.Write([]byte(text))
					s.Resize(size, 20)
					s.Resize(back, 31)
					s.Write([]byte("X"))
					require.Equal(t, text+"X", string(s.AppendText(nil)), "%d characters, %d columns, then %d", n, size, back)
				}
			}
		}
	}
}

// A change of lines does not change the cursor's column, and on the alternate screen neither does a
// change of columns to at least the number of characters.
func TestResizeKeepsTheWrapToCome(t *testing.T) {
	for _, tt := range []struct {
		in         string
		cols, rows int
		x          int
	}{
		{"0123456789", 10, 5, 10},
		{"\x1b[?1049h0123456789", 10, 5, 10},
		{"\x1b[?1049h\x1b[H0123456789", 12, 3, 10},
		{"\x1b[?1049h\x1b[H01234567", 8, 3, 8},
		{"\x1b[?1049h\x1b[H012345日", 8, 3, 8},
		{"\x1b[?1049h\x1b[H0123456日\x1b[D", 8, 3, 7},
		{"\x1b[?1049h\x1b[H01234567", 6, 3, 5},
		{"\x1b[?1049h\x1b[9G", 8, 3, 7},
	} {
		s := New(Options{Cols: 10, Rows: 3})
		s.Write([]byte(tt.in))
		s.Resize(tt.cols, tt.rows)
		x, _ := s.Cursor()
		require.Equal(t, tt.x, x, "%q", tt.in)
	}
}

func TestCutAnywhereIsTheSame(t *testing.T) {
	for i := range 100 {
		r := rand.New(rand.NewPCG(8, uint64(i)))
		b := stream(r, 400)
		o := Options{Cols: 20, Rows: 5, History: 100}
		whole, bytewise := New(o), New(o)
		whole.Write(b)
		for _, c := range b {
			bytewise.Write([]byte{c})
		}
		require.Equal(t, dump(whole), dump(bytewise), "stream %d", i)
	}
}

// The other terminal becomes like this one, whatever it displayed and its program set.
func TestRepaintOverAnotherScreen(t *testing.T) {
	for i := range 60 {
		r := rand.New(rand.NewPCG(8, uint64(i)))
		o := Options{Cols: pick(r, 80, 20, 11), Rows: pick(r, 24, 5, 3)}
		s, again := New(o), New(o)
		for _, screen := range []*Screen{s, again} {
			screen.Write(stream(r, 1500))
			screen.Write([]byte("\x18"))
		}
		if x, _ := s.Cursor(); x == o.Cols {
			s.Write([]byte("\r"))
		}
		if s.Title() == "" {
			again.title = ""
		}
		for _, b := range []*buffer{again.main, again.alt} { // DECST8C, which xterm has and xterm.js has not
			b.tabs = b.tabs[:0]
			b.setTabs()
		}
		again.Write(s.AppendAnew(nil, 0))
		want, got := strings.Split(dump(s), "\n"), strings.Split(dump(again), "\n")
		for y := range want {
			require.Equal(t, want[y], got[y], "stream %d, line %d", i, y)
		}
	}
}

// A window of another size displays as much as fits, including the cursor; nothing of a larger one
// is left.
func TestViewInAnotherWindow(t *testing.T) {
	for i := range 60 {
		r := rand.New(rand.NewPCG(9, uint64(i)))
		s := New(Options{Cols: pick(r, 80, 20, 11), Rows: pick(r, 24, 5, 3)})
		s.Write(stream(r, 1500))
		cols, rows := pick(r, 2, 10, 40, 100), pick(r, 1, 4, 10, 50)
		view := New(Options{Cols: cols, Rows: rows})
		view.Write(stream(r, 1500))
		view.Write([]byte("\x18"))
		view.Write(s.AppendView(nil, cols, rows, 0))
		x, y := s.Cursor()
		width, height := s.Size()
		left, top := part(x, width, cols), part(y, height, rows)
		for y := range rows {
			for x, got := range view.Cells(y) {
				want := Cell{Width: 1}
				if top+y < height && left+x < width {
					want = s.Cells(top + y)[left+x]
				}
				if want.Text == "" || want.Width != 1 || got.Width != 1 { // halves of wide characters may be cut
					continue
				}
				require.Equal(t, want, got, "stream %d, row %d, column %d", i, y, x)
			}
		}
		vx, vy := view.Cursor()
		require.Equal(t, y-top, vy, "stream %d", i)
		require.Equal(t, min(x-left, cols-1), vx, "stream %d", i)
		require.Equal(t, s.Alternate(), view.Alternate())
	}
}

// The requested end of the history scrolls off the window first.
func TestViewAndItsTail(t *testing.T) {
	s := New(Options{Cols: 20, Rows: 3, History: 50})
	for i := range 20 {
		fmt.Fprintf(writer{s}, "line %d\r\n", i)
	}
	for _, window := range []struct{ cols, rows int }{{20, 3}, {10, 5}, {30, 2}} {
		view := New(Options{Cols: window.cols, Rows: window.rows, History: 50})
		if window.cols == 20 {
			view.Write(s.AppendAnew(nil, 4))
		} else {
			view.Write(s.AppendView(nil, window.cols, window.rows, 4))
		}
		var above []string
		for i := range view.History() {
			text, _ := view.HistoryRow(i)
			above = append(above, text)
		}
		require.Equal(t, []string{"line 14", "line 15", "line 16", "line 17"}, above, "%v", window)
	}
}

type writer struct{ s *Screen }

func (w writer) Write(b []byte) (int, error) {
	w.s.Write(b)
	return len(b), nil
}

package cast

import (
	"slices"
	"strings"
	"time"

	"example.org/ripple/internal/vt"
)

// Limits of a recording. One that reaches maxRuns or maxCells ends there, with Cut set.
const (
	frameTime = time.Second / 30 // changes within this time are one frame
	maxRuns   = 100_000          // about 5 MB of a page

	maxCols, maxRows = 1000, 500   // of a terminal; the numbers in a file may be any
	maxCells         = 500_000_000 // compared for all frames and sizes: about a minute of processor time
)

// Recording is the content of a terminal's screen over time.
type Recording struct {
	Cols, Rows int // the cells that any frame uses; at most the size of the terminal
	Frames     []Frame
	Length     time.Duration
	Cut        bool // the output was longer than a recording may be, and its end is missing
}

// Frame is a change of the screen.
type Frame struct {
	At    time.Duration // since the first frame
	Lines []Line        // the rows that changed
}

// Line is one row as it is shown from a frame on.
type Line struct {
	Row  int   // from 0, the top
	Runs []Run // without blanks at the end
}

// Run is text of one style on one line.
type Run struct {
	Column, Width int // in cells; columns count from 0
	Text          string
	Style         Style
}

// Style is how text is shown. Colors are #rrggbb; empty means the terminal's default.
type Style struct {
	Fg, Bg                               string
	Bold, Dim, Italic, Underline, Strike bool
}

// Recorder makes a Recording of output. It is not safe for concurrent use.
type Recorder struct {
	screen   *vt.Screen
	pause    time.Duration
	recorded Recording
	shown    [][]Run
	began    bool
	last     time.Duration // when the latest output arrived, in the time of the stream
	now      time.Duration // the same in the time of the recording, whose pauses are shorter
	pending  bool          // there is output that is in no frame yet
	since    time.Duration // when that output began, in the time of the recording
	runs     int
	cells    int // that were compared
}

// New returns a Recorder for a terminal of cols by rows cells. Times without output that are
// longer than pause are shortened to it; 0 keeps them.
func New(cols, rows int, pause time.Duration) *Recorder {
	return &Recorder{screen: vt.New(vt.Options{Cols: min(cols, maxCols), Rows: min(rows, maxRows)}), pause: pause}
}

// Output records what a program wrote to the terminal. at is the time since the beginning of
// the stream; it must not decrease from call to call.
func (r *Recorder) Output(at time.Duration, data []byte) {
	r.tick(at)
	r.screen.Write(data)
}

// Resize records a new size of the terminal, at a time as for Output.
func (r *Recorder) Resize(at time.Duration, cols, rows int) {
	r.tick(at)
	if !r.recorded.Cut {
		r.screen.Resize(min(cols, maxCols), min(rows, maxRows))
		r.count()
	}
}

// tick advances the recording to the time of a change. A frame that is complete by then is
// added first.
func (r *Recorder) tick(at time.Duration) {
	r.pass(at)
	if !r.pending {
		r.pending, r.since = true, r.now
	}
}

func (r *Recorder) pass(at time.Duration) {
	if !r.began {
		r.began, r.last = true, at
	}
	gap := max(0, at-r.last)
	if r.pause > 0 {
		gap = min(gap, r.pause)
	}
	r.last, r.now = max(r.last, at), r.now+gap
	if r.pending && r.now-r.since >= frameTime {
		r.take()
	}
}

// take adds a frame if it differs from the last one.
func (r *Recorder) take() {
	r.pending = false
	if r.recorded.Cut {
		return
	}
	rows := r.count()
	f := Frame{At: r.since}
	for y := range max(rows, len(r.shown)) {
		var runs []Run
		if y < rows {
			runs = r.line(y)
		}
		if y >= len(r.shown) {
			r.shown = append(r.shown, nil)
		}
		if slices.Equal(runs, r.shown[y]) {
			continue
		}
		r.shown[y] = runs
		f.Lines = append(f.Lines, Line{y, runs})
		r.runs += len(runs) + 1
		if n := len(runs); n > 0 {
			r.recorded.Cols, r.recorded.Rows = max(r.recorded.Cols, runs[n-1].Column+runs[n-1].Width), max(r.recorded.Rows, y+1)
		}
	}
	if len(f.Lines) > 0 {
		r.recorded.Frames = append(r.recorded.Frames, f)
	}
	r.recorded.Cut = r.recorded.Cut || r.runs > maxRuns
}

// count adds the cells of the screen to those that were compared, and returns the number of its rows.
func (r *Recorder) count() (rows int) {
	cols, rows := r.screen.Size()
	r.cells += cols * rows
	r.recorded.Cut = r.cells > maxCells
	return rows
}

// line returns the runs of a row; the cursor is shown by a style.
func (r *Recorder) line(y int) []Run {
	var runs []Run
	var b strings.Builder // of the latest run
	end := func() {
		if n := len(runs); n > 0 {
			runs[n-1].Text = b.String()
		}
		b.Reset()
	}
	cx, cy := r.screen.Cursor()
	cursor := cy == y && !r.screen.Modes().CursorHidden
	wide := 0 // cells of each character of the latest run: in many fonts the widths differ
	cells := r.screen.Cells(y)
	for n := len(cells); n > 0 && cells[n-1] == (vt.Cell{Width: 1}) && !(cursor && cx == n-1); n-- {
		cells = cells[:n-1] // most of a large screen
	}
	for x, c := range cells {
		if c.Width == 0 {
			continue
		}
		style := styleOf(c, cursor && x == cx)
		text := c.Text
		if text == "" || c.Attr&vt.Invisible != 0 {
			text = strings.Repeat(" ", c.Width)
		}
		if n := len(runs); n > 0 && runs[n-1].Style == style && wide == c.Width {
			b.WriteString(text)
			runs[n-1].Width += c.Width
			continue
		}
		end()
		b.WriteString(text)
		runs, wide = append(runs, Run{Column: x, Width: c.Width, Style: style}), c.Width
	}
	end()
	return trimmed(runs)
}

// trimmed removes invisible blanks.
func trimmed(runs []Run) []Run {
	runs = slices.DeleteFunc(runs, func(r Run) bool {
		return r.Style.Bg == "" && !r.Style.Underline && !r.Style.Strike && strings.Trim(r.Text, " ") == ""
	})
	if n := len(runs); n > 0 && runs[n-1].Style.Bg == "" && !runs[n-1].Style.Underline && !runs[n-1].Style.Strike {
		last := &runs[n-1]
		text := strings.TrimRight(last.Text, " ")
		last.Width -= len(last.Text) - len(text)
		last.Text = text
	}
	return runs
}

// Text returns the text that the screen shows now.
func (r *Recorder) Text() string { return string(r.screen.AppendText(nil)) }

// Finish returns the recording, which ends at a time as for Output.
func (r *Recorder) Finish(at time.Duration) *Recording {
	r.pass(at)
	if r.pending {
		r.take()
	}
	r.recorded.Length = r.now
	return &r.recorded
}

package cast

import (
	"slices"
	"strings"
	"time"

	"example.org/ripple/runtime/internal/vt"
)

// Bounds of what is kept. Where they are reached a film ends, and says so.
const (
	frameTime = time.Second / 30 // what comes closer together is one frame
	maxRuns   = 100_000          // about 5 MB of a page
)

// Film is what a terminal showed, from its first frame to its end.
type Film struct {
	Cols, Rows int // cells that are used in any frame
	Frames     []Frame
	Length     time.Duration
	Cut        bool // there was more
}

// Frame is a change of the screen.
type Frame struct {
	At    time.Duration // since the first frame
	Lines []Line        // those that are different now
}

// Line is one row as it is shown from a frame on.
type Line struct {
	Row  int
	Runs []Run // without blanks at its end
}

// Run is text of one style on one line.
type Run struct {
	Column, Width int // cells
	Text          string
	Style         Style
}

// Style is how text is shown. Colours are #rrggbb; empty: the default.
type Style struct {
	Fg, Bg                               string
	Bold, Dim, Italic, Underline, Strike bool
}

// Recorder makes a film of output. It is not safe for concurrent use.
type Recorder struct {
	screen  *vt.Screen
	pause   time.Duration
	film    Film
	shown   [][]Run
	began   bool
	last    time.Duration // of the stream, of the latest output
	now     time.Duration // of the film, at that
	pending bool          // there is output that no frame has
	since   time.Duration // of the film: when that began
	runs    int
}

// New is for a terminal of that size. A time in which nothing happens is told as pause
// if it is longer; 0: as long as it was.
func New(cols, rows int, pause time.Duration) *Recorder {
	return &Recorder{screen: vt.New(vt.Options{Cols: cols, Rows: rows}), pause: pause}
}

// Output is what the terminal was given at a time of the stream, which never goes back.
func (r *Recorder) Output(at time.Duration, data []byte) {
	r.tick(at)
	r.screen.Write(data)
}

// Resize changes the terminal's size.
func (r *Recorder) Resize(at time.Duration, cols, rows int) {
	r.tick(at)
	r.screen.Resize(cols, rows)
}

// tick lets the film's time go on to that of a change, behind the frame that is complete
// by then.
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

// take adds a frame, if it is another one than the last.
func (r *Recorder) take() {
	r.pending = false
	if r.film.Cut {
		return
	}
	_, rows := r.screen.Size()
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
			r.film.Cols, r.film.Rows = max(r.film.Cols, runs[n-1].Column+runs[n-1].Width), max(r.film.Rows, y+1)
		}
	}
	if len(f.Lines) > 0 {
		r.film.Frames = append(r.film.Frames, f)
	}
	r.film.Cut = r.runs > maxRuns
}

// line are the runs of a row, the cursor as a style.
func (r *Recorder) line(y int) []Run {
	var runs []Run
	cx, cy := r.screen.Cursor()
	cursor := cy == y && !r.screen.Modes().CursorHidden
	wide := 0 // cells of each character of the latest run: fonts do not keep to that
	for x, c := range r.screen.Cells(y) {
		if c.Width == 0 {
			continue
		}
		style := styleOf(c, cursor && x == cx)
		text := c.Text
		if text == "" || c.Attr&vt.Invisible != 0 {
			text = strings.Repeat(" ", c.Width)
		}
		if n := len(runs); n > 0 && runs[n-1].Style == style && wide == c.Width {
			runs[n-1].Text += text
			runs[n-1].Width += c.Width
			continue
		}
		runs, wide = append(runs, Run{x, c.Width, text, style}), c.Width
	}
	return trimmed(runs)
}

// trimmed leaves out the blanks that nobody can see.
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

// Text is what is shown now.
func (r *Recorder) Text() string { return string(r.screen.AppendText(nil)) }

// Finish gives the film, which ends at that time of the stream.
func (r *Recorder) Finish(at time.Duration) *Film {
	r.pass(at)
	if r.pending {
		r.take()
	}
	r.film.Length = r.now
	return &r.film
}

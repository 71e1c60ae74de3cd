package htmlpage

import (
	"io"
	"strconv"
	"time"

	"example.org/ripple/cmd/ripple/internal/cast"
)

// Sizes of a cell and of the margin around all cells, in pixels.
const (
	cellWidth, cellHeight = 8.4, 19.0
	fontSize, baseline    = 14, 14.0
	margin                = 12.0
	hold                  = 3 * time.Second // how long the end is shown before it begins again
)

// WriteRecordingSVG writes an animated picture that repeats. Where it is not animated, as in print, it
// shows the last frame.
func WriteRecordingSVG(w io.Writer, title string, f *cast.Recording) error {
	wide, high := float64(f.Cols)*cellWidth+2*margin, float64(f.Rows)*cellHeight+2*margin
	var m markup
	m.Open("svg", "xmlns", "http://www.w3.org/2000/svg", "viewBox", "0 0 "+number(wide)+" "+number(high), "width", number(wide), "height", number(high),
		"font-family", "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace", "font-size", strconv.Itoa(fontSize), "fill", cast.Foreground)
	m.Element("title", title)
	m.Open("rect", "width", "100%", "height", "100%", "rx", "6", "fill", cast.Background)
	// Every time below is one of this clock, which starts again with each repetition.
	m.Open("animate", "id", "clock", "attributeName", "rx", "values", "6;6", "dur", seconds(f.Length+hold), "begin", "0s;clock.end")
	m.Close("animate")
	m.Close("rect")
	for _, s := range spells(f) {
		s.write(&m)
	}
	m.Close("svg")
	_, err := io.WriteString(w, m.String())
	return err
}

// spell is a period of time in which a row of the screen does not change.
type spell struct {
	row      int
	runs     []cast.Run
	from, to time.Duration
	last     bool // it stays to the end
}

// spells are those of all rows that show something, in the order of their beginning.
func spells(f *cast.Recording) []spell {
	var all []spell
	open := map[int]int{} // row → its spell in all
	for _, frame := range f.Frames {
		for _, line := range frame.Lines {
			if i, is := open[line.Row]; is {
				all[i].to, all[i].last = frame.At, false
				delete(open, line.Row)
			}
			if len(line.Runs) > 0 {
				open[line.Row] = len(all)
				all = append(all, spell{line.Row, line.Runs, frame.At, f.Length, true})
			}
		}
	}
	return all
}

func (s spell) write(m *markup) {
	if s.last {
		m.Open("g")
		if s.from > 0 {
			set(m, "hidden", "clock.begin", s.from)
		}
	} else {
		m.Open("g", "visibility", "hidden")
		set(m, "visible", "clock.begin+"+seconds(s.from), s.to-s.from)
	}
	top := margin + float64(s.row)*cellHeight
	for _, r := range s.runs {
		left, wide := margin+float64(r.Column)*cellWidth, float64(r.Width)*cellWidth
		if r.Style.Bg != "" {
			m.Open("rect", "x", number(left), "y", number(top), "width", number(wide), "height", number(cellHeight), "fill", r.Style.Bg)
			m.Close("rect")
		}
		m.Element("text", r.Text, append(attributes(r.Style), "x", number(left), "y", number(top+baseline), "textLength", number(wide), "xml:space", "preserve")...)
	}
	m.Close("g")
}

func set(m *markup, to, begin string, dur time.Duration) {
	m.Open("set", "attributeName", "visibility", "to", to, "begin", begin, "dur", seconds(max(dur, time.Millisecond)))
	m.Close("set")
}

func attributes(s cast.Style) []string {
	var a []string
	for _, pair := range [][2]string{
		{"fill", s.Fg},
		{"font-weight", wordIf(s.Bold, "bold")},
		{"font-style", wordIf(s.Italic, "italic")},
		{"opacity", wordIf(s.Dim, "0.7")},
		{"text-decoration", decoration(s)},
	} {
		if pair[1] != "" {
			a = append(a, pair[0], pair[1])
		}
	}
	return a
}

func wordIf(is bool, word string) string {
	if is {
		return word
	}
	return ""
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) + "s" }

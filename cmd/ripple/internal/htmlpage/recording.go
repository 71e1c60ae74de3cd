package htmlpage

import (
	_ "embed"
	"encoding/json"
	"io"
	"time"
	"unicode/utf8"

	"example.org/ripple/cmd/ripple/internal/cast"
	"example.org/ripple/runtime/event"
)

var (
	//go:embed recording.css
	recordingStyle string
	//go:embed recording.js
	recordingScript string
)

// recordingData is a recording as the page's script reads it.
type recordingData struct {
	Cols   int     `json:"cols"`
	Rows   int     `json:"rows"`
	Length int64   `json:"length"` // milliseconds, as all times
	Styles []look  `json:"styles"`
	Frames [][]any `json:"frames"` // [at, [[row, [[column, width, text, style], …]], …]]
}

// look is a style in the names of CSS.
type look struct {
	Color      string `json:"color,omitempty"`
	Background string `json:"background,omitempty"`
	Weight     string `json:"fontWeight,omitempty"`
	Slant      string `json:"fontStyle,omitempty"`
	Line       string `json:"textDecoration,omitempty"`
	Opacity    string `json:"opacity,omitempty"`
}

// WriteRecording writes a page that plays a recording.
func WriteRecording(w io.Writer, title string, f *cast.Recording) error {
	data, err := json.Marshal(encode(f)) // escapes <, > and &
	if err != nil {
		return err
	}
	return document{Title: title, Style: recordingStyle, Script: recordingScript}.Write(w, func(m *markup) {
		m.Open("main")
		m.Element("h1", title)
		m.Open("div", "class", "screen", "tabindex", "0", "aria-label", "terminal")
		m.Element("pre", "", "id", "screen")
		m.Close("div")
		m.Open("div", "class", "bar")
		m.Element("button", "play", "id", "play", "type", "button")
		m.Open("input", "id", "at", "type", "range", "min", "0", "value", "0", "aria-label", "time")
		m.Element("output", "", "id", "time")
		m.Close("div")
		if f.Cut {
			m.Element("p", "The recording was cut here to keep the page small.")
		}
		m.Element("p", "The space bar plays and pauses; the arrow keys step back and forward.", "class", "keys")
		m.Close("main")
		m.WriteString(`<script type="application/json" id="recording">` + string(data) + "</script>\n")
	})
}

func encode(f *cast.Recording) recordingData {
	d := recordingData{Cols: f.Cols, Rows: f.Rows, Length: ms(f.Length)}
	numbers := map[cast.Style]int{}
	for _, frame := range f.Frames {
		lines := [][]any{}
		for _, line := range frame.Lines {
			runs := [][]any{}
			for _, r := range line.Runs {
				n, known := numbers[r.Style]
				if !known {
					n = len(d.Styles)
					numbers[r.Style] = n
					d.Styles = append(d.Styles, lookOf(r.Style))
				}
				for _, part := range apart(r) {
					runs = append(runs, []any{part.Column, part.Width, event.Printable(part.Text), n})
				}
			}
			lines = append(lines, []any{line.Row, runs})
		}
		d.Frames = append(d.Frames, []any{ms(frame.At), lines})
	}
	return d
}

// apart gives each wide character of a run its own cells: in a font that is narrower they
// would be squeezed together, with a gap after the last. Other runs stay as they are, and
// so do those with characters of several code points.
func apart(r cast.Run) []cast.Run {
	if r.Width != 2*utf8.RuneCountInString(r.Text) {
		return []cast.Run{r}
	}
	var parts []cast.Run
	for _, c := range r.Text {
		parts = append(parts, cast.Run{Column: r.Column + 2*len(parts), Width: 2, Text: string(c), Style: r.Style})
	}
	return parts
}

func ms(d time.Duration) int64 { return d.Milliseconds() }

func lookOf(s cast.Style) look {
	l := look{Color: s.Fg, Background: s.Bg, Line: decoration(s)}
	if s.Bold {
		l.Weight = "bold"
	}
	if s.Italic {
		l.Slant = "italic"
	}
	if s.Dim {
		l.Opacity = "0.7"
	}
	return l
}

func decoration(s cast.Style) string {
	switch {
	case s.Underline && s.Strike:
		return "underline line-through"
	case s.Underline:
		return "underline"
	case s.Strike:
		return "line-through"
	}
	return ""
}

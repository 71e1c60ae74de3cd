package cast

import (
	"fmt"

	"example.org/ripple/internal/vt"
)

// The colors of a terminal that does not define any: dark, with xterm's palette except for its
// two blues, which are not readable on it.
const (
	Foreground = "#e6e6e6"
	Background = "#16181d"
)

var basic = [16]string{
	"#16181d", "#e05561", "#8cc265", "#d18f52", "#4aa5f0", "#c162de", "#42b3c2", "#d7dae0",
	"#7d8590", "#ff616e", "#a5e075", "#f0a45d", "#4dc4ff", "#de73ff", "#4cd1e0", "#ffffff",
}

// levels are those of the color cube, 16 to 231 (xterm's 256colres.pl).
var levels = [6]uint8{0, 95, 135, 175, 215, 255}

func colorOf(c vt.Color) string {
	if r, g, b, is := c.RGB(); is {
		return hex(r, g, b)
	}
	n, is := c.Palette()
	switch {
	case !is:
		return ""
	case n < 16:
		return basic[n]
	case n < 232:
		n -= 16
		return hex(levels[n/36], levels[n/6%6], levels[n%6])
	}
	grey := 8 + 10*(n-232)
	return hex(grey, grey, grey)
}

func hex(r, g, b uint8) string { return fmt.Sprintf("#%02x%02x%02x", r, g, b) }

func styleOf(c vt.Cell, cursor bool) Style {
	s := Style{
		Fg: colorOf(c.Fg), Bg: colorOf(c.Bg),
		Bold: c.Attr&vt.Bold != 0, Dim: c.Attr&vt.Dim != 0, Italic: c.Attr&vt.Italic != 0,
		Underline: c.Attr&vt.UnderlineMask != 0, Strike: c.Attr&vt.Strike != 0,
	}
	if (c.Attr&vt.Inverse != 0) != cursor {
		if s.Fg == "" {
			s.Fg = Foreground
		}
		if s.Bg == "" {
			s.Bg = Background
		}
		s.Fg, s.Bg = s.Bg, s.Fg
	}
	return s
}

package vt

import (
	"bytes"
	"unicode/utf8"
)

// control handles a C0 or C1 control.
func (s *Screen) control(c byte) {
	if c == del { // ignored
		return
	}
	s.lastWidth = 0
	b := s.b
	switch c {
	case '\n', '\v', '\f':
		s.lineFeed()
	case '\r':
		b.x = 0
	case '\b':
		s.backspace()
	case '\t':
		s.horizontalTab()
	case 0x0e:
		s.sets.level = 1
	case 0x0f:
		s.sets.level = 0
	case 0x84: // IND
		s.index()
	case 0x85: // NEL
		b.x = 0
		s.index()
	case 0x88: // HTS
		if b.x < b.cols {
			b.tabs[b.x] = true
		}
	}
}

func (s *Screen) lineFeed() {
	b := s.b
	if s.modes.NewLine {
		b.x = 0
	}
	b.y++
	switch {
	case b.y == b.bottom+1:
		b.y--
		b.scroll(s.eraser(), false)
	case b.y >= b.lines:
		b.y = b.lines - 1
	default:
		b.line().wrapped = false
	}
	if b.x >= b.cols {
		b.x--
	}
}

func (s *Screen) index() {
	b := s.b
	b.restrict(b.cols-1, s.modes.Origin)
	b.y++
	if b.y == b.bottom+1 {
		b.y--
		b.scroll(s.eraser(), false)
	}
	b.restrict(b.cols-1, s.modes.Origin)
}

func (s *Screen) reverseIndex() {
	b := s.b
	b.restrict(b.cols-1, s.modes.Origin)
	if b.y == b.top {
		b.down(b.top, b.bottom, 1, s.eraser())
	} else {
		b.y--
		b.restrict(b.cols-1, s.modes.Origin)
	}
}

// backspace moves back one column, and with reverse wraparound into the previous line if that
// wrapped into this one.
func (s *Screen) backspace() {
	b := s.b
	if !s.modes.ReverseWrap {
		b.restrict(b.cols-1, s.modes.Origin)
		b.x = max(b.x-1, 0)
		return
	}
	b.restrict(b.cols, s.modes.Origin)
	if b.x > 0 {
		b.x--
	} else if b.y > b.top && b.y <= b.bottom && b.line().wrapped {
		b.line().wrapped = false
		b.y--
		b.x = b.cols - 1
		if c := b.line().at(b.x); c.width != 0 && c.ch == 0 { // a wide character did not fit
			b.x--
		}
	}
	b.restrict(b.cols-1, s.modes.Origin)
}

// horizontalTab moves to the next stop. If it passes over unwritten columns it records the tab, so
// that text copied from the screen contains tabs.
func (s *Screen) horizontalTab() {
	b := s.b
	if b.x >= b.cols {
		return
	}
	if r := b.line(); b.x >= len(r.cells) && r.fill.ch == 0 {
		r.cell(b.x).attr |= tabbed
	}
	b.x = b.nextTab(b.x)
}

func (b *buffer) nextTab(x int) int {
	for x++; x < b.cols && !b.tabs[x]; x++ {
	}
	return min(x, b.cols-1)
}

func (b *buffer) prevTab(x int) int {
	for x--; x > 0 && !b.tabs[x]; x-- {
	}
	return max(x, 0)
}

func (s *Screen) escape(t *Token) {
	switch inter := t.Inter[0]; {
	case t.Inter[1] != 0:
	case inter == 0:
		s.escapeFinal(t.Final)
	case inter == '#' && t.Final == '8':
		s.align()
	case inter == '%' && (t.Final == '@' || t.Final == 'G'):
		s.sets.level = 0
		s.designate('(', 'B')
	default:
		s.designate(inter, t.Final)
	}
}

func (s *Screen) escapeFinal(c byte) {
	b := s.b
	switch c {
	case '7':
		s.save()
	case '8':
		s.restore()
	case 'D':
		s.index()
	case 'E':
		b.x = 0
		s.index()
	case 'H':
		s.control(0x88)
	case 'M':
		s.reverseIndex()
	case '=', '>':
		s.modes.AppKeypad = c == '='
	case 'c':
		s.reset()
	case 'n', '}':
		s.sets.level = 2
	case 'o', '|':
		s.sets.level = 3
	case '~':
		s.sets.level = 1
	}
}

// align is DECALN: it fills the screen with E and resets margins and origin mode, as xterm does.
func (s *Screen) align() {
	s.b.top, s.b.bottom = 0, s.b.lines-1
	s.modes.Origin = false
	s.b.moveTo(0, 0, false)
	s.b.clear(gridCell{ch: 'E', fg: s.pen.fg, bg: s.pen.bg, width: 1})
}

// osc handles the window's title (OSC 0 and 2), and progress (OSC 9;4, as in ConEmu and Windows
// Terminal: https://learn.microsoft.com/windows/terminal/tutorials/progress-bar-sequences).
func (s *Screen) osc(t *Token) {
	if t.Partial || t.Continued || t.Cancelled {
		return
	}
	number, text, _ := bytes.Cut(t.Data, []byte(";"))
	switch string(number) {
	case "0", "2":
		s.title = title(text)
	case "9":
		if state, is := bytes.CutPrefix(text, []byte("4;")); is && len(state) > 0 {
			s.progress = state[0] != '0'
		}
	}
}

// title returns text without control characters, limited to maxTitle bytes.
func title(text []byte) string {
	out := make([]byte, 0, min(len(text), maxTitle))
	for _, r := range string(text) {
		if r < 0x20 || r >= del && r <= c1Last || r == utf8.RuneError {
			continue
		}
		if len(out)+utf8.RuneLen(r) > maxTitle {
			break
		}
		out = utf8.AppendRune(out, r)
	}
	return string(out)
}

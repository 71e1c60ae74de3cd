package vt

// Modes holds the modes set by a program that concern input or display. The numbers are those of
// DECSET.
type Modes struct {
	Insert         bool // IRM, 4
	NewLine        bool // LNM, 20: a line feed also returns
	AppCursor      bool // ?1
	AppKeypad      bool // ?66, ESC =
	Origin         bool // ?6
	Wrap           bool // ?7, initially set
	ReverseWrap    bool // ?45
	CursorHidden   bool // ?25 reset
	BracketedPaste bool // ?2004
	Focus          bool // ?1004
	Synchronized   bool // ?2026: a frame is being drawn
	Clusters       bool // ?2027, initially set: widths are those of grapheme clusters
	Mouse          int  // 0, or 9, 1000, 1002 or 1003
	MouseEncoding  int  // 0, or 1006 or 1016
	CursorStyle    int  // DECSCUSR, 0 to 6
	Keyboard       int  // flags of the kitty keyboard protocol, 0 to 31
}

// initialModes holds the initial modes of a terminal.
var initialModes = Modes{Wrap: true, Clusters: true}

func (s *Screen) setMode(mode int, on bool) {
	switch mode {
	case 4:
		s.modes.Insert = on
	case 20:
		s.modes.NewLine = on
	}
}

func (s *Screen) setPrivate(mode int, on bool) {
	m := &s.modes
	switch mode {
	case 1:
		m.AppCursor = on
	case 2:
		if on { // ANSI: reset the character sets to ASCII
			s.sets.g = [4]*charset{}
		}
	case 6:
		m.Origin = on
		s.b.moveTo(0, 0, on)
	case 7:
		m.Wrap = on
	case 25:
		m.CursorHidden = !on
	case 45:
		m.ReverseWrap = on
	case 66:
		m.AppKeypad = on
	case 1004:
		m.Focus = on
	case 2004:
		m.BracketedPaste = on
	case 2026:
		m.Synchronized = on
	case 2027:
		m.Clusters = on
	case 9, 1000, 1002, 1003:
		m.Mouse = number(mode, on)
	case 1006, 1016:
		m.MouseEncoding = number(mode, on)
	case 47, 1047, 1048, 1049:
		s.alternate(mode, on)
	}
}

func number(n int, on bool) int {
	if on {
		return n
	}
	return 0
}

// alternate handles the modes that switch to the alternate screen (47, 1047), save the cursor
// (1048), or do both (1049).
func (s *Screen) alternate(mode int, on bool) {
	saves, switches := mode >= 1048, mode != 1048
	switch {
	case on:
		if saves {
			s.save()
		}
		if switches {
			s.alternates++
			s.switchTo(s.alt)
		}
	default:
		if switches {
			s.switchTo(s.main)
		}
		if saves {
			s.restore()
		}
	}
}

const maxKeyboard = 16 // entries of the stack

// keyboardFlags handles the kitty keyboard protocol
// (https://sw.kovidgoyal.net/kitty/keyboard-protocol/): push, pop and set flags.
func (s *Screen) keyboardFlags(prefix byte, p *Params) {
	m := &s.modes
	switch prefix {
	case '>':
		if len(s.keyboard) == maxKeyboard {
			s.keyboard = append(s.keyboard[:0], s.keyboard[1:]...)
		}
		s.keyboard = append(s.keyboard, m.Keyboard)
		m.Keyboard = p.Get(0) & 31
	case '<':
		for range min(p.Count(0), maxKeyboard) {
			m.Keyboard = 0
			if n := len(s.keyboard); n > 0 {
				m.Keyboard, s.keyboard = s.keyboard[n-1], s.keyboard[:n-1]
			}
		}
	case '=':
		switch flags := p.Get(0) & 31; p.Get(1) {
		case 2:
			m.Keyboard |= flags
		case 3:
			m.Keyboard &^= flags
		default:
			m.Keyboard = flags
		}
	}
}

// window handles saving and restoring the title (XTWINOPS 22 and 23).
func (s *Screen) window(p *Params) {
	if p.Get(1) == 1 { // only the icon's name
		return
	}
	switch n := len(s.titles); p.Get(0) {
	case 22:
		if n == maxTitles {
			s.titles = append(s.titles[:0], s.titles[1:]...)
		}
		s.titles = append(s.titles, s.title)
	case 23:
		if n > 0 {
			s.title, s.titles = s.titles[n-1], s.titles[:n-1]
		}
	}
}

package vt

import (
	"bytes"
	"unicode/utf8"
)

// step handles an ASCII byte in any state except ground and string data.
func (p *Parser) step(c byte) {
	switch {
	case c == esc:
		p.giveUp()
		p.begin(escEntry, []byte{esc})
		return
	case c == can || c == sub:
		p.giveUp()
		p.token(Control, c, []byte{c})
		return
	case c < 0x20 && p.st < dcsEntry: // takes effect within the sequence
		p.other = Token{Kind: Control, Final: c, Raw: []byte{c}, Offset: p.offset + int64(len(p.raw)), Inside: true}
		p.emit(&p.other)
		p.tok.Mixed = true
	}
	p.keep(c)
	if c < 0x20 || c == del {
		return
	}
	switch p.st {
	case escEntry:
		p.escape(c)
	case escInter:
		if c < 0x30 {
			p.intermediate(c)
		} else {
			p.end(Escape, c)
		}
	case csiEntry, csiParam, csiInter, csiIgnore:
		p.csi(c)
	default:
		p.dcs(c)
	}
}

func (p *Parser) escape(c byte) {
	switch {
	case c < 0x30:
		p.intermediate(c)
		p.st = escInter
	case c == '[':
		p.introduce(csiEntry)
	case c == 'P':
		p.introduce(dcsEntry)
	case c == ']':
		p.introduce(oscData)
	case c == 'X' || c == '^' || c == '_':
		p.introduce(strData)
	default:
		p.end(Escape, c)
	}
}

// intermediate keeps the first two intermediates; no sequence with a meaning has more.
func (p *Parser) intermediate(c byte) {
	if p.inters < len(p.tok.Inter) {
		p.tok.Inter[p.inters] = c
	}
	p.inters++
}

// csi and dcs differ only in their handling of the final byte.
func (p *Parser) csi(c byte) {
	if c >= 0x40 {
		if p.st == csiIgnore {
			p.flushInvalid()
			p.st = ground
			return
		}
		p.end(CSI, c)
		return
	}
	p.st = p.parameter(c, csiEntry)
}

func (p *Parser) dcs(c byte) {
	if c >= 0x40 && p.st != dcsIgnore {
		p.tok.Final = c
		p.introduce(dcsData)
		return
	}
	if c < 0x40 {
		p.st = p.parameter(c, dcsEntry)
	}
}

// parameter handles a byte below the final ones. The states of CSI and DCS have the same order from
// entry on: parameters, intermediates, ignore.
func (p *Parser) parameter(c byte, entry state) state {
	const param, inter, ignore = 1, 2, 3
	at := p.st - entry
	switch {
	case at == ignore:
		return p.st
	case c < 0x30:
		p.intermediate(c)
		return entry + inter
	case at == inter:
		return entry + ignore
	case c >= 0x3c:
		if at != 0 {
			return entry + ignore
		}
		p.tok.Prefix = c
	default:
		p.params.add(c)
	}
	return entry + param
}

// stringData handles b within a string and returns how many bytes it consumed.
func (p *Parser) stringData(b []byte) int {
	if p.st == strEscape {
		p.st = p.str
		switch {
		case b[0] == '\\':
			p.raw = append(p.raw, esc, '\\')
			p.endString(2, false)
			return 1
		case b[0] == esc && p.isDCS('t') && p.LineFeedEnds: // tmux doubles each ESC of what it passes on
			p.keepData(esc)
			p.keepData(esc)
			return 1
		}
		p.endString(0, false)
		p.begin(escEntry, []byte{esc})
		return 0
	}
	for i, c := range b {
		if p.nchar > 0 { // the previous byte was C2: ST or another C1 control?
			p.nchar = 0
			if c >= c1First && c <= c1Last {
				p.stringC1(c)
				return i + 1
			}
			p.keepData(0xc2)
		}
		switch {
		case c == 0xc2 && !p.SevenBit:
			p.char[0], p.nchar = c, 1
		case c == esc:
			p.str, p.st = p.st, strEscape
			return i + 1
		case c == bel && p.st == oscData, c == c1ST && p.raw[len(p.raw)-1] < utf8.RuneSelf: // ST in 8 bits
			p.raw = append(p.raw, c)
			p.endString(1, false)
			return i + 1
		case c == can || c == sub || c == '\n' && p.LineFeedEnds && !p.inImage():
			p.cancelString()
			if c != '\n' {
				p.token(Control, c, []byte{c})
				return i + 1
			}
			return i
		default:
			p.keepData(c)
		}
	}
	return len(b)
}

// inImage reports whether the parser is within an image (sixel), which may have line feeds, or in one that
// tmux passes on.
func (p *Parser) inImage() bool {
	return p.isDCS('q') || p.isDCS('t') && (p.tok.Continued || bytes.HasPrefix(p.raw[p.head:], []byte("mux;\x1b\x1bP")))
}

// isDCS reports whether the parser is within a device control string with this final byte and without
// intermediates: q is an image (sixel), t what tmux passes on.
func (p *Parser) isDCS(final byte) bool {
	return p.st == dcsData && p.tok.Final == final && p.tok.Inter[0] == 0
}

// stringC1 ends a string at ST in UTF-8, or cancels it because of another control.
func (p *Parser) stringC1(c byte) {
	if c == c1ST {
		p.raw = append(p.raw, 0xc2, c)
		p.endString(2, false)
		return
	}
	p.cancelString()
	p.control(c, []byte{0xc2, c})
}

// keepData adds a byte of payload; a string that is too long is emitted in pieces.
func (p *Parser) keepData(c byte) {
	if len(p.raw) == MaxString-1 {
		st := p.st
		p.tok.Partial = true
		p.endString(0, false)
		p.tok.Partial, p.tok.Continued = false, true
		p.st, p.head = st, 0
	}
	p.raw = append(p.raw, c)
}

// endString emits the string; its last term bytes are its terminator.
func (p *Parser) endString(term int, cancelled bool) {
	kind := String
	switch p.st {
	case oscData:
		kind = OSC
	case dcsData:
		kind = DCS
	}
	p.tok.Data = p.raw[p.head : len(p.raw)-term]
	p.tok.Cancelled, p.tok.Unterminated = cancelled, term == 0 && !p.tok.Partial
	p.end(kind, p.tok.Final)
	p.tok.Data, p.tok.Cancelled, p.tok.Unterminated = nil, false, false
}

func (p *Parser) cancelString() {
	if p.nchar > 0 {
		p.nchar = 0
		p.raw = append(p.raw, 0xc2)
	}
	if p.st == strEscape {
		p.st = p.str
		p.raw = append(p.raw, esc)
	}
	p.endString(0, true)
}

package vt

import (
	"unicode/utf8"
)

const (
	bel = 0x07
	can = 0x18
	sub = 0x1a
	esc = 0x1b
	del = 0x7f

	byteOrderMark = 0xfeff

	c1First, c1Last = 0x80, 0x9f
	c1DCS           = 0x90
	c1SOS           = 0x98
	c1CSI           = 0x9b
	c1ST            = 0x9c
	c1OSC           = 0x9d
	c1PM            = 0x9e
	c1APC           = 0x9f
)

type state uint8

const (
	ground state = iota
	escEntry
	escInter
	csiEntry
	csiParam
	csiInter
	csiIgnore
	dcsEntry
	dcsParam
	dcsInter
	dcsIgnore
	dcsData
	oscData
	strData
	strEscape // an ESC within a string: the first half of ST, or a new sequence
)

// Parser splits a stream into tokens. Its zero value is ready to use; it is not safe for concurrent
// use.
type Parser struct {
	// LineFeedEnds makes a line feed cancel a string, or the beginning of a device control string,
	// so that an unterminated title does not swallow the text after it. A terminal ignores it.
	LineFeedEnds bool
	// SevenBit makes C1 controls in UTF-8 (U+0080 to U+009F) text, as a reader of a program's text
	// expects; to a terminal they are controls. (A single byte 0x9c after ASCII still ends a
	// string.)
	SevenBit bool
	// CommandsOnly makes everything except OSC text, for a reader that needs only OSC: colors then
	// cost as little as letters.
	CommandsOnly bool

	st     state
	str    state  // the string that strEscape interrupts
	tok    Token  // under construction
	params Params // of tok
	other  Token  // other tokens, emitted during the construction of tok
	plain  Token  // text token
	raw    []byte // bytes of tok
	head   int    // length of the introducer, for strings
	inters int
	long   bool              // the beginning of the sequence has been emitted
	char   [utf8.UTFMax]byte // a character inside a sequence
	nchar  int
	heldC2 bool // the stream ended with 0xC2 in the ground state: a C1 control may follow
	offset int64
	emit   func(*Token)
}

// ForText returns a parser for readers of a program's text: neither an unterminated title nor a C1
// control in UTF-8 hides text from it.
func ForText() Parser { return Parser{LineFeedEnds: true, SevenBit: true} }

// Feed parses b and calls emit with each token, in stream order. It keeps no reference to b.
func (p *Parser) Feed(b []byte, emit func(*Token)) {
	p.emit = emit
	for len(b) > 0 {
		if p.st == ground {
			b = p.text(b)
		} else {
			b = p.sequence(b)
		}
	}
	p.emit = nil
}

// Flush emits everything held back, at the end of the stream. The parser is then in its ground
// state.
func (p *Parser) Flush(emit func(*Token)) {
	p.emit = emit
	if p.heldC2 {
		p.heldC2 = false
		p.token(Text, 0, []byte{0xc2})
	}
	p.giveUp()
	p.emit = nil
}

// token emits a token that has only its bytes and, for a control, its code.
func (p *Parser) token(kind Kind, final byte, raw []byte) {
	p.other = Token{Kind: kind, Final: final, Raw: raw, Offset: p.offset}
	p.offset += int64(len(raw))
	p.emit(&p.other)
}

// text handles b in the ground state, up to the beginning of a sequence.
func (p *Parser) text(b []byte) []byte {
	if p.heldC2 {
		p.heldC2 = false
		if !p.SevenBit && b[0] >= c1First && b[0] <= c1Last {
			p.control(b[0], []byte{0xc2, b[0]})
			return b[1:]
		}
		p.token(Text, 0, []byte{0xc2})
	}
	n := p.textLen(b)
	for p.CommandsOnly && n+1 < len(b) && b[n] == esc && b[n+1] != ']' {
		n += 1 + p.textLen(b[n+1:])
	}
	if n == len(b) && b[n-1] == 0xc2 && !p.SevenBit {
		p.heldC2 = true
		n, b = n-1, b[:n-1]
	}
	if n > 0 {
		p.plain.Raw, p.plain.Offset = b[:n], p.offset
		p.offset += int64(n)
		p.emit(&p.plain)
	}
	switch {
	case n == len(b):
		return nil
	case b[n] == esc:
		if k := p.common(b[n:]); k > 0 {
			return b[n+k:]
		}
		p.begin(escEntry, b[n:n+1])
		return b[n+1:]
	}
	p.control(b[n+1], b[n:n+2])
	return b[n+2:]
}

// control handles a C1 control with the given bytes.
func (p *Parser) control(c byte, raw []byte) {
	switch c {
	case c1CSI:
		p.begin(csiEntry, raw)
	case c1DCS:
		p.begin(dcsEntry, raw)
	case c1OSC:
		p.begin(oscData, raw)
	case c1SOS, c1PM, c1APC:
		p.begin(strData, raw)
	default:
		p.token(Control, c, raw)
	}
}

// begin starts a sequence with the introducer raw.
func (p *Parser) begin(s state, raw []byte) {
	p.st, p.nchar, p.inters, p.long = s, 0, 0, false
	p.raw = append(p.raw[:0], raw...)
	p.head = len(p.raw)
	p.tok.Prefix, p.tok.Inter, p.tok.Continued, p.tok.Mixed = 0, [2]byte{}, false, false
	p.tok.Params = &p.params
	p.params.reset()
}

// introduce turns the escape under construction into a longer introducer.
func (p *Parser) introduce(s state) {
	p.st, p.head = s, len(p.raw)
	p.inters = 0
}

// end emits the sequence under construction and returns to the ground state.
func (p *Parser) end(kind Kind, final byte) {
	p.st = ground
	if p.long {
		p.flushInvalid()
		return
	}
	p.tok.Kind, p.tok.Final = kind, final
	p.tok.Raw, p.tok.Offset = p.raw, p.offset
	p.offset += int64(len(p.raw))
	p.emit(&p.tok)
	p.raw = p.raw[:0]
}

// giveUp emits the bytes of an unfinished sequence and returns to the ground
// state.
func (p *Parser) giveUp() {
	switch p.st {
	case ground:
		return
	case oscData, dcsData, strData, strEscape:
		p.cancelString()
		return
	}
	p.flushInvalid()
	p.st = ground
}

// flushInvalid emits the bytes kept of a sequence that has no effect.
func (p *Parser) flushInvalid() {
	p.raw = append(p.raw, p.char[:p.nchar]...)
	p.nchar = 0
	if len(p.raw) > 0 {
		p.other = Token{Kind: Invalid, Raw: p.raw, Offset: p.offset, Mixed: p.tok.Mixed}
		p.offset += int64(len(p.raw))
		p.emit(&p.other)
		p.raw = p.raw[:0]
	}
}

// sequence handles b within a sequence and returns the rest.
func (p *Parser) sequence(b []byte) []byte {
	for i := 0; i < len(b); i++ {
		if p.st == ground {
			return b[i:]
		}
		if p.st >= oscData || p.st == dcsData {
			n := p.stringData(b[i:])
			i += n - 1
			continue
		}
		c := b[i]
		if p.nchar > 0 || c >= utf8.RuneSelf {
			if !p.character(c) {
				i-- // c begins another token
			}
			continue
		}
		if c == '\n' && p.LineFeedEnds && p.st >= dcsEntry {
			p.giveUp()
			return b[i:]
		}
		p.step(c)
	}
	return nil
}

// keep adds c to the bytes of the sequence, within bounds.
func (p *Parser) keep(c byte) {
	if len(p.raw) == maxSequence {
		p.flushInvalid()
		p.long = true
	}
	p.raw = append(p.raw, c)
}

package vt

import (
	"bytes"
	"unicode/utf8"
)

// character collects a non-ASCII character inside a sequence and reports whether it consumed c. C1
// controls in it take effect, other characters end most sequences, and invalid UTF-8 is ignored.
func (p *Parser) character(c byte) bool {
	if p.nchar > 0 && c&0xc0 != 0x80 {
		p.keepChar()
		return false
	}
	p.char[p.nchar] = c
	p.nchar++
	length := charLen(p.char[0])
	if length == 0 {
		p.keepChar()
		return true
	}
	if p.nchar < length {
		return true
	}
	r, n := utf8.DecodeRune(p.char[:p.nchar])
	switch {
	case r == utf8.RuneError && n <= 1, r == byteOrderMark:
		p.keepChar()
	case r >= c1First && r <= c1Last && !p.SevenBit:
		p.c1(byte(r))
	case p.st == csiIgnore || p.st == dcsIgnore:
		p.keepChar()
	default:
		char := bytes.Clone(p.char[:p.nchar])
		p.nchar = 0
		p.giveUp()
		p.token(Invalid, 0, char)
	}
	return true
}

// keepChar adds the bytes collected for a character to the sequence.
func (p *Parser) keepChar() {
	n := p.nchar
	p.nchar = 0 // keep must not add them, too
	for _, c := range p.char[:n] {
		p.keep(c)
	}
}

// charLen returns the length in bytes of a character that begins with c; 0 if none does.
func charLen(c byte) int {
	switch {
	case c&0xe0 == 0xc0:
		return 2
	case c&0xf0 == 0xe0:
		return 3
	case c&0xf8 == 0xf0:
		return 4
	}
	return 0
}

// c1 handles a C1 control within a sequence, and ends the sequence.
func (p *Parser) c1(c byte) {
	raw := bytes.Clone(p.char[:p.nchar])
	p.nchar = 0
	p.giveUp()
	p.control(c, raw)
}

package vt

import "fmt"

// AppendPending appends the beginning of a sequence or character whose end the screen has not
// received. A caller that paints a terminal with AppendANSI and then continues with the stream
// writes it in between, so that a cut within a sequence is harmless.
func (s *Screen) AppendPending(out []byte) []byte {
	return s.parser.appendPending(append(s.appendLast(out), s.decoder.b[:s.decoder.n]...))
}

// appendLast prints the character before the cursor again if the next character may join it. Its
// style is that of the pen.
func (s *Screen) appendLast(out []byte) []byte {
	x := s.b.x - s.lastWidth
	if s.lastWidth == 0 || x < 0 || s.modes.Insert {
		return out
	}
	c := s.b.line().at(x)
	return s.clusters.append(fmt.Appendf(out, "\x1b[%dG", x+1), c)
}

// appendPending appends the bytes that the parser holds back. If their beginning has been emitted
// already, it is replaced by the beginning of a similar sequence that has no effect.
func (p *Parser) appendPending(out []byte) []byte {
	switch {
	case p.heldC2:
		return append(out, 0xc2)
	case p.st == ground:
		return out
	case p.long || p.tok.Continued:
		out = append(out, p.neutralPrefix()...)
	}
	prefix := Token{Raw: p.raw, Mixed: p.tok.Mixed} // the controls inside have taken effect
	out = append(append(out, prefix.Bare()...), p.char[:p.nchar]...)
	if p.st == strEscape {
		out = append(out, esc)
	}
	return out
}

// neutralPrefix returns the beginning of a sequence that ends where the one under construction
// does, and has no effect.
func (p *Parser) neutralPrefix() string {
	switch st := p.st; {
	case st == oscData, st == strEscape && p.str == oscData:
		return "\x1b]" // BEL ends it too
	case st == escEntry || st == escInter:
		return "\x1b!!!"
	case st < dcsEntry:
		return "\x1b[0<" // a prefix after a parameter
	}
	return "\x1b_"
}

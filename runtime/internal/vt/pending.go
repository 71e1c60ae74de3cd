package vt

import "fmt"

// AppendPending adds the beginning of a sequence or character whose end the
// screen has not seen. Who paints a terminal with AppendANSI and goes on with
// the stream writes it in between: then a cut within a sequence does no harm.
func (s *Screen) AppendPending(out []byte) []byte {
	return s.parser.appendPending(append(s.appendLast(out), s.decoder.b[:s.decoder.n]...))
}

// appendLast prints once more the character before the cursor, when what comes
// next may join it. Its style is that of the pen.
func (s *Screen) appendLast(out []byte) []byte {
	x := s.b.x - s.lastWidth
	if s.lastWidth == 0 || x < 0 || s.modes.Insert {
		return out
	}
	c := s.b.line().at(x)
	return s.clusters.append(fmt.Appendf(out, "\x1b[%dG", x+1), c)
}

// appendPending adds what the parser holds back. Where its beginning was
// emitted already, something of the kind that has no effect stands for it.
func (p *Parser) appendPending(out []byte) []byte {
	switch {
	case p.heldC2:
		return append(out, 0xc2)
	case p.st == ground:
		return out
	case p.long || p.tok.Continued:
		out = append(out, p.withoutEffect()...)
	}
	begun := Token{Raw: p.raw, Mixed: p.tok.Mixed} // the controls inside have acted
	out = append(append(out, begun.Bare()...), p.char[:p.nchar]...)
	if p.st == strEscape {
		out = append(out, esc)
	}
	return out
}

// withoutEffect begins a sequence that ends where the one under construction
// does, and does nothing.
func (p *Parser) withoutEffect() string {
	switch st := p.st; {
	case st == oscData, st == strEscape && p.str == oscData:
		return "\x1b]" // BEL ends it too
	case st == escape || st == escapeInter:
		return "\x1b!!!"
	case st < dcsEntry:
		return "\x1b[0<" // a prefix behind a parameter
	}
	return "\x1b_"
}

package vt

import (
	"bytes"
	"encoding/binary"
)

// Plain output is scanned eight bytes at a time, since most time is spent on it.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// zeros returns x with the high bit set of each byte that is 0, and possibly of bytes above such a
// byte.
func zeros(x uint64) uint64 { return (x - ones) &^ x & highs }

// textLen returns the length of the text at the beginning of b: up to an escape or a C1 control in
// UTF-8.
func (p *Parser) textLen(b []byte) int {
	if p.SevenBit {
		if n := bytes.IndexByte(b, esc); n >= 0 {
			return n
		}
		return len(b)
	}
	// Two bytes end the text: growing windows keep the search for one from repeatedly running far
	// ahead of the other.
	for from, size := 0, 64; ; size *= 2 {
		end := min(from+size, len(b))
		found := bytes.IndexByte(b[from:end], esc)
		if found >= 0 {
			end = from + found
		}
		for i := from; ; i++ {
			k := bytes.IndexByte(b[i:end], 0xc2)
			if k < 0 {
				break
			}
			if i += k; i+1 < len(b) && b[i+1] >= c1First && b[i+1] <= c1Last {
				return i
			}
		}
		if from = end; found >= 0 || end == len(b) {
			return end
		}
	}
}

// common emits the sequence at the beginning of b and returns its length, if it is complete and of a
// common form: a control sequence of a prefix and parameters, or an OSC command without unusual
// bytes. Otherwise it returns 0.
func (p *Parser) common(b []byte) int {
	switch {
	case len(b) < 3:
	case b[1] == '[':
		return p.commonCSI(b)
	case b[1] == ']':
		return p.commonOSC(b[:min(len(b), MaxString)])
	}
	return 0
}

func (p *Parser) commonOSC(b []byte) int {
	i, n := 2, 0
	for i < len(b) && b[i] >= 0x20 && b[i] != 0xc2 && b[i] != c1ST {
		i++
	}
	switch {
	case i < len(b) && b[i] == bel:
		n = i + 1
	case i+1 < len(b) && b[i] == esc && b[i+1] == '\\':
		n = i + 2
	default:
		return 0
	}
	p.other = Token{Kind: OSC, Raw: b[:n], Offset: p.offset, Data: b[2:i]}
	p.offset += int64(n)
	p.emit(&p.other)
	return n
}

func (p *Parser) commonCSI(b []byte) int {
	i := 2
	prefix := b[i]
	if prefix < '<' || prefix > '?' {
		prefix = 0
	} else {
		i++
	}
	from := i
	for i < len(b) && b[i] >= '0' && b[i] <= ';' {
		i++
	}
	if i == len(b) || i >= maxSequence || b[i] < 0x40 || b[i] >= del {
		return 0
	}
	p.params.reset()
	for _, c := range b[from:i] {
		p.params.add(c)
	}
	t := &p.tok
	t.Kind, t.Raw, t.Offset, t.Mixed, t.Continued = CSI, b[:i+1], p.offset, false, false
	t.Final, t.Prefix, t.Inter, t.Params = b[i], prefix, [2]byte{}, &p.params
	p.offset += int64(i + 1)
	p.emit(t)
	return i + 1
}

// printableLen returns the number of printable ASCII characters at the beginning of b.
func printableLen(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		if x&highs|(x-0x20*ones)&^x&highs|zeros(x^del*ones) != 0 {
			break
		}
	}
	for i < len(b) && b[i] >= 0x20 && b[i] < del {
		i++
	}
	return i
}

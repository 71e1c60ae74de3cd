package vt

import (
	"bytes"
	"encoding/binary"
)

// Eight bytes at a time: what plain output spends its time with.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// zeros has the high bit of each byte of x that is 0, and perhaps of bytes
// above such a one.
func zeros(x uint64) uint64 { return (x - ones) &^ x & highs }

// textLen is the length of the text that b begins with: up to an escape or a C1
// control in UTF-8.
func (p *Parser) textLen(b []byte) int {
	if p.SevenBit {
		if n := bytes.IndexByte(b, esc); n >= 0 {
			return n
		}
		return len(b)
	}
	// Two bytes end it: windows that grow keep the search for the one from
	// running far ahead of the other, again and again.
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

// whole emits the control sequence that b begins with and returns its length:
// what most of coloured output is, a prefix and parameters, all there. 0 says
// that it is anything else.
func (p *Parser) whole(b []byte) int {
	if len(b) < 3 || b[1] != '[' {
		return 0
	}
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
	p.tok = Token{Kind: CSI, Raw: b[:i+1], Offset: p.offset, Final: b[i], Prefix: prefix, Params: &p.params}
	p.offset += int64(i + 1)
	p.emit(&p.tok)
	return i + 1
}

// printableLen is the number of printable ASCII characters that b begins with.
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

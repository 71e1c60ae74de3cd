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
	end := bytes.IndexByte(b, esc)
	if end < 0 {
		end = len(b)
	}
	if p.SevenBit {
		return end
	}
	for i := 0; ; {
		k := bytes.IndexByte(b[i:end], 0xc2)
		if k < 0 {
			return end
		}
		if i += k + 1; i < end && b[i] >= c1First && b[i] <= c1Last {
			return i - 1
		}
	}
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

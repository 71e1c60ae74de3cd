package vt

import "encoding/binary"

// Eight bytes at a time: what plain output spends its time with.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// zeros has the high bit of each byte of x that is 0, and perhaps of bytes
// above such a one.
func zeros(x uint64) uint64 { return (x - ones) &^ x & highs }

// textLen is the length of the text that b begins with: up to a C0 control, DEL
// or a C1 control in UTF-8.
func textLen(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		if (x-0x20*ones)&^x&highs|zeros(x^del*ones)|zeros(x^0xc2*ones) == 0 {
			continue
		}
		if n := controlAt(b, i, i+8); n >= 0 {
			return n
		}
	}
	if n := controlAt(b, i, len(b)); n >= 0 {
		return n
	}
	return len(b)
}

// controlAt is the index of the first control in b[from:to], or -1.
func controlAt(b []byte, from, to int) int {
	for i := from; i < to; i++ {
		c := b[i]
		if c < 0x20 || c == del || c == 0xc2 && i+1 < len(b) && b[i+1] >= c1First && b[i+1] <= c1Last {
			return i
		}
	}
	return -1
}

// asciiLen is the number of ASCII bytes that b begins with.
func asciiLen(b []byte) int {
	i := 0
	for i+8 <= len(b) && binary.LittleEndian.Uint64(b[i:])&highs == 0 {
		i += 8
	}
	for i < len(b) && b[i] < 0x80 {
		i++
	}
	return i
}

package screen

import (
	"bytes"
	"strconv"
)

// bound stands before the VT library, which obeys a count as long as it is
// high: one sequence with 999999999 keeps it busy for minutes. No terminal does
// more with a count than to fill itself, so counts end at the grid's size.
type bound struct {
	cols, rows int
	place      place
	seq        []byte // CSI so far
}

type place uint8

const (
	ground place = iota
	escape
	control // after CSI
	overlong
)

// maxControl bounds a control sequence, in bytes; a longer one is dropped.
const maxControl = 4 << 10

// filter appends to out what of b may be obeyed. The beginning of a sequence is
// held back until its end.
func (s *bound) filter(out, b []byte) []byte {
	for len(b) > 0 {
		if s.place == ground {
			i := bytes.IndexByte(b, 0x1b)
			if i < 0 {
				return append(out, b...)
			}
			out, b, s.place = append(out, b[:i]...), b[i+1:], escape
			continue
		}
		out = s.step(out, b[0])
		b = b[1:]
	}
	return out
}

func (s *bound) step(out []byte, c byte) []byte {
	switch {
	case c == 0x1b: // what was unfinished never was
		s.place = escape
	case s.place == escape && c == '[':
		s.place, s.seq = control, append(s.seq[:0], "\x1b["...)
	case s.place == escape:
		s.place = ground
		return append(out, 0x1b, c)
	case c == 0x18 || c == 0x1a: // CAN, SUB
		s.place = ground
	case c < 0x20: // obeyed in the middle of a sequence
		return append(out, c)
	case c >= 0x80:
		s.place = ground
		return append(out, c)
	case s.place == overlong || len(s.seq) >= maxControl:
		s.place = overlong
		if c >= 0x40 {
			s.place = ground
		}
	case c < 0x40:
		s.seq = append(s.seq, c)
	default:
		s.place = ground
		return s.count(out, c)
	}
	return out
}

// counted are the finals of the sequences that a count or a position belongs to.
const counted = "@ABCDEFGHILMPSTXYZ`abdefjkrs"

func (s *bound) count(out []byte, final byte) []byte {
	limit := max(s.cols, s.rows)
	switch {
	case bytes.IndexByte([]byte(counted), final) < 0:
		return append(append(out, s.seq...), final)
	case final == 'b': // a whole line again is as much as a program may want
		limit = s.cols
	}
	for i := 0; i < len(s.seq); {
		n, digits := 0, 0
		for ; i+digits < len(s.seq) && '0' <= s.seq[i+digits] && s.seq[i+digits] <= '9'; digits++ {
			n = min(n*10+int(s.seq[i+digits]-'0'), limit)
		}
		if digits == 0 {
			out = append(out, s.seq[i])
			i++
			continue
		}
		out = strconv.AppendInt(out, int64(n), 10)
		i += digits
	}
	return append(out, final)
}

package echo

// escape recognises escape sequences (ECMA-48 in 7-bit form) byte by byte.
type escape struct {
	in     place
	number int
}

type place uint8

const (
	outside place = iota
	introduced
	csi
	charset // ESC ( and the like: one byte follows
	str     // OSC, DCS, SOS, PM, APC
	strESC
)

// step reads c. inside says that c belongs to a sequence that is not complete;
// at its last byte move is the number of columns that it moves the cursor left,
// -1 when it is any other sequence, and 0 outside of sequences.
func (e *escape) step(c byte) (inside bool, move int) {
	switch e.in {
	case outside:
		if c != 0x1b {
			return false, 0
		}
		e.in = introduced
		return true, 0
	case introduced:
		return e.introduce(c)
	case csi:
		return e.csi(c)
	case str, strESC:
		if c == 0x07 || c == 0x18 || c == 0x1a || e.in == strESC {
			return e.end()
		}
		if c == 0x1b {
			e.in = strESC
		}
		return true, 0
	}
	return e.end()
}

func (e *escape) introduce(c byte) (bool, int) {
	switch {
	case c == '[':
		e.in, e.number = csi, 0
	case c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_':
		e.in = str
	case 0x20 <= c && c < 0x30:
		e.in = charset
	case c == 0x1b:
	default:
		return e.end()
	}
	return true, 0
}

func (e *escape) csi(c byte) (bool, int) {
	switch {
	case '0' <= c && c <= '9':
		e.number = min(e.number*10+int(c-'0'), 1<<16)
	case c == 'D':
		e.in = outside
		return false, max(e.number, 1)
	case 0x40 <= c && c < 0x7f || c == 0x18 || c == 0x1a:
		return e.end()
	}
	return true, 0
}

func (e *escape) end() (bool, int) {
	e.in = outside
	return false, -1
}

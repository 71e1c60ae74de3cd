package vt

// charset replaces ASCII characters (ISO 2022); nil is ASCII itself. It has an entry, or 0, for
// each character from space on.
type charset [95]rune

// graphics is the DEC Special Graphics set
// (https://vt100.net/docs/vt102-ug/table5-13.html), british the UK national set.
var (
	graphics = charsetFrom('`', []rune("◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·"))
	british  = charsetFrom('#', []rune("£"))
)

func charsetFrom(first byte, by []rune) *charset {
	var c charset
	copy(c[first-' ':], by)
	return &c
}

// designate handles ESC, one of ( ) * + - . and a final byte. Of the national sets only the British
// one is supported: characters that the others replace stay ASCII.
func (s *Screen) designate(inter, final byte) {
	var g int
	switch inter {
	case '(':
	case ')', '-':
		g = 1
	case '*', '.':
		g = 2
	case '+':
		g = 3
	default:
		return
	}
	var set *charset
	switch final {
	case '0':
		set = graphics
	case 'A':
		set = british
	case 'B', '4', 'C', '5', 'R', 'Q', 'K', 'Y', 'E', '6', 'Z', 'H', '7', '=':
	default:
		return
	}
	s.sets.g[g] = set
}

// charsets holds the sets designated as G0 to G3, and the index of the active one.
type charsets struct {
	g     [4]*charset
	level int
}

func (c *charsets) used() *charset { return c.g[c.level] }

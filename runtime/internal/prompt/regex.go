package prompt

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/dlclark/regexp2"

	"ripple/schema"
)

// tailLimit is how much of the stream's end a pattern sees, in bytes: prompts
// are short, and a bounded tail keeps matching cheap.
const tailLimit = 4096

// Pattern is one prompt pattern and what it stands for.
type Pattern struct {
	Key    string // where it was declared, for messages ("prompt.primary")
	Source string
	Tag    int // the caller's
}

// Patterns recognises prompts at the end of the stream.
type Patterns struct {
	compiled []*regexp2.Regexp
	patterns []Pattern
}

// NewPatterns compiles the patterns; the error names the key.
func NewPatterns(patterns []Pattern) (*Patterns, error) {
	p := &Patterns{patterns: patterns}
	for _, pat := range patterns {
		// Right to left finds the last match first, whatever stands before it.
		re, err := schema.CompilePattern(pat.Source, regexp2.RightToLeft)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pat.Key, err)
		}
		p.compiled = append(p.compiled, re)
	}
	return p, nil
}

// Empty says that there is nothing to look for.
func (p *Patterns) Empty() bool { return p == nil || len(p.compiled) == 0 }

// Match is a prompt at the end of the stream.
type Match struct {
	Tag    int
	Start  int      // offset in the raw tail where the prompt begins, with the sequences that colour it
	Text   string   // the prompt as matched, without escape sequences
	Groups []string // group 0 is Text
}

// AtEnd matches the patterns in their order against the end of tail, which is
// raw program output: escape sequences are removed first and carriage returns
// resolved. A match must reach to the very end. The error names the key of a
// pattern that took too long.
//
// Output without a newline pushes the prompt off the start of its line, where
// an anchored pattern does not match. So, when usual is the length of the
// prompts seen so far in characters (0: none), ends of about that length are
// tried as if they began a line.
func (p *Patterns) AtEnd(tail []byte, usual int) (Match, bool, error) {
	base := 0
	if len(tail) > tailLimit {
		base = len(tail) - tailLimit
	}
	clean := visible(tail[base:])
	total := len(clean.runes)
	m, ok, err := p.atEnd(clean.runes)
	from := 0
	for n := max(1, usual-2); usual > 0 && !ok && err == nil && n <= usual+4 && n < total; n++ {
		from = total - n
		m, ok, err = p.atEnd(clean.runes[from:])
	}
	m.Start = base + clean.offset(from+m.Start)
	if begin := lineStart(tail, m.Start); begin >= base {
		m.Start = begin
	}
	return m, ok, err
}

// lineStart is where the line of at begins, if nothing but escape sequences stands
// before at in it: they belong to what follows. Otherwise at: a sequence behind
// text may end the text's own colour.
func lineStart(b []byte, at int) int {
	begin := 1 + bytes.LastIndexAny(b[:at], "\r\n")
	for i := begin; i < at; {
		switch b[i] {
		case 0x1b:
			i += escapeLength(b[i:at])
		case 0, 7:
			i++
		default:
			return at
		}
	}
	return begin
}

// atEnd is AtEnd on characters; Start counts them.
func (p *Patterns) atEnd(text []rune) (Match, bool, error) {
	for i, re := range p.compiled {
		m, err := re.FindRunesMatch(text)
		if err != nil {
			return Match{}, false, fmt.Errorf("%s: matching took longer than %s: simplify the pattern", p.patterns[i].Key, re.MatchTimeout)
		}
		if m == nil || m.Index+m.Length != len(text) || m.Length == 0 {
			continue
		}
		found := Match{Tag: p.patterns[i].Tag, Start: m.Index, Text: m.String()}
		for _, g := range m.Groups() {
			found.Groups = append(found.Groups, g.String())
		}
		return found, true, nil
	}
	return Match{}, false, nil
}

// cleaned is text as it looks on the screen, with the way back to the bytes.
type cleaned struct {
	runes   []rune
	offsets []int // of each rune in the raw bytes
	end     int
}

func (c *cleaned) offset(i int) int {
	if i < len(c.offsets) {
		return c.offsets[i]
	}
	return c.end
}

// Visible removes CSI and OSC sequences and applies carriage returns and
// backspaces, as far as a prompt needs it: text before a lone carriage return
// on the same line is gone.
func Visible(b []byte) string { c := visible(b); return string(c.runes) }

func visible(b []byte) cleaned {
	c := cleaned{runes: make([]rune, 0, len(b)), offsets: make([]int, 0, len(b)), end: len(b)}
	line := 0 // index of the first rune of the current line
	for i := 0; i < len(b); {
		switch ch := b[i]; {
		case ch == 0x1b:
			i += escapeLength(b[i:])
			continue
		case ch == '\r':
			if i+1 < len(b) && b[i+1] != '\n' && b[i+1] != '\r' {
				c.runes, c.offsets = c.runes[:line], c.offsets[:line]
			}
		case ch == '\b':
			if len(c.runes) > line {
				c.runes, c.offsets = c.runes[:len(c.runes)-1], c.offsets[:len(c.offsets)-1]
			}
		case ch == 0 || ch == 7:
		default:
			r, size := utf8.DecodeRune(b[i:])
			c.runes, c.offsets = append(c.runes, r), append(c.offsets, i)
			if r == '\n' {
				line = len(c.runes)
			}
			i += size
			continue
		}
		i++
	}
	return c
}

// escapeLength is the length of the escape sequence at the start of b: CSI,
// OSC and the other string sequences, or two bytes (ECMA-48).
func escapeLength(b []byte) int {
	if len(b) < 2 {
		return len(b)
	}
	switch b[1] {
	case '[':
		for i := 2; i < len(b); i++ {
			if b[i] >= 0x40 && b[i] <= 0x7e {
				return i + 1
			}
		}
		return len(b)
	case ']', 'P', '_', '^', 'X':
		for i := 2; i < len(b); i++ {
			if b[i] == 7 {
				return i + 1
			}
			if b[i] == 0x1b && i+1 < len(b) && b[i+1] == '\\' {
				return i + 2
			}
		}
		return len(b)
	case '(', ')', '#', '%':
		return min(3, len(b))
	}
	return 2
}

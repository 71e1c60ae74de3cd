package prompt

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/dlclark/regexp2"

	"example.org/ripple/internal/vt"
	"example.org/ripple/schema"
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

// Patterns recognizes prompts at the end of the stream. It is not safe for
// concurrent use.
type Patterns struct {
	compiled []*regexp2.Regexp
	patterns []Pattern
	clean    cleaned
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

// Empty reports whether there is nothing to look for.
func (p *Patterns) Empty() bool { return p == nil || len(p.compiled) == 0 }

// Match is a prompt at the end of the stream.
type Match struct {
	Pattern          // the one that matches
	Start   int      // offset in the raw tail where the prompt begins, with the sequences that color it
	Text    string   // the prompt as matched, without escape sequences
	Groups  []string // group 0 is Text
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
	p.clean.read(tail[base:])
	clean := &p.clean
	total := len(clean.runes)
	m, ok, err := p.atEnd(clean.runes)
	from := 0
	for n := max(1, usual-2); usual > 0 && !ok && err == nil && n <= usual+4 && n < total; n++ {
		from = total - n
		m, ok, err = p.atEnd(clean.runes[from:])
	}
	m.Start = base + clean.lineStart(clean.offset(from+m.Start))
	return m, ok, err
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
		found := Match{Pattern: p.patterns[i], Start: m.Index, Text: m.String()}
		for _, g := range m.Groups() {
			found.Groups = append(found.Groups, g.String())
		}
		return found, true, nil
	}
	return Match{}, false, nil
}

// cleaned is text as it looks on the screen, with the way back to the bytes.
type cleaned struct {
	tokens  vt.Parser
	token   func(*vt.Token) // made once
	raw     []byte
	runes   []rune
	offsets []int // of each rune in raw
	line    int   // index of the first rune of the current line
}

func (c *cleaned) offset(i int) int {
	if i < len(c.offsets) {
		return c.offsets[i]
	}
	return len(c.raw)
}

// lineStart is where the line of at begins, if nothing but escape sequences stands
// before at in it: they belong to what follows. Otherwise at: a sequence after
// text may end the text's own color.
func (c *cleaned) lineStart(at int) int {
	begin := 1 + bytes.LastIndexAny(c.raw[:at], "\r\n")
	i, _ := slices.BinarySearch(c.offsets, begin)
	if c.offset(i) < at || bytes.IndexByte(c.raw[begin:at], '\b') >= 0 {
		return at
	}
	return begin
}

// Visible removes escape sequences and applies carriage returns and
// backspaces, as far as a prompt needs it: text before a lone carriage return
// on the same line is gone.
func Visible(b []byte) string {
	c := spare.Get().(*cleaned)
	defer spare.Put(c)
	c.read(b)
	c.raw = nil
	return string(c.runes)
}

// spare are those of Visible, each of which is large beside a prompt.
var spare = sync.Pool{New: func() any { return new(cleaned) }}

// read takes b; a sequence that is unfinished at its end is not seen.
func (c *cleaned) read(b []byte) {
	c.raw, c.runes, c.offsets, c.line = b, c.runes[:0], c.offsets[:0], 0
	c.tokens = vt.ForText()
	if c.token == nil {
		c.token = func(t *vt.Token) { c.text(int(t.Offset), int(t.Offset)+len(t.Plain())) }
	}
	c.tokens.Feed(b, c.token)
}

// text takes raw[from:end], which is not part of a sequence.
func (c *cleaned) text(from, end int) {
	for i := from; i < end; {
		printable := i
		for printable < end && c.raw[printable] >= ' ' && c.raw[printable] < utf8.RuneSelf {
			printable++
		}
		c.ascii(i, printable)
		if i = printable; i == end {
			return
		}
		size := 1
		switch ch := c.raw[i]; ch {
		case '\r':
			if i+1 < len(c.raw) && c.raw[i+1] != '\n' && c.raw[i+1] != '\r' {
				c.cut(c.line)
			}
		case '\b':
			if len(c.runes) > c.line {
				c.cut(len(c.runes) - 1)
			}
		case 0, 7:
		default:
			r := rune(ch)
			if ch >= utf8.RuneSelf {
				r, size = utf8.DecodeRune(c.raw[i:end])
			}
			c.runes, c.offsets = append(c.runes, r), append(c.offsets, i)
			if r == '\n' {
				c.line = len(c.runes)
			}
		}
		i += size
	}
}

func (c *cleaned) ascii(from, end int) {
	runes, offsets := c.runes, c.offsets
	for i := from; i < end; i++ {
		runes, offsets = append(runes, rune(c.raw[i])), append(offsets, i)
	}
	c.runes, c.offsets = runes, offsets
}

func (c *cleaned) cut(n int) { c.runes, c.offsets = c.runes[:n], c.offsets[:n] }

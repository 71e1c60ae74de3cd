package agent

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"
)

const (
	// longLine is the length in bytes from which a line's strings are examined individually.
	longLine = 1 << 20
	// longString is the number of bytes kept of one string of a long line: half from its
	// beginning, and half from its end, where an answer has its result.
	longString = 256 << 10
	// maxLine is the maximum length of a line after its strings were cut.
	maxLine = 8 << 20
)

// lines splits a stream into lines, in bounded memory. A line of more than a megabyte remains one
// JSON value: its long strings are cut and contain the number of omitted bytes. Feed calls emit
// with each line, without its ending; the bytes are valid until emit returns.
type lines struct {
	emit  func(line []byte)
	lost  func(bytes int) // called when a line was cut, before emit; may be nil
	whole int             // maximum length in bytes of a line that is not cut; 0: longLine
	buf   []byte
	cut   *cutter // for the current line, once it is long
}

func (l *lines) feed(b []byte) {
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			l.add(b)
			return
		}
		l.add(b[:i])
		l.end()
		b = b[i+1:]
	}
}

func (l *lines) add(b []byte) {
	if l.cut == nil && len(l.buf)+len(b) > cmp.Or(l.whole, longLine) {
		l.cut = &cutter{limit: longString}
		l.cut.feed(l.buf)
		l.buf = nil
	}
	if l.cut != nil {
		l.cut.feed(b)
		return
	}
	l.buf = append(l.buf, b...)
}

// end is the end of a line, or of the stream.
func (l *lines) end() {
	line := l.buf
	if l.cut != nil {
		line = l.cut.out
		if n := l.cut.lost + l.cut.open(); l.lost != nil && n > 0 {
			l.lost(n)
		}
	}
	line = bytes.TrimSuffix(line, []byte("\r"))
	if len(bytes.TrimSpace(line)) > 0 {
		l.emit(line)
	}
	l.buf, l.cut = l.buf[:0], nil
}

// cutter copies JSON text and shortens its strings in the middle. It parses only the bounds of
// strings and escapes.
type cutter struct {
	limit  int // of a string, in bytes
	out    []byte
	inside bool   // in a string
	kept   int    // length of the string's beginning that was kept
	late   []byte // the end of the string so far
	starts []int  // offsets in late at which a character begins, markStep apart
	lost   int    // of all strings, in bytes
	here   int    // of the current string
	escape []byte // an incomplete escape sequence
}

// markStep is the distance, in bytes, between the offsets at which the kept end of a string may
// begin.
const markStep = 1 << 10

func (c *cutter) feed(b []byte) {
	for _, ch := range b {
		switch {
		case !c.inside:
			c.outside(ch)
		case len(c.escape) > 0:
			c.inEscape(ch)
		case ch == '\\':
			c.escape = append(c.escape, ch)
		case ch == '"':
			c.endString()
		default:
			c.keep(ch)
		}
	}
}

func (c *cutter) outside(ch byte) {
	if len(c.out) < maxLine {
		c.out = append(c.out, ch)
	}
	c.inside, c.kept, c.here, c.late, c.starts = ch == '"', 0, 0, c.late[:0], c.starts[:0]
}

// inEscape collects
//
//	or \u12ab, which must not be split.
func (c *cutter) inEscape(ch byte) {
	c.escape = append(c.escape, ch)
	if c.escape[1] != 'u' || len(c.escape) == 6 {
		c.keep(c.escape...)
		c.escape = c.escape[:0]
	}
}

func (c *cutter) keep(unit ...byte) {
	first := unit[0]&0xc0 != 0x80 // of a UTF-8 sequence, which is kept whole
	within := c.kept < c.limit/2 || !first && c.kept < c.limit/2+utf8.UTFMax
	if within && len(c.late) == 0 && len(c.out) < maxLine {
		c.kept += len(unit)
		c.out = append(c.out, unit...)
		return
	}
	if n := len(c.starts); first && (n == 0 || len(c.late)-c.starts[n-1] >= markStep) {
		c.starts = append(c.starts, len(c.late))
	}
	c.late = append(c.late, unit...)
	if len(c.late) > c.limit {
		c.drop(len(c.late) - c.limit/2)
	}
}

// drop removes at least the given number of bytes of the end that was kept.
func (c *cutter) drop(bytes int) {
	i, _ := slices.BinarySearch(c.starts, bytes)
	at := bytes
	switch {
	case i < len(c.starts):
		at = c.starts[i]
	case bytes < c.limit+2*markStep:
		return // the next offset is near
	}
	c.here += at
	c.late = append(c.late[:0], c.late[at:]...)
	c.starts = append(c.starts[:0], c.starts[i:]...)
	for j := range c.starts {
		c.starts[j] -= at
	}
}

// open returns the number of bytes lost of an unterminated string.
func (c *cutter) open() int {
	if !c.inside {
		return 0
	}
	return c.here + len(c.late)
}

func (c *cutter) endString() {
	c.inside = false
	if len(c.late) > c.limit/2 {
		c.drop(len(c.late) - c.limit/2)
	}
	if len(c.out) >= maxLine {
		return // no longer JSON, and must not grow
	}
	if c.here > 0 {
		c.out = fmt.Appendf(c.out, "…[%d bytes left out]…", c.here)
		c.lost += c.here
	}
	c.out = append(append(c.out, c.late...), '"')
}

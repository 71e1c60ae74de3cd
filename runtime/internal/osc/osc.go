// Package osc divides what a program prints into text and shell-integration
// markers: Parser.Feed is the whole of it.
//
// A marker is an operating system command that starts with ESC ], is numbered
// 633 (VS Code), 133 (FinalTerm) or 7 (working directory) and ends with BEL or
// ST (ESC \). Everything else is text and is passed on byte for byte, in order:
// other sequences, the 8-bit C1 controls (which in UTF-8 are continuation
// bytes, so 0x9d introduces nothing), and every candidate that turns out not to
// be a marker:
//
//   - aborted by a control character other than its terminator, CAN, SUB and a
//     new ESC included: text up to that byte, which is then looked at afresh;
//   - complete, but without a code letter (ESC ] 633 ; x BEL): text;
//   - longer than any marker: text from its beginning on;
//   - unfinished at the end of the stream: text, by Flush.
//
// Splitting the input differently changes
// nothing but how the text is cut into pieces. At most the beginning of a
// candidate is held back.
package osc

import (
	"bytes"
)

const (
	esc = 0x1b
	bel = 0x07

	// maxSequence bounds one sequence up to the first byte of its terminator, in
	// bytes. The longest
	// that shells send is 633;E, a command line, or a path (PATH_MAX is 4,096)
	// with \xHH escapes; beyond 8 KiB it is an attack or garbage.
	maxSequence = 8 << 10
)

// heads are the introducers. The number decides, so 7 must not match 777.
var heads = [...]struct {
	bytes    string
	protocol int
}{{"\x1b]633;", 633}, {"\x1b]133;", 133}, {"\x1b]7;", 7}}

// Marker is one complete sequence.
type Marker struct {
	Code     byte     // the letter after 633; or 133;, or '7' for OSC 7
	Protocol int      // 633, 133 or 7
	Params   []string // what follows the letter, split at ';', still escaped; for OSC 7 the whole payload. Valid during the callback
	Raw      []byte   // the sequence as it arrived, valid during the callback: a receiver who does not trust it has text
}

// Parser is ready to use as its zero value. It is not safe for concurrent use.
type Parser struct {
	held    []byte // the beginning of a candidate, from its ESC
	scanned int    // bytes of held that need no second look
	params  []string
}

// Feed parses b and calls text and marker in the order of the stream. Their
// arguments are valid during the call. text never gets an empty slice.
func (p *Parser) Feed(b []byte, text func([]byte), marker func(Marker)) {
	for len(b) > 0 {
		if len(p.held) > 0 {
			b = p.resume(b, text, marker)
		} else {
			b = p.scan(b, text, marker)
		}
	}
}

// Flush returns an unfinished candidate as text; the stream ended or its
// owner cannot wait any longer.
func (p *Parser) Flush(text func([]byte)) {
	emit(text, p.held)
	p.held, p.scanned = p.held[:0], 0
}

func emit(text func([]byte), b []byte) {
	if len(b) > 0 {
		text(b)
	}
}

// scan handles b from a point outside any candidate and returns what is left.
func (p *Parser) scan(b []byte, text func([]byte), marker func(Marker)) []byte {
	from := 0
	for {
		i := bytes.IndexByte(b[from:], esc)
		if i < 0 {
			text(b)
			return nil
		}
		i += from
		if i+1 < len(b) && b[i+1] != ']' { // colours: most of what begins with ESC
			from = i + 1
			continue
		}
		n, v := examine(b[i:], 0)
		switch v {
		case aborted, overlong:
			from = i + n
		case complete:
			if m, ok := p.parse(b[i : i+n]); ok {
				emit(text, b[:i])
				marker(m)
				return b[i+n:]
			}
			from = i + n
		case unfinished:
			emit(text, b[:i])
			p.held, p.scanned = append(p.held[:0], b[i:]...), n
			return nil
		}
	}
}

// resume continues the held candidate and returns what is left of b.
func (p *Parser) resume(b []byte, text func([]byte), marker func(Marker)) []byte {
	for i, c := range b {
		p.held = append(p.held, c)
		n, v := examine(p.held, p.scanned)
		if v == unfinished {
			p.scanned = n
			continue
		}
		seq := p.held
		p.held, p.scanned = p.held[:0], 0
		switch v {
		case complete:
			if m, ok := p.parse(seq); ok {
				marker(m)
			} else {
				text(seq)
			}
			return b[i+1:]
		case overlong:
			text(seq[:n])
			return b[i:]
		}
		text(seq[:n])
		if n < len(seq)-1 { // an ESC before c that was not ST starts anew
			p.held = append(p.held, esc)
		}
		return b[i:]
	}
	return nil
}

type verdict uint8

const (
	aborted    verdict = iota // not a marker up to n, where the next look begins
	unfinished                // n bytes need no second look
	complete                  // n bytes, terminator included
	overlong                  // the first n bytes are too many
)

// examine judges the sequence at the start of seq, which begins with ESC. The
// first from bytes were found unfinished by an earlier call.
func examine(seq []byte, from int) (n int, v verdict) {
	if from == 0 {
		head, possible := introducer(seq)
		if head == 0 {
			if possible {
				return 0, unfinished
			}
			return mismatch(seq), aborted
		}
		from = head
	}
	for k := from; k < len(seq); k++ {
		c := seq[k]
		switch {
		case k >= maxSequence:
			return k, overlong
		case c >= 0x20:
		case c == bel:
			return k + 1, complete
		case c != esc:
			return k, aborted
		case k+1 == len(seq):
			return k, unfinished
		case seq[k+1] == '\\':
			return k + 2, complete
		default:
			return k, aborted
		}
	}
	return len(seq), unfinished
}

// introducer reports the length of the introducer that seq begins with, or
// whether seq may yet become one.
func introducer(seq []byte) (length int, possible bool) {
	for _, h := range heads {
		n := min(len(seq), len(h.bytes))
		if string(seq[:n]) == h.bytes[:n] {
			if n == len(h.bytes) {
				return n, true
			}
			possible = true
		}
	}
	return 0, possible
}

// mismatch is where seq stops being the beginning of any introducer.
func mismatch(seq []byte) int {
	for n := 1; n < len(seq); n++ {
		if _, possible := introducer(seq[:n+1]); !possible {
			return n
		}
	}
	return len(seq)
}

// Package vt implements a terminal: Parser splits a program's output into tokens, and
// Screen is the grid that those tokens paint.
//
// Parser follows the state diagram of the DEC VT500 parser (https://vt100.net/emu/dec_ansi_parser)
// with UTF-8, sub-parameters after colons (ITU T.416) and bounds on everything that it keeps.
// Splitting the input differently changes only how text and overlong strings are split.
//
// Screen behaves like xterm.js 6, which the tests compare it with; differences and their reasons
// are listed next to that test. No output can make it slow or large: counts are clamped to the
// grid, clearing a screen costs the same for any content, and scrollback and combined characters
// are bounded. A Screen does not answer queries.
package vt

import (
	"bytes"
	"unicode/utf8"
)

// Kind is the kind of a token.
type Kind uint8

const (
	// Text is characters and the C0 controls between them: everything that is not part of a
	// sequence. It may begin or end within a character.
	Text Kind = iota
	// Control is a C1 control in UTF-8 (U+0080 to U+009F), or a C0 control inside a sequence or one
	// that ended a sequence; Final is its code.
	Control
	// Escape is ESC, intermediates and a final byte.
	Escape
	// CSI is a control sequence (ECMA-48 5.4).
	CSI
	// OSC is an operating system command, DCS a device control string and
	// String one of SOS, PM and APC, terminator included.
	OSC
	DCS
	String
	// Invalid is bytes of an abandoned sequence: canceled by a control, or malformed; and a
	// non-ASCII character that interrupted one, which a terminal does not display.
	Invalid
)

// Token is one piece of a program's output. Everything it refers to is valid only until the
// function that received it returns.
type Token struct {
	Kind   Kind
	Raw    []byte // as it arrived; the Raw of all tokens that are not Inside form the stream
	Offset int64  // position of Raw's first byte in the stream, in bytes

	// Inside marks a Control within a sequence that continues. It takes effect before the sequence,
	// whose Raw contains its byte too and which is then Mixed.
	Inside, Mixed bool

	Final  byte    // of Escape, CSI and DCS; the code of a Control
	Prefix byte    // of CSI and DCS: '<', '=', '>', '?' or 0
	Inter  [2]byte // the first intermediates of Escape, CSI and DCS, or 0
	Params *Params // of CSI and DCS

	Data []byte // the payload of OSC, DCS and String, without introducer and terminator
	// Partial marks a piece of a string longer than MaxString that is not its last; Continued marks
	// one that is not its first.
	Partial, Continued bool
	// Cancelled marks a string that CAN, SUB, the end of the stream or, for a reader of text, a line
	// feed ended: it has no effect on a terminal.
	Cancelled bool
	// Unterminated marks the last piece of a string without a terminator: it was canceled, or an
	// escape sequence ended it.
	Unterminated bool
}

// Plain returns the part of t that is text: everything that is not part of a sequence. It includes
// a character that interrupted a sequence.
func (t *Token) Plain() []byte {
	if t.Kind == Text || t.Inside || t.Kind == Invalid && t.Raw[0] >= utf8.RuneSelf {
		return t.Raw
	}
	return nil
}

// Bare returns the Raw of a sequence without the controls inside it.
func (t *Token) Bare() []byte {
	if !t.Mixed || t.Continued {
		return t.Raw
	}
	head := t.Raw[:len(t.Raw)-len(t.Data)-t.terminator()] // a string's text and its terminator stay
	bare := make([]byte, 0, len(t.Raw))
	for _, c := range head {
		if c >= 0x20 || c == esc {
			bare = append(bare, c)
		}
	}
	return append(bare, t.Raw[len(head):]...)
}

// terminator returns the length of a string's terminator.
func (t *Token) terminator() int {
	switch {
	case t.Kind < OSC || t.Partial || t.Unterminated:
		return 0
	case bytes.HasSuffix(t.Raw, []byte("\x1b\\")), bytes.HasSuffix(t.Raw, []byte("\u009c")):
		return 2
	}
	return 1
}

const (
	// MaxString is the maximum length of Raw of a string token, in bytes. A longer string arrives
	// in pieces.
	MaxString = 64 << 10
	// maxSequence is how many bytes of an escape or control sequence are kept; a longer one has no
	// effect and arrives in pieces that are Invalid.
	maxSequence = 4 << 10
	maxParams   = 32
	maxParam    = 1<<31 - 1
)

// Params holds the numeric parameters of a control sequence: at most 32, and 32 sub-parameters,
// each at most 2³¹-1.
type Params struct {
	n, nsub int
	value   [maxParams]int32
	sub     [maxParams]int32
	from    [maxParams + 1]uint8 // sub[from[i]:from[i+1]] belong to value[i]
	full    bool                 // further parameters are ignored
}

func (p *Params) reset() {
	p.n, p.nsub, p.full = 1, 0, false
	p.value[0], p.from[0], p.from[1] = 0, 0, 0
}

// Len returns the number of parameters, at least 1.
func (p *Params) Len() int { return p.n }

// Get returns parameter i, or 0 if it is missing or empty.
func (p *Params) Get(i int) int {
	if i >= p.n {
		return 0
	}
	return int(p.value[i])
}

// Count returns parameter i as a count or position: at least 1.
func (p *Params) Count(i int) int { return max(p.Get(i), 1) }

// Sub returns the sub-parameters of parameter i, which follow it after colons. An empty one is -1.
func (p *Params) Sub(i int) []int32 {
	if i >= p.n {
		return nil
	}
	return p.sub[p.from[i]:p.from[i+1]]
}

// add handles one byte of a parameter string: a digit, ';' or ':'.
func (p *Params) add(c byte) {
	switch {
	case c == ';':
		if p.n == maxParams {
			p.full = true
			return
		}
		p.value[p.n] = 0
		p.n++
		p.from[p.n] = uint8(p.nsub)
	case p.full:
	case c == ':':
		if p.nsub == maxParams {
			p.full = true
			return
		}
		p.sub[p.nsub] = -1
		p.nsub++
		p.from[p.n] = uint8(p.nsub)
	default:
		v := &p.value[p.n-1]
		if p.from[p.n] > p.from[p.n-1] {
			v = &p.sub[p.nsub-1]
		}
		*v = int32(min(int64(max(*v, 0))*10+int64(c-'0'), maxParam))
	}
}

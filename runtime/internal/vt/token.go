// Package vt is a terminal's own part: Parser divides what a program prints
// into tokens, and Screen is the grid that those tokens paint.
//
// Parser follows the state diagram of the DEC VT500 parser
// (https://vt100.net/emu/dec_ansi_parser) with UTF-8, sub-parameters after
// colons (ITU T.416) and bounds on everything that it keeps. Cutting the input
// differently changes nothing but how text and overlong strings are cut.
//
// Screen behaves as xterm.js 6 does, which the tests compare it with; what
// differs, and why, is listed beside that test. What a program prints can make
// it neither slow nor large: counts are clamped to the grid, clearing a screen
// costs the same whatever is on it, and scrollback and combined characters are
// bounded. A Screen answers no queries.
package vt

import "unicode/utf8"

// Kind says what a token is.
type Kind uint8

const (
	// Text is characters and the C0 controls between them: all that is no
	// sequence. It may begin or end within a character.
	Text Kind = iota
	// Control is a C1 control in UTF-8 (U+0080 to U+009F), or a C0 control
	// inside a sequence or one that ended it; Final is its code.
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
	// Invalid is bytes of a sequence that was given up: interrupted by a
	// control that cancels it, or malformed; and a character that is not ASCII
	// and interrupted one, which a terminal does not show.
	Invalid
)

// Token is one piece of what a program prints. Everything it refers to is
// valid only until the function that got it returns.
type Token struct {
	Kind   Kind
	Raw    []byte // as it arrived; the Raw of all tokens that are not Inside are the stream
	Offset int64  // of Raw's first byte in the stream, in bytes

	// Inside is a Control within a sequence that goes on. It acts before the
	// sequence, whose Raw has its byte too and which is then Mixed.
	Inside, Mixed bool

	Final  byte    // of Escape, CSI and DCS; the code of a Control
	Prefix byte    // of CSI and DCS: '<', '=', '>', '?' or 0
	Inter  [2]byte // the first intermediates of Escape, CSI and DCS, or 0
	Params *Params // of CSI and DCS

	Data []byte // the payload of OSC, DCS and String, without introducer and terminator
	// Partial is a piece of a string longer than MaxString that is not its
	// last; Continued one that is not its first.
	Partial, Continued bool
	// Cancelled is a string that CAN or SUB ended, or the end of the stream:
	// it has no effect on a terminal.
	Cancelled bool
}

// Plain is what t has for a reader of text: all that is no part of a sequence.
// A character that interrupted a sequence is not lost.
func (t *Token) Plain() []byte {
	if t.Kind == Text || t.Inside || t.Kind == Invalid && t.Raw[0] >= utf8.RuneSelf {
		return t.Raw
	}
	return nil
}

// Bare is the Raw of a sequence without the controls inside it.
func (t *Token) Bare() []byte {
	if !t.Mixed {
		return t.Raw
	}
	bare := make([]byte, 0, len(t.Raw))
	for _, c := range t.Raw {
		if c >= 0x20 || c == esc {
			bare = append(bare, c)
		}
	}
	return bare
}

const (
	// MaxString is the most that a string token carries, in bytes of Raw. What
	// is longer arrives in pieces.
	MaxString = 64 << 10
	// maxSequence bounds what is kept of an escape or control sequence, in
	// bytes; a longer one has no effect and arrives in pieces that are Invalid.
	maxSequence = 4 << 10
	maxParams   = 32
	maxParam    = 1<<31 - 1
)

// Params are the numeric parameters of a control sequence: at most 32, and 32
// sub-parameters, each at most 2³¹-1.
type Params struct {
	n, nsub int
	value   [maxParams]int32
	sub     [maxParams]int32
	from    [maxParams + 1]uint8 // sub[from[i]:from[i+1]] belong to value[i]
	full    bool                 // further ones are passed over
}

func (p *Params) reset() {
	p.n, p.nsub, p.full = 1, 0, false
	p.value[0], p.from[0], p.from[1] = 0, 0, 0
}

// Len is the number of parameters, at least 1.
func (p *Params) Len() int { return p.n }

// Get is parameter i, 0 when it is missing or empty.
func (p *Params) Get(i int) int {
	if i >= p.n {
		return 0
	}
	return int(p.value[i])
}

// Count is parameter i as a count or position: at least 1.
func (p *Params) Count(i int) int { return max(p.Get(i), 1) }

// Sub is the sub-parameters of parameter i: what follows it behind colons. An
// empty one is -1.
func (p *Params) Sub(i int) []int32 {
	if i >= p.n {
		return nil
	}
	return p.sub[p.from[i]:p.from[i+1]]
}

// add takes one byte of a parameter string: a digit, ';' or ':'.
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

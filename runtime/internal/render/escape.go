package render

import (
	"bytes"
	"unicode/utf8"

	"ripple/runtime/internal/vt"
)

// maxSequence bounds what is kept of a control sequence, in bytes; the longest
// in use are SGR lists of a hundred or so. The rest of a longer one is dropped.
const maxSequence = 4 << 10

type place uint8

const (
	ground place = iota
	introduced
	control // CSI
	str     // OSC, DCS, SOS, PM, APC: to BEL or ST, in 7 or 8 bits
	strESC
)

// sequence is the escape sequence (ECMA-48, 7-bit) that is being read.
type sequence struct {
	place place
	bytes []byte // from ESC; of a string only what was not passed on yet
}

func (s *sequence) begin() {
	s.place = introduced
	s.bytes = append(s.bytes[:0], 0x1b)
}

func (s *sequence) add(c byte) {
	if len(s.bytes) < maxSequence {
		s.bytes = append(s.bytes, c)
	}
}

// st8 is ST in one byte. In UTF-8 it also occurs within characters.
const st8 = 0x9c

// midCharacter says that the next byte may belong to the character of the one before.
func (s *sequence) midCharacter() bool {
	return len(s.bytes) == 0 || s.bytes[len(s.bytes)-1] >= utf8.RuneSelf
}

func (r *Renderer) beginSequence() {
	if r.cells != nil {
		r.cells.flushPartial(r.colour.now)
	}
	r.seq.begin()
}

// escape reads on in the sequence and returns how many bytes it took.
func (r *Renderer) escape(b []byte) int {
	c := b[0]
	switch {
	case r.seq.place == str || r.seq.place == strESC:
		return r.str(b)
	case c == 0x18 || c == 0x1a: // CAN, SUB
		r.seq.add(c)
		r.done(r.keep)
		return 1
	case c < 0x20 || c >= 0x7f: // no sequence: the byte counts on its own
		r.done(r.keep)
		return 0
	}
	r.seq.add(c)
	if r.seq.place == introduced {
		r.introduce(c)
	} else if c >= 0x40 {
		r.done(r.csi)
	}
	return 1
}

func (r *Renderer) introduce(c byte) {
	switch {
	case len(r.seq.bytes) > 2: // ESC, intermediates
		if c >= 0x30 {
			r.done(r.keep)
		}
	case c == '[':
		r.seq.place = control
	case c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_':
		r.seq.place = str
	case bytes.IndexByte([]byte("78DEMc"), c) >= 0:
		r.done(r.address)
	case c >= 0x30:
		r.done(r.keep)
	}
}

// done ends the sequence and lets act have it, unless it was overlong.
func (r *Renderer) done(act func(seq []byte)) {
	r.seq.place = ground
	seq := r.seq.bytes
	r.seq.bytes = seq[:0]
	if len(seq) < maxSequence {
		act(seq)
	}
}

// addToString passes on what has grown too long.
func (r *Renderer) addToString(c byte) {
	if len(r.seq.bytes) == maxSequence-2 {
		r.keep(r.seq.bytes)
		r.seq.bytes = r.seq.bytes[:0]
	}
	r.seq.add(c)
}

// str passes a string on, up to its end. A line feed ends it too, so that an
// unfinished title does not swallow what follows.
func (r *Renderer) str(b []byte) int {
	n := 0
	for n < len(b) && r.seq.place == str {
		switch b[n] {
		case 0x07, 0x18, 0x1a:
			r.seq.place = ground
		case st8:
			if !r.seq.midCharacter() {
				r.seq.place = ground
			}
		case 0x1b:
			r.seq.place = strESC
		case '\n':
			r.done(r.keep)
			return n
		}
		r.addToString(b[n])
		n++
	}
	if r.seq.place == strESC && n < len(b) {
		if b[n] != '\\' { // the escape begins another sequence
			r.seq.bytes = r.seq.bytes[:len(r.seq.bytes)-1]
			r.done(r.keep)
			r.seq.begin()
			return n
		}
		r.addToString('\\')
		r.seq.place = ground
		n++
	}
	if r.seq.place == ground {
		r.done(r.keep)
	}
	return n
}

// keep passes a sequence on that the line does not depend on.
func (r *Renderer) keep(seq []byte) {
	switch {
	case r.opt.StripANSI || len(seq) == 0:
	case r.cells != nil:
		r.cells.lead = append(r.cells.lead, seq...)
	default:
		r.carriage()
		if r.cells != nil {
			r.cells.lead = append(r.cells.lead, seq...)
			return
		}
		r.buf = append(r.buf, seq...)
	}
}

// csi obeys a complete control sequence.
func (r *Renderer) csi(seq []byte) {
	params, final := seq[2:len(seq)-1], seq[len(seq)-1]
	private := len(params) > 0 && params[0] >= '<'
	plain := !private && (len(params) == 0 || params[len(params)-1] >= '0') // no intermediates
	n := number(params)
	switch {
	case private && (final == 'h' || final == 'l'):
		r.mode(seq, params, final)
	case !plain:
		r.keep(seq)
	case final == 'm':
		r.sgr(seq)
	case bytes.IndexByte([]byte("CDG`KP@X"), final) >= 0 || final == 'J' && n <= 0:
		r.edit(final, n)
	case bytes.IndexByte([]byte("HfABEFJdersuLMSTZIbak"), final) >= 0:
		r.address(seq)
	default:
		r.keep(seq)
	}
}

// mode handles DECSET and DECRST: the alternate screen needs a grid.
func (r *Renderer) mode(seq, params []byte, final byte) {
	if final == 'h' {
		for _, p := range bytes.Split(params[1:], []byte(";")) {
			switch string(p) {
			case "47", "1047", "1049":
				r.handOver(seq)
				return
			}
		}
	}
	r.keep(seq)
}

// address handles what leaves the line.
func (r *Renderer) address(seq []byte) {
	if !r.printed && harmlessAtStart(seq) {
		r.cr = false
		return
	}
	r.handOver(seq)
}

// harmlessAtStart says that seq changes nothing on an empty screen with the
// cursor at its top left.
func harmlessAtStart(seq []byte) bool {
	if seq[1] != '[' {
		return seq[1] == 'c' || seq[1] == '8'
	}
	params, final := seq[2:len(seq)-1], seq[len(seq)-1]
	switch final {
	case 'J', 'A', 'F', 'u', 'Z', 'L', 'M', 'S', 'T':
		return true
	case 'r':
		return len(params) == 0
	case 'H', 'f', 'd':
		return len(bytes.Trim(params, "1;")) == 0 && !bytes.Contains(params, []byte("11"))
	}
	return false
}

// handOver gives the unfinished line, seq and all that follows to a screen.
func (r *Renderer) handOver(seq []byte) {
	r.carriageForScreen()
	s := vt.New(vt.Options{Cols: r.opt.Cols, Rows: r.opt.Rows, ScrolledOff: func(line []byte) {
		r.buf = append(r.buf, line...)
	}})
	r.lead()
	if r.cells != nil {
		s.Write(r.cells.render(nil, colour{}))
		s.Write(moveTo(r.cells.col))
		r.spare, r.cells = r.cells, nil
	} else {
		s.Write(bytes.Clone(r.buf[r.open:]))
	}
	r.buf = r.buf[:r.open]
	r.screen = s
	r.toScreen(seq)
}

func (r *Renderer) carriageForScreen() {
	r.cut()
	r.carriage()
}

// number is the first parameter; -1: it is missing.
func number(params []byte) int {
	n := -1
	for _, c := range params {
		if c < '0' || c > '9' {
			break
		}
		n = min(max(n, 0)*10+int(c-'0'), 1<<20)
	}
	return n
}

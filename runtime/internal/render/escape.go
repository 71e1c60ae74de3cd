package render

import (
	"bytes"

	"example.org/ripple/internal/vt"
)

// keep passes a sequence on that the line does not depend on.
func (r *Renderer) keep(t *vt.Token) {
	if r.opt.StripANSI {
		return
	}
	seq := kept(t)
	switch {
	case len(seq) == 0:
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

// kept returns the bytes of a sequence in kept output. A terminal that gets a
// sequence without its end, or a string without a terminator, would take the
// text after it for the rest.
func kept(t *vt.Token) []byte {
	seq := t.Bare()
	switch {
	case t.Kind == vt.Invalid, t.Cancelled && !t.Continued:
		return nil
	case t.Cancelled: // its beginning has been kept
		return append(bytes.Clone(seq), cancel)
	case t.Unterminated:
		return append(bytes.Clone(seq), terminator...)
	case t.Kind >= vt.OSC && !t.Partial && seq[len(seq)-1] == terminator8: // to a terminal with UTF-8 it is data
		return append(bytes.Clone(seq[:len(seq)-1]), terminator...)
	}
	return seq
}

const (
	cancel      = 0x18 // CAN
	terminator  = "\x1b\\"
	terminator8 = 0x9c // ST in 8 bits
)

// csi obeys a control sequence.
func (r *Renderer) csi(t *vt.Token) {
	plain := t.Prefix == 0 && t.Inter[0] == 0
	n := min(t.Params.Get(0), maxCount)
	switch final := t.Final; {
	case t.Prefix == '?' && final == 'h':
		r.mode(t)
	case !plain:
		r.keep(t)
	case final == 'm':
		r.sgr(t)
	case bytes.IndexByte([]byte("CDG`KP@X"), final) >= 0 || final == 'J' && n == 0:
		r.edit(final, n)
	case bytes.IndexByte([]byte("HfABEFJdersuLMSTZIbak"), final) >= 0:
		r.address(t)
	default:
		r.keep(t)
	}
}

// maxCount bounds how far a sequence moves within a line, in columns.
const maxCount = 1 << 20

// mode handles DECSET: the alternate screen needs a grid.
func (r *Renderer) mode(t *vt.Token) {
	for i := range t.Params.Len() {
		if n := t.Params.Get(i); n == 47 || n == 1047 || n == 1049 {
			r.handOver(t)
			return
		}
	}
	r.keep(t)
}

// address handles what leaves the line.
func (r *Renderer) address(t *vt.Token) {
	if !r.printed && harmlessAtStart(t) {
		r.cr = false
		return
	}
	r.handOver(t)
}

// harmlessAtStart reports whether t changes nothing on an empty screen with the
// cursor at its top left.
func harmlessAtStart(t *vt.Token) bool {
	if t.Kind == vt.Escape {
		return t.Final == 'c' || t.Final == '8'
	}
	switch t.Final {
	case 'J', 'A', 'F', 'u', 'Z', 'L', 'M', 'S', 'T':
		return true
	case 'r':
		return t.Params.Len() == 1 && t.Params.Get(0) == 0
	case 'H', 'f', 'd':
		return t.Params.Count(0) == 1 && t.Params.Count(1) == 1
	}
	return false
}

// handOver gives the unfinished line, t and all that follows to a screen.
func (r *Renderer) handOver(t *vt.Token) {
	if r.again { // it became a sequence when what stood within it was left out
		r.keep(t)
		return
	}
	saved := r.saved
	r.saved = false // the unfinished line, which is taken again, is from before
	r.carriageForScreen()
	s := vt.New(vt.Options{Cols: r.opt.Cols, Rows: r.opt.Rows, ScrolledOff: func(line []byte) {
		r.buf = append(r.buf, line...)
	}})
	r.lead()
	if r.cells != nil {
		s.Write(r.cells.render(nil, color{}))
		s.Write(moveTo(r.cells.col))
		r.spare, r.cells = r.cells, nil
	} else {
		s.Write(bytes.Clone(r.buf[r.open:]))
	}
	if saved {
		s.Write([]byte(saveCursor))
	}
	r.buf = r.buf[:r.open]
	r.screen = s
	r.apply(t)
}

func (r *Renderer) carriageForScreen() {
	r.cut()
	r.carriage()
}

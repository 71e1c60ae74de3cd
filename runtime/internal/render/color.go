package render

import (
	"strconv"

	"example.org/ripple/internal/vt"
)

// maxColor bounds the SGR sequences that are remembered, in bytes. Without a
// reset among so many the oldest have been overruled.
const maxColor = 256

// saveCursor is ESC 7, DECSC (https://vt100.net/docs/vt510-rm/DECSC.html).
const saveCursor = "\x1b7"

// color follows SGR: each value is the sequences since the last reset, which
// is what recreates the state.
type color struct {
	now       string
	lineStart string // at the beginning of the unfinished line
}

// sgr obeys CSI … m.
func (r *Renderer) sgr(t *vt.Token) {
	if r.opt.StripANSI {
		return
	}
	seq := t.Bare()
	r.carriage()
	if r.cells == nil {
		r.cut() // while the colors are those of the cut
		r.buf = append(r.buf, seq...)
	}
	params := seq[2 : len(seq)-1]
	switch {
	case len(params) == 0 || string(params) == "0" || string(params) == "00":
		r.color.now = ""
	case params[0] == ';' || len(params) > 1 && params[0] == '0' && params[1] == ';':
		r.color.now = string(seq)
	default:
		r.color.now += string(seq)
	}
	if n := len(r.color.now) - maxColor; n > 0 {
		r.color.now = afterSequences(r.color.now, n)
	}
}

// afterSequences drops whole ones: at least the first n bytes.
func afterSequences(s string, n int) string {
	at := 0
	for at < n {
		at += max(vt.SequenceLen([]byte(s[at:])), 1)
	}
	return s[at:]
}

// change appends what turns the colors from into to.
func change(out []byte, from, to string) []byte {
	if from == to {
		return out
	}
	if from != "" {
		out = append(out, "\x1b[m"...)
	}
	return append(out, to...)
}

// moveTo is CHA: the cursor to the column, counted from 0.
func moveTo(col int) []byte {
	return append(strconv.AppendInt([]byte("\x1b["), int64(col+1), 10), 'G')
}

package echo

import "ripple/runtime/internal/vt"

// maxMove bounds how far a sequence moves the cursor, in columns.
const maxMove = 1 << 16

// movement is what a sequence does to an echo: it moves the cursor so many
// columns to the left, or, as -1, anything else.
func movement(t *vt.Token) int {
	if t.Kind == vt.CSI && t.Final == 'D' && t.Prefix == 0 && t.Inter[0] == 0 {
		return min(t.Params.Count(0), maxMove)
	}
	return -1
}

// eachToken calls f with the text and the sequences of a whole stream.
func eachToken(stream []byte, f func(*vt.Token)) {
	p := vt.ForText()
	whole := func(t *vt.Token) {
		if !t.Inside { // a sequence has its controls with it
			f(t)
		}
	}
	p.Feed(stream, whole)
	p.Flush(whole)
}

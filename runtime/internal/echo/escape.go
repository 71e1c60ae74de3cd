package echo

import (
	"sync"

	"example.org/ripple/internal/vt"
)

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

// whole passes on complete tokens: a sequence together with the controls inside it.
type whole struct {
	tokens vt.Parser
	token  func(*vt.Token)
	to     func(*vt.Token)
}

// wholes are used again: they are large beside an echo.
var wholes = sync.Pool{New: func() any {
	w := &whole{}
	w.token = func(t *vt.Token) {
		if !t.Inside {
			w.to(t)
		}
	}
	return w
}}

// eachToken calls f with the text and the sequences of a whole stream.
func eachToken(stream []byte, f func(*vt.Token)) {
	w := wholes.Get().(*whole)
	defer wholes.Put(w)
	w.tokens, w.to = vt.ForText(), f
	w.tokens.Feed(stream, w.token)
	w.tokens.Flush(w.token)
	w.to = nil
}

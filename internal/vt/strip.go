package vt

import "strings"

// Strip returns text without escape sequences, complete or not. It keeps other control characters.
func Strip(text string) string {
	if strings.IndexByte(text, esc) < 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	p, keep := ForText(), func(t *Token) { out = append(out, t.Plain()...) }
	p.Feed([]byte(text), keep)
	p.Flush(keep)
	return string(out)
}

// SequenceLen returns the length in bytes of the sequence at the beginning of b: 1 if b does not
// begin with one, and 0 if its end is missing.
func SequenceLen(b []byte) (n int) {
	if len(b) == 0 || b[0] != esc {
		return min(len(b), 1)
	}
	p := ForText()
	for i := 0; i < len(b) && n == 0; i++ {
		p.Feed(b[i:i+1], func(t *Token) {
			if !t.Inside && n == 0 {
				n = len(t.Raw)
			}
		})
	}
	return n
}

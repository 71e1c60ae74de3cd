package vt

import "strings"

// Strip is what a program wrote without the escape sequences in it, complete
// or not. Other control characters stay.
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

// SequenceLen is the length of the sequence that b begins with, in bytes: 1 when
// b begins with none, and 0 when its end is missing.
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

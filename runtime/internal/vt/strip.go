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

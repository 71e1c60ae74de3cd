package agent

import (
	"strings"
	"unicode/utf8"
)

// joiner joins pieces of text.
type joiner struct {
	strings.Builder
	parted bool // its beginning was already emitted
}

func (j *joiner) take() string {
	s := strings.ToValidUTF8(j.String(), "\ufffd")
	j.Reset()
	j.parted = false
	return s
}

// repeats reports whether a whole text equals the joined pieces. If a part was emitted before,
// only the end can be compared.
func (j *joiner) repeats(whole string) bool {
	s := j.String()
	return s == whole || j.parted && strings.HasSuffix(whole, s[max(0, len(s)-longString/4):])
}

// split keeps complete lines, or at least complete characters, and returns the rest.
func (j *joiner) split() (rest string) {
	s := j.String()
	at := strings.LastIndexByte(s, '\n') + 1
	if at == 0 {
		for at = len(s) - 1; at > len(s)-utf8.UTFMax && !utf8.RuneStart(s[at]); at-- {
		}
	}
	j.Reset()
	j.WriteString(s[:at])
	return s[at:]
}

// tail keeps the end of a stream.
type tail struct {
	limit int
	buf   []byte
}

func (t *tail) write(b []byte) {
	t.buf = append(t.buf, b...)
	if len(t.buf) > 2*t.limit {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-t.limit:]...)
	}
}

func (t *tail) String() string {
	return strings.ToValidUTF8(string(t.buf[max(0, len(t.buf)-t.limit):]), "\ufffd")
}

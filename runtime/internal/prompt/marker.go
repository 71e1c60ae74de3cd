package prompt

import "bytes"

// Literal finds marker texts in a stream, byte for byte, however the stream is
// cut into pieces. It holds back only bytes that may be the beginning of one.
type Literal struct {
	markers [][]byte
	held    []byte
}

// NewLiteral looks for the given texts; empty ones are left out, but keep
// their index.
func NewLiteral(markers ...string) *Literal {
	l := &Literal{}
	for _, m := range markers {
		l.markers = append(l.markers, []byte(m))
	}
	return l
}

// Feed passes text on and calls found with the index of each marker, in order.
func (l *Literal) Feed(b []byte, text func([]byte), found func(int)) {
	if len(l.held) > 0 {
		b = append(l.held, b...)
		l.held = nil
	}
	for len(b) > 0 {
		at, index := l.first(b)
		if index < 0 {
			break
		}
		if at > 0 {
			text(b[:at])
		}
		b = b[at+len(l.markers[index]):]
		found(index)
	}
	keep := l.partial(b)
	if len(b) > keep {
		text(b[:len(b)-keep])
	}
	if keep > 0 {
		l.held = append([]byte(nil), b[len(b)-keep:]...)
	}
}

// Len returns the length of a marker in bytes.
func (l *Literal) Len(index int) int { return len(l.markers[index]) }

// Flush gives back what was held as a possible beginning.
func (l *Literal) Flush(text func([]byte)) {
	if len(l.held) > 0 {
		text(l.held)
		l.held = nil
	}
}

// first is the earliest marker; of two at one place the longer.
func (l *Literal) first(b []byte) (at, index int) {
	at, index = len(b), -1
	for i, m := range l.markers {
		if len(m) == 0 {
			continue
		}
		j := bytes.Index(b, m)
		if j < 0 || j > at || (j == at && (index < 0 || len(m) <= len(l.markers[index]))) {
			continue
		}
		at, index = j, i
	}
	return at, index
}

// partial is the length of the longest end of b that a marker may begin with.
func (l *Literal) partial(b []byte) int {
	longest := 0
	for _, m := range l.markers {
		for n := min(len(m)-1, len(b)); n > longest; n-- {
			if bytes.HasSuffix(b, m[:n]) {
				longest = n
			}
		}
	}
	return longest
}

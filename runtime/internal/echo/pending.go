package echo

import "bytes"

// Pending is the echo that the kernel's line discipline still owes for input
// that was sent while a program runs, oldest first; it is empty when there is
// none. The kernel's echo is exact and in one piece, so its first exact
// occurrence is removed, wherever in the output it stands.
type Pending []owed

type owed struct {
	want []byte
	back []int // Knuth-Morris-Pratt: the length to continue with after a mismatch
	have int   // want[:have] was the end of the stream, and is held back
	seen int   // bytes read so far
}

// owedWithin is how much output may stand before an echo, in bytes: more than
// a terminal and a reader keep queued. Later the echo did not happen.
const owedWithin = 256 << 10

// Expect notes the echo of what was written to a terminal; none is expected of nothing.
// It keeps no reference to want.
func (p *Pending) Expect(want []byte) {
	if want = bytes.Clone(want); len(want) > 0 {
		*p = append(*p, owed{want: want, back: borders(want)})
	}
}

// borders gives for each prefix of s the length of its longest proper prefix
// that is also its suffix.
func borders(s []byte) []int {
	b := make([]int, len(s))
	n := 0
	for i := 1; i < len(s); i++ {
		for n > 0 && s[n] != s[i] {
			n = b[n-1]
		}
		if s[n] == s[i] {
			n++
		}
		b[i] = n
	}
	return b
}

// Feed returns raw without the echo. Only the bytes at its end that may be the
// beginning of an echo are held back. The result is valid until the next call
// and may share memory with raw.
func (p *Pending) Feed(raw []byte) []byte {
	var out []byte
	for len(*p) > 0 && len(raw) > 0 {
		o := &(*p)[0]
		text, rest, done := o.feed(raw)
		out = append(out, text...)
		raw = rest
		if done {
			*p = (*p)[1:]
		}
	}
	if out == nil {
		return raw
	}
	return append(out, raw...)
}

// Flush returns the bytes held back; nothing more is expected.
func (p *Pending) Flush() []byte {
	var held []byte
	if len(*p) > 0 {
		held = (*p)[0].want[:(*p)[0].have]
	}
	*p = nil
	return held
}

// feed reads raw up to the end of the echo. text is output, rest is unread;
// done reports whether the echo was found or given up.
func (o *owed) feed(raw []byte) (text, rest []byte, done bool) {
	for i := 0; i < len(raw); i++ {
		if o.have == 0 {
			skip := bytes.IndexByte(raw[i:], o.want[0])
			if skip < 0 {
				skip = len(raw) - i
			}
			skip = min(skip, owedWithin-o.seen)
			text = append(text, raw[i:i+skip]...)
			o.seen += skip
			i += skip
			if o.seen >= owedWithin {
				return text, raw[i:], true
			}
			if i == len(raw) {
				break
			}
		}
		text = o.step(raw[i], text)
		o.seen++
		if o.have == len(o.want) {
			return text, raw[i+1:], true
		}
	}
	return text, nil, false
}

func (o *owed) step(c byte, text []byte) []byte {
	for o.have > 0 && o.want[o.have] != c {
		shorter := o.back[o.have-1]
		text = append(text, o.want[:o.have-shorter]...)
		o.have = shorter
	}
	if o.want[o.have] == c {
		o.have++
		return text
	}
	return append(text, c)
}

package terminal

import "bytes"

// ring holds the end of a stream, at most limit bytes of it. Its memory grows with the written
// bytes.
type ring struct {
	limit int
	buf   []byte // the byte at offset o is buf[o % limit]
	end   int64  // length of the stream so far
}

// start returns the offset of the first byte that is kept.
func (r *ring) start() int64 { return r.end - int64(len(r.buf)) }

func (r *ring) write(b []byte) {
	if over := len(b) - r.limit; over > 0 {
		r.end += int64(over)
		b = b[over:]
		if len(r.buf) < r.limit { // as if they had been kept
			r.buf = append(r.buf, make([]byte, r.limit-len(r.buf))...)
		}
	}
	if n := min(len(b), r.limit-len(r.buf)); n > 0 { // end == len(buf): it has not wrapped
		r.buf = append(r.buf, b[:n]...)
		r.end += int64(n)
		b = b[n:]
	}
	for len(b) > 0 {
		n := copy(r.buf[r.end%int64(r.limit):], b)
		r.end += int64(n)
		b = b[n:]
	}
}

// between returns the bytes from one offset to another, in two parts. Both offsets are between
// start and end.
func (r *ring) between(from, to int64) (first, second []byte) {
	if from == to {
		return nil, nil
	}
	limit := int64(r.limit)
	i, n := from%limit, to-from
	if over := i + n - limit; over > 0 {
		return r.buf[i:], r.buf[:over]
	}
	return r.buf[i : i+n], nil
}

// firstLine returns the first meaningful offset in the ring: the beginning of the stream, else of a
// line, else of a sequence.
func (r *ring) firstLine() int64 {
	at := r.start()
	if at == 0 {
		return 0
	}
	for _, c := range []byte{'\n', 0x1b} {
		from := at
		first, second := r.between(at, r.end)
		for _, part := range [][]byte{first, second} {
			if i := bytes.IndexByte(part, c); i >= 0 {
				return from + int64(i)
			}
			from += int64(len(part))
		}
	}
	return at
}

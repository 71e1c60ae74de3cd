package rpc

import "bytes"

// Lines cuts a stream into lines, in bounded memory: Feed pieces of it, and End at its
// end. Where the pieces are cut changes nothing.
type Lines struct {
	Max  int                // bytes of a line
	Line func(line []byte)  // a line, without its ending; the bytes are valid until it returns
	Long func(begin []byte) // the beginning of a line of more than Max bytes

	buf  []byte
	long bool
}

// kept is how much of a line that is too long is shown, in bytes.
const kept = 4 << 10

// Feed takes a piece of the stream.
func (l *Lines) Feed(b []byte) {
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			l.add(b)
			return
		}
		l.add(b[:i])
		l.End()
		b = b[i+1:]
	}
}

func (l *Lines) add(b []byte) {
	if l.long = l.long || len(l.buf)+len(b) > l.Max; !l.long {
		l.buf = append(l.buf, b...)
		return
	}
	l.buf = l.buf[:min(len(l.buf), kept)]
	l.buf = append(l.buf, b[:min(len(b), kept-len(l.buf))]...)
}

// End is the end of a line, or of the stream. An empty line is none.
func (l *Lines) End() {
	line, long := l.buf, l.long
	l.buf, l.long = l.buf[:0], false
	switch line = bytes.TrimSuffix(line, []byte("\r")); {
	case long:
		l.Long(line)
	case len(bytes.TrimSpace(line)) > 0:
		l.Line(line)
	}
	if cap(l.buf) > 1<<20 {
		l.buf = nil // the next ones are short again
	}
}

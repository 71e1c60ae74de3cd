package console

import (
	"bytes"
	"errors"
	"io"
)

// maxAnswer is the longest answer of a host that a client reads, in bytes, and the longest
// line of a stream; hosts stay far below it.
const maxAnswer = 16 << 20

var errTooLong = errors.New("it is longer than a host's answers are")

// boundedLines passes on a stream whose lines are of a length that a host writes.
type boundedLines struct {
	in   io.Reader
	line int // bytes of the line that has not ended
}

func (l *boundedLines) Read(b []byte) (int, error) {
	n, err := l.in.Read(b)
	if end := bytes.LastIndexByte(b[:n], '\n'); end >= 0 {
		l.line = n - end - 1
	} else {
		l.line += n
	}
	if l.line > maxAnswer {
		return n, errTooLong
	}
	return n, err
}

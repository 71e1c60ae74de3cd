package console

import (
	"bytes"
	"errors"
	"io"
)

// maxAnswer is the largest answer of a host, and the longest line of a stream, that a client reads,
// in bytes; hosts stay far below it.
const maxAnswer = 16 << 20

var errTooLong = errors.New("response of the host is too long")

// boundedLines reads from a stream and fails at a line that is longer than a host writes.
type boundedLines struct {
	in   io.Reader
	line int // bytes of the current line so far
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

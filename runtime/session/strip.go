package session

import "example.org/ripple/runtime/internal/echo"

// stripper removes the echo of input from a command's output.
type stripper struct {
	line  *echo.Stripper // removes the line's echo; nil: it has passed
	typed echo.Pending   // echo of input sent while the command runs
	from  int64          // position in the stream where the echo may begin
	took  int            // number of bytes removed; -1: already reported
}

// feed returns the command's own text, and text that other programs printed while the echo was in
// flight. Both are valid until the next call.
func (s *stripper) feed(b []byte) (own, foreign []byte) {
	if len(s.typed) > 0 {
		b = s.typed.Feed(b)
	}
	if s.line == nil {
		return b, nil
	}
	own, foreign = s.line.Feed(b), s.line.Foreign()
	if s.took >= 0 {
		s.took += len(b) - len(own) - len(foreign)
	}
	return own, foreign
}

// echo returns the length of the line's echo, once, when it becomes known; else 0.
func (s *stripper) echo() (n int) {
	if s.line == nil || !s.line.Matched() || s.took < 0 {
		return 0
	}
	n, s.took = s.took, -1
	return n
}

// flush returns the text held back: it was not echo.
func (s *stripper) flush() (own []byte) {
	rest := s.typed.Flush()
	if s.line == nil {
		return rest
	}
	own = append(own, s.line.Feed(rest)...)
	return append(own, s.line.Flush()...)
}

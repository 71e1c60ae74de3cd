package session

import "ripple/runtime/internal/echo"

// stripper takes the echo of what was sent out of what a command prints.
type stripper struct {
	line  *echo.Stripper // of the line; nil: its echo has passed
	typed echo.Pending   // of input sent while the command runs
	from  int64          // where in the stream it may begin
	took  int            // how much was taken out; -1: told
}

// feed returns the command's own text, and what others printed while the echo was
// on its way. Both are valid until the next call.
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

// echo is how long the line's echo was, when that has become known; else 0.
func (s *stripper) echo() (n int) {
	if s.line == nil || !s.line.Matched() || s.took < 0 {
		return 0
	}
	n, s.took = s.took, -1
	return n
}

// flush returns what is held back: it was no echo.
func (s *stripper) flush() (own []byte) {
	rest := s.typed.Flush()
	if s.line == nil {
		return rest
	}
	own = append(own, s.line.Feed(rest)...)
	return append(own, s.line.Flush()...)
}

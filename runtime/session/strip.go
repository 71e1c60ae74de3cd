package session

import "ripple/runtime/internal/echo"

// stripper takes the echo of what was sent out of what a command prints.
type stripper struct {
	line  *echo.Stripper // of the line; nil: its echo has passed
	typed echo.Pending   // of input sent while the command runs
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
	return s.line.Feed(b), s.line.Foreign()
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

package agent

import (
	"bytes"
	"encoding/json"
)

// spread puts together a JSON value that is printed over several lines: from a
// brace or bracket alone on a line to the one that closes it, with indented lines
// between them. Everything else passes as it is, and so do the lines of what is no
// JSON in the end.
type spread struct {
	emit func(line []byte)
	held []byte // lines with their ends; empty outside of a value
}

func (s *spread) line(b []byte) {
	within := len(s.held) > 0
	closes := within && (string(b) == "}" || string(b) == "]")
	if within && !closes && b[0] != ' ' && b[0] != '\t' || len(s.held) > longLine {
		s.end()
		within = false
	}
	if !within && string(b) != "{" && string(b) != "[" {
		s.emit(b)
		return
	}
	s.held = append(append(s.held, b...), '\n')
	if closes {
		s.close()
	}
}

// close emits the value that is complete.
func (s *spread) close() {
	var one bytes.Buffer
	if json.Compact(&one, s.held) != nil {
		s.end()
		return
	}
	s.held = s.held[:0]
	s.emit(one.Bytes())
}

// end gives up the value that has begun: its lines stand for themselves.
func (s *spread) end() {
	held := s.held
	s.held = nil
	for line := range bytes.Lines(held) {
		s.emit(bytes.TrimSuffix(line, []byte("\n")))
	}
}

package agent

import (
	"bytes"
	"encoding/json"
)

// spread joins a JSON value that is printed over several lines: from a brace or bracket
// alone on a line to the one that closes it, with indented lines in between. All other
// lines pass unchanged, including those that turn out not to be JSON.
type spread struct {
	emit func(line []byte)
	held []byte // lines with their endings; empty outside a value
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

// close emits the complete value.
func (s *spread) close() {
	var one bytes.Buffer
	if json.Compact(&one, s.held) != nil {
		s.end()
		return
	}
	s.held = s.held[:0]
	s.emit(one.Bytes())
}

// end abandons an incomplete value and emits its lines separately.
func (s *spread) end() {
	held := s.held
	s.held = nil
	for line := range bytes.Lines(held) {
		s.emit(bytes.TrimSuffix(line, []byte("\n")))
	}
}

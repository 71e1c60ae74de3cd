package schema

import (
	"fmt"
	"strings"
)

// flowFault says where and why a collection such as {a: b} or [a, b] cannot be read:
// nearly always text without quotes holds a character that YAML takes for its own.
// The collection begins at offset from of text; ok is false when it is sound, or wrong
// in a way that is not known here.
func flowFault(text string, from int) (at int, why string, ok bool) {
	s := &flowScanner{text: text, at: from, from: from}
	line := text[1+strings.LastIndexByte(text[:from], '\n'):]
	s.indent = len(line) - len(strings.TrimLeft(line, " "))
	s.collection()
	if s.why == "" && !s.lost {
		s.behind()
	}
	return s.fault, s.why, s.why != ""
}

// flowStart is where the first collection of a line begins, or -1: after an indicator
// or a key, outside of quotes.
func flowStart(line string) int {
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case '\'', '"':
			if i > 0 && line[i-1] != ' ' {
				continue // an apostrophe
			}
			end := strings.IndexByte(line[i+1:], c)
			if end < 0 {
				return -1
			}
			i += end + 1
		case '{', '[':
			before := strings.TrimRight(line[:i], " ")
			if before == "" || strings.HasSuffix(before, ":") || strings.HasSuffix(before, "-") {
				return i
			}
		}
	}
	return -1
}

// flowScanner reads flow collections as far as it takes to find where one breaks.
type flowScanner struct {
	text   string
	at     int
	from   int    // where the outermost collection begins
	indent int    // of its line
	why    string // what is wrong
	fault  int    // and where
	lost   bool   // something that is not known here
}

func (s *flowScanner) fail(at int, format string, args ...any) {
	s.fault, s.why = at, fmt.Sprintf(format, args...)
}

func (s *flowScanner) done() bool { return s.why != "" || s.lost }

func (s *flowScanner) char() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// blank passes over blanks, line breaks and comments.
func (s *flowScanner) blank() {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == '#' && s.at > 0 && strings.ContainsRune(" \t\n", rune(s.text[s.at-1])):
			end := strings.IndexByte(s.text[s.at:], '\n')
			if end < 0 {
				s.at = len(s.text)
				return
			}
			s.at += end
		case s.isOver():
			return
		case c == ' ', c == '\t', c == '\n', c == '\r':
			s.at++
		default:
			return
		}
	}
}

// collection reads from an opening bracket through the closing one.
func (s *flowScanner) collection() {
	closing := byte('}')
	if s.char() == '[' {
		closing = ']'
	}
	s.at++
	for {
		if s.blank(); s.done() {
			return
		}
		if s.char() == closing {
			s.at++
			return
		}
		if s.entry(); s.done() {
			return
		}
		if s.char() == ',' {
			s.at++
		} else if s.char() != closing {
			s.fail(s.at, "unexpected %s: %s must come first", quoted(string(s.char())), quoted(string(closing)))
			return
		}
	}
}

// entry reads a value, or a key and a value, up to the comma or bracket after it.
func (s *flowScanner) entry() {
	text := s.node()
	if !s.done() && s.isColon() {
		s.at++
		if s.blank(); !s.done() {
			text = s.node()
		}
	}
	if s.done() {
		return
	}
	switch c := s.char(); {
	case c == ',', c == '}', c == ']':
	case c == 0:
		s.unclosed()
	case s.isColon():
		s.fail(s.at, `the text %s ends at this ": "; %s`, quoted(text), flowRule)
	default:
		s.fail(s.at, `the text %s ends before this %s; %s`, quoted(text), quoted(string(c)), flowRule)
	}
}

const flowRule = `inside {…} and […], text that holds { } [ ] , # or ": " needs quotes: '…'`

// isColon reports whether the next character is a colon that ends a key.
func (s *flowScanner) isColon() bool {
	if s.char() != ':' {
		return false
	}
	return s.at+1 >= len(s.text) || strings.IndexByte(" \t\r\n,[]{}", s.text[s.at+1]) >= 0 || s.at > 0 && strings.IndexByte(`'"`, s.text[s.at-1]) >= 0
}

// node reads a collection, quoted text or plain text, with the blanks after it.
func (s *flowScanner) node() string {
	begin := s.at
	switch c := s.char(); c {
	case '{', '[':
		s.collection()
	case '\'', '"':
		s.quotes(c)
	default:
		for s.at < len(s.text) && strings.IndexByte(",[]{}", s.char()) < 0 && !s.isColon() && !s.isComment() && !s.isOver() {
			s.at++
		}
	}
	text := strings.TrimSpace(s.text[begin:min(s.at, len(s.text))])
	if !s.done() {
		s.blank()
	}
	return text
}

// isOver reports whether the line ends and the next one is outside of the collection, which
// was never closed.
func (s *flowScanner) isOver() bool {
	if s.char() != '\n' {
		return false
	}
	next, _, _ := strings.Cut(s.text[s.at+1:], "\n")
	content := strings.TrimLeft(next, " \r")
	if content == "" || len(next)-len(content) > s.indent || strings.IndexByte("]}", content[0]) >= 0 {
		return false
	}
	s.unclosed()
	return true
}

func (s *flowScanner) unclosed() {
	s.fail(s.from, "this %s is never closed; %s", quoted(s.text[s.from:s.from+1]), flowRule)
}

func (s *flowScanner) isComment() bool {
	return s.char() == '#' && s.at > 0 && (s.text[s.at-1] == ' ' || s.text[s.at-1] == '\n')
}

// quotes reads quoted text; two single ones in single quotes and \" in double ones belong to it.
func (s *flowScanner) quotes(quote byte) {
	for s.at++; s.at < len(s.text); s.at++ {
		switch {
		case quote == '"' && s.char() == '\\':
			s.at++
		case s.char() == quote && quote == '\'' && strings.HasPrefix(s.text[s.at+1:], "'"):
			s.at++
		case s.char() == quote:
			s.at++
			return
		}
	}
	s.lost = true // an open quote has an error of its own
}

// behind looks at what follows the outermost collection on its line.
func (s *flowScanner) behind() {
	rest, _, _ := strings.Cut(s.text[s.at:], "\n")
	s.at += len(rest) - len(strings.TrimLeft(rest, " \t\r"))
	rest = strings.TrimLeft(rest, " \t\r")
	if rest == "" || strings.HasPrefix(rest, "#") {
		return
	}
	s.fail(s.at, "%s follows the closing bracket; %s", quoted(strings.TrimSpace(rest)), flowRule)
}

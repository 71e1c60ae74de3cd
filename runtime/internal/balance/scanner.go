package balance

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// scanner goes once over the text.
type scanner struct {
	*Rules
	text string

	pos     int     // byte offset of what comes next
	at      int     // byte offset of the problem
	open    []frame // brackets that are open
	pending []datum // datum comments that wait for something to skip, at this depth
}

// frame is an open bracket, with what was pending outside it.
type frame struct {
	token
	at      int
	pending []datum
}

// datum is a datum comment.
type datum struct {
	text string
	at   int
}

func (s *scanner) run() Report {
	for s.pos < len(s.text) {
		r := s.step()
		if r.Problem != none {
			return r
		}
	}
	if n := len(s.pending); n > 0 {
		return s.emptyDatum()
	}
	if n := len(s.open); n > 0 {
		top := s.open[n-1]
		s.at = top.at
		r := Report{Problem: unclosed, Opener: top.text, Around: n - 1}
		for i := n - 1; i >= max(0, n-manyMissing); i-- {
			r.Missing += s.open[i].end
		}
		return r
	}
	return Report{}
}

// step consumes one token, atom or blank.
func (s *scanner) step() Report {
	start := s.pos
	tok, ok := s.tokens.match(s.text[start:])
	if !ok {
		s.atom()
		return Report{}
	}
	s.pos += len(tok.text)
	switch tok.kind {
	case openBracket:
		s.open = append(s.open, frame{tok, start, s.pending})
		s.pending = nil
	case closeBracket:
		return s.close(tok, start)
	case stringDelim:
		return s.string(tok, start)
	case lineComment:
		s.skipLine()
	case blockComment:
		return s.comment(tok, start)
	case charLiteral:
		return s.char(tok, start)
	case datumComment:
		s.pending = append(s.pending, datum{tok.text, start})
	}
	return Report{}
}

// atom consumes a blank, or a run of characters up to a blank or token.
func (s *scanner) atom() {
	start, quotes := s.pos, true
	for s.pos < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[s.pos:])
		if unicode.IsSpace(r) {
			break
		}
		if s.symbols && s.escape != "" && strings.HasPrefix(s.text[s.pos:], s.escape) {
			s.pos += len(s.escape)
			s.skipRune()
			quotes = false
			continue
		}
		if tok, ok := s.tokens.match(s.text[s.pos:]); ok {
			if isPrefix(s.text[start], quotes, tok) {
				return
			}
			if tok.kind != charLiteral && tok.kind != datumComment {
				break // those two begin an atom and are plain within one: null?
			}
		}
		quotes = quotes && strings.ContainsRune("'`,@", r)
		s.pos += size
	}
	if s.pos == start {
		s.skipRune() // a blank
		return
	}
	s.complete()
}

// isPrefix reports whether an atom is not a datum by itself, but belongs to the one
// that tok starts right after it: '(a), #(1 2), #"bytes", '#\a. quotes says that
// the atom has nothing but quotes.
func isPrefix(first byte, quotes bool, tok token) bool {
	switch tok.kind {
	case openBracket, stringDelim:
		return strings.IndexByte("'`,#", first) >= 0
	case charLiteral, datumComment:
		return quotes
	}
	return false
}

// complete notes that a datum ended: a waiting datum comment has skipped it.
func (s *scanner) complete() {
	if n := len(s.pending); n > 0 {
		s.pending = s.pending[:n-1]
	}
}

func (s *scanner) close(tok token, start int) Report {
	s.at = start
	n := len(s.open)
	if n == 0 {
		return Report{Problem: unexpected, Found: tok.text}
	}
	top := s.open[n-1]
	if top.end != tok.text {
		return Report{Problem: mismatched, Found: tok.text, Opener: top.text, Want: top.end}
	}
	if len(s.pending) > 0 {
		return s.emptyDatum()
	}
	s.open, s.pending = s.open[:n-1], top.pending
	s.complete()
	return Report{}
}

func (s *scanner) emptyDatum() Report {
	last := s.pending[len(s.pending)-1]
	s.at = last.at
	return Report{Problem: emptyDatumComment, Opener: last.text}
}

// string consumes up to the closing delimiter. An escape hides the character
// after it; one that is the delimiter itself hides only a second delimiter.
func (s *scanner) string(tok token, start int) Report {
	for s.pos < len(s.text) {
		rest := s.text[s.pos:]
		switch {
		case s.escape != "" && s.escape != tok.end && strings.HasPrefix(rest, s.escape):
			s.pos += len(s.escape)
			s.skipRune()
		case s.escape == tok.end && strings.HasPrefix(rest, tok.end+tok.end):
			s.pos += 2 * len(tok.end)
		case strings.HasPrefix(rest, tok.end):
			s.pos += len(tok.end)
			s.complete()
			return Report{}
		default:
			s.pos++
		}
	}
	s.at = start
	return Report{Problem: unterminatedString, Opener: tok.text}
}

func (s *scanner) skipRune() {
	_, size := utf8.DecodeRuneInString(s.text[s.pos:])
	s.pos += size
}

func (s *scanner) skipLine() {
	if i := strings.IndexByte(s.text[s.pos:], '\n'); i >= 0 {
		s.pos += i
		return
	}
	s.pos = len(s.text)
}

// comment consumes a block comment and, where they nest, those within it.
func (s *scanner) comment(tok token, start int) Report {
	for depth := 1; s.pos < len(s.text); {
		switch rest := s.text[s.pos:]; {
		case strings.HasPrefix(rest, tok.end):
			s.pos += len(tok.end)
			if depth--; depth == 0 {
				return Report{}
			}
		case !s.flat && strings.HasPrefix(rest, tok.text):
			s.pos += len(tok.text)
			depth++
		default:
			s.pos++
		}
	}
	s.at = start
	return Report{Problem: unterminatedComment, Opener: tok.text}
}

// char consumes a character literal: any one character, and the letters, digits
// and dashes after it, for named ones.
func (s *scanner) char(tok token, start int) Report {
	if s.pos == len(s.text) {
		s.at = start
		return Report{Problem: emptyCharLiteral, Opener: tok.text}
	}
	s.skipRune()
	for s.pos < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[s.pos:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' {
			break
		}
		s.pos += size
	}
	s.complete()
	return Report{}
}

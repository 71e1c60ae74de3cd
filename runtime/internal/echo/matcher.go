package echo

import (
	"bytes"
	"unicode/utf8"

	"github.com/dlclark/regexp2"

	"example.org/ripple/internal/vt"
)

type outcome uint8

const (
	going outcome = iota
	matched
	failed
)

// matcher reads a stream and follows every way in which it can be an echo of
// want. A stream can be read in more than one way (a space may be text or the
// first half of a line wrap), so it keeps a small set of states, as a
// non-deterministic automaton does.
type matcher struct {
	want      []byte // line ends are \n
	loud      bool   // only control bytes were sent: their echo, if any, is visible
	now, next []state
	prompt    promptMatcher
}

// state is one reading: want[:at] was echoed.
type state struct {
	at   int
	mode mode
}

type mode uint8

const (
	plain     mode = iota
	afterCR        // a line end, a wrap or a redraw
	wrapSpace      // a space that is to be taken back by \r or \b
	caret          // the first half of ^X
)

// maxStates bounds the set. A real echo needs three or four.
const maxStates = 32

func newMatcher(sent []byte) *matcher {
	want := bytes.ReplaceAll(sent, []byte("\r\n"), []byte("\n"))
	want = bytes.ReplaceAll(want, []byte("\r"), []byte("\n"))
	m := &matcher{want: want}
	m.add(state{})
	if m.next[len(m.next)-1].at == len(want) {
		m.loud, m.next = true, append(m.next[:0], state{})
	}
	m.now, m.next = m.next, m.now
	return m
}

func (m *matcher) allowPrompt(re *regexp2.Regexp) {
	m.prompt.re = re
	m.prompt.restart(0)
}

// step reads one byte of text.
func (m *matcher) step(c byte) outcome {
	if c == 0x07 { // the bell
		return going
	}
	m.next = m.next[:0]
	for _, s := range m.now {
		m.read(s, c)
	}
	m.readPrompt(c)
	return m.advance()
}

// sequence reads one, by its movement.
func (m *matcher) sequence(move int) outcome {
	if move < 0 { // without meaning for us
		return going
	}
	m.next = m.next[:0]
	for _, s := range m.now { // the text that the cursor left is drawn again, or the cursor returns
		m.add(state{at: s.at})
		m.add(state{at: m.back(s.at, move)})
	}
	return m.advance()
}

// advance takes the readings that were added as the ones there are.
func (m *matcher) advance() outcome {
	m.now, m.next = m.next, m.now
	for _, s := range m.now {
		if s.at == len(m.want) {
			return matched
		}
	}
	if len(m.now) == 0 && !m.prompt.reading {
		return failed
	}
	return going
}

// add puts a reading into the next set, and those that follow from it because
// a line editor obeys control bytes without showing them.
func (m *matcher) add(s state) {
	for {
		for _, have := range m.next {
			if have == s {
				return
			}
		}
		if len(m.next) == maxStates {
			return
		}
		m.next = append(m.next, s)
		n := m.silent(s)
		if n == 0 {
			return
		}
		s.at += n
	}
}

// silent is the length of the control byte or sequence at s that need not be echoed.
func (m *matcher) silent(s state) int {
	if m.loud || s.mode != plain || s.at == len(m.want) || !isControl(m.want[s.at]) {
		return 0
	}
	return max(vt.SequenceLen(m.want[s.at:]), 1)
}

func isControl(c byte) bool {
	return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f
}

// read adds what s becomes by c.
func (m *matcher) read(s state, c byte) {
	w := m.want[s.at]
	switch s.mode {
	case afterCR:
		switch {
		case c == '\r':
			m.add(s)
		case c == '\n' && w == '\n':
			m.add(state{at: s.at + 1})
		case c == '\n': // wrapped
			m.add(state{at: s.at})
		default:
			m.readPlain(state{at: s.at}, w, c)
		}
	case wrapSpace:
		if c == '\r' || c == '\b' {
			m.add(state{at: s.at})
		}
	case caret:
		if c == w^0x40 {
			m.add(state{at: s.at + 1})
		}
	default:
		m.readPlain(s, w, c)
	}
}

func (m *matcher) readPlain(s state, w, c byte) {
	switch c {
	case '\r':
		m.add(state{s.at, afterCR})
		return
	case '\b':
		m.add(state{at: m.back(s.at, 1)})
		if s.at > 0 && m.want[s.at-1] >= utf8.RuneSelf { // half of a wide character
			m.add(s)
		}
		return
	}
	if c == w {
		m.add(state{at: s.at + 1})
	}
	if c == '?' && w >= utf8.RuneSelf && utf8.RuneStart(w) { // a character that the line editor cannot draw
		_, size := utf8.DecodeRune(m.want[s.at:])
		m.add(state{at: s.at + size})
	}
	if c == ' ' {
		if w == '\t' { // of any width
			m.add(state{at: s.at + 1})
			m.add(s)
		}
		m.add(state{s.at, wrapSpace})
	}
	if c == '^' && isControl(w) {
		m.add(state{s.at, caret})
	}
}

// back is n characters before at, on the same line.
func (m *matcher) back(at, n int) int {
	for start := m.lineStart(at); n > 0 && at > start; n-- {
		_, size := utf8.DecodeLastRune(m.want[start:at])
		at -= size
	}
	return at
}

func (m *matcher) lineStart(at int) int {
	return bytes.LastIndexByte(m.want[:at], '\n') + 1
}

// readPrompt follows a prompt before the echo, at the very start and after each carriage
// return that restarts the line.
func (m *matcher) readPrompt(c byte) {
	p := &m.prompt
	if p.re == nil {
		return
	}
	if c == '\r' {
		start := p.line
		for _, s := range m.now {
			start = max(start, m.lineStart(s.at))
		}
		p.restart(start)
		m.add(state{at: start}) // a redraw without its prompt
		return
	}
	if p.reading && p.step(c) {
		m.add(state{at: p.line})
	}
}

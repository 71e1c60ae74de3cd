// Package keys splits terminal input into keys: Splitter. A Detacher looks among them for
// the keys that mean its owner and not the program. Sequence returns what a key sends.
//
// The first two are incremental: how the input is cut does not change the result.
package keys

import (
	"bytes"
	"unicode/utf8"
)

// Key is one key, or another thing that a terminal sends as input. Raw is valid
// until the next one.
type Key struct {
	Raw  []byte
	Kind Kind
	// Code is the character on the key, of a control key the letter in lower case,
	// 0 for keys without one. Base is that of the key's place on a US keyboard,
	// if the terminal reports it.
	Code, Base rune
	Ctrl       bool // with Ctrl and no other modifier
}

// Kind distinguishes what a terminal sends.
type Kind uint8

const (
	Typed    Kind = iota // a key
	Pasted               // a part of pasted text, or one of its two ends
	Released             // a key that is let go, or a modifier alone
	Ambient              // the mouse, the focus
	Reply                // the answer to something that a program asked the terminal
)

// Enter reports whether the key ends a line.
func (k *Key) Enter() bool {
	return k.Kind == Typed && (k.Code == '\r' || k.Ctrl && (k.Code == 'm' || k.Code == 'j'))
}

const (
	esc = 0x1b
	// longest is the most that is held back of a sequence without an end, in bytes.
	longest = 1 << 10
)

// First returns the length in bytes of the first key in b, where a paste is one key. If b is not empty it is at least 1.
func First(b []byte) int {
	if bytes.HasPrefix(b, pasteBegins) {
		if n := bytes.Index(b, pasteEnds); n >= 0 {
			return n + len(pasteEnds)
		}
		return len(b)
	}
	if len(b) == 0 {
		return 0
	}
	switch n := new(Splitter).length(b); {
	case n > 0:
		return n
	case len(b) > longest: // nothing that we know
		return 1
	}
	return len(b)
}

// Splitter divides input into keys. Its zero value is ready to use.
type Splitter struct {
	held  []byte // the beginning of a key
	paste bool   // within pasted text
}

var pasteBegins, pasteEnds = []byte("\x1b[200~"), []byte("\x1b[201~")

// Feed calls f with the keys that are complete with b.
func (s *Splitter) Feed(b []byte, f func(*Key)) {
	if len(s.held) > 0 {
		b = append(s.held, b...)
		s.held = nil
	}
	for len(b) > 0 {
		n := s.length(b)
		if n == 0 {
			if len(b) <= longest {
				s.held = append([]byte(nil), b...)
				return
			}
			n = 1 // nothing that we know
		}
		s.key(b[:n], f)
		b = b[n:]
	}
}

// holds reports whether the beginning of a key is held back: ESC may begin a sequence or be
// the key Escape, which only time shows.
func (s *Splitter) holds() bool { return len(s.held) > 0 }

// Flush calls f with what is held back, as keys of their own.
func (s *Splitter) Flush(f func(*Key)) {
	held := s.held
	s.held = nil
	if len(held) > 0 {
		s.key(held, f)
	}
}

// key is one that is complete, or will never be.
func (s *Splitter) key(raw []byte, f func(*Key)) {
	k := Key{Raw: raw}
	switch {
	case bytes.Equal(raw, pasteBegins):
		s.paste, k.Kind = true, Pasted
	case bytes.Equal(raw, pasteEnds):
		s.paste, k.Kind = false, Pasted
	case s.paste:
		k.Kind = Pasted
	default:
		k.read()
	}
	f(&k)
}

// length is how many bytes the first key of b has; 0: more than there are.
func (s *Splitter) length(b []byte) int {
	switch c := b[0]; {
	case s.paste:
		return pastedLength(b)
	case c == esc:
		return escapeLength(b)
	case c < utf8.RuneSelf || utf8.FullRune(b):
		_, n := utf8.DecodeRune(b)
		return n
	}
	return 0
}

// pastedLength is how much of b is pasted text, or its end.
func pastedLength(b []byte) int {
	if bytes.HasPrefix(b, pasteEnds) {
		return len(pasteEnds)
	}
	if bytes.HasPrefix(pasteEnds, b) {
		return 0
	}
	if i := bytes.IndexByte(b[1:], esc); i >= 0 {
		return i + 1
	}
	return len(b)
}

// escapeLength is the length of what begins with an escape: a control sequence
// (ECMA-48 5.4), a string of one of the kinds that end with ST, SS3 with its
// character, or a key with Alt.
func escapeLength(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch c := b[1]; c {
	case '[':
		return controlLength(b)
	case ']', 'P', '_', '^', 'X':
		return stringLength(b)
	case 'O':
		if len(b) < 3 {
			return 0
		}
		return 3
	case esc: // Escape, and then another key
		return 1
	}
	if !utf8.FullRune(b[1:]) {
		return 0
	}
	_, n := utf8.DecodeRune(b[1:])
	return 1 + n
}

func controlLength(b []byte) int {
	for i := 2; i < len(b); i++ {
		switch c := b[i]; {
		case c == 'M' && i == 2: // the mouse as X10 has it: three bytes follow
			if len(b) < 6 {
				return 0
			}
			return 6
		case c >= 0x40 && c <= 0x7e:
			return i + 1
		case c < 0x20 || c > 0x7e: // a sequence that another key breaks off
			return i
		}
	}
	return 0
}

func stringLength(b []byte) int {
	for i := 2; i < len(b); i++ {
		switch {
		case b[i] == 0x07:
			return i + 1
		case b[i] == esc && i+1 < len(b):
			if b[i+1] == '\\' {
				return i + 2
			}
			return i
		case b[i] < 0x08: // no string has that: it was Alt with that key
			return 2
		}
	}
	return 0
}

package ui

import (
	"io"
	"os"
	"strconv"
	"sync"
	"unicode"
	"unicode/utf8"

	"example.org/ripple/internal/lazyregexp"
)

// screen writes text to a terminal. It passes on line feeds, tabs and color sequences, and removes
// all other control characters and sequences as well as characters that change the direction of
// text: no text can control the terminal.
type screen struct {
	file *os.File

	mu   sync.Mutex
	rest []byte // incomplete sequence or character that has not been written yet
}

// passed matches the sequences that are passed on: attributes and colors, except the one that hides
// text, and line ends.
var passed = lazyregexp.New(`^(?:\x1b\[(?:` + attribute + `(?:;` + attribute + `)*)?m|\r\n)`)

const attribute = `(?:[0-79]|[1-9][0-9]|10[0-7]|[345]8[:;]5[:;]\d{1,3}|[345]8[:;]2[:;]{1,2}\d{1,3}[:;]\d{1,3}[:;]\d{1,3})`

// control matches any other control sequence, which is removed as a whole.
var control = lazyregexp.New(`^\x1b\[[0-?]*[ -/]*[@-~]`)

// beginning matches an incomplete one of these.
var beginning = lazyregexp.New(`^(?:\x1b(?:\[[0-?]*[ -/]*)?|\r)$`)

// longestSequence is the maximum length of these, in bytes.
const longestSequence = 64

// shown returns a writer that filters text for a terminal; other streams are returned unchanged.
func shown(stream io.Writer) io.Writer {
	if f, ok := stream.(*os.File); ok && IsTerminal(f) {
		return &screen{file: f}
	}
	return stream
}

// Write implements io.Writer; n includes the bytes that were removed.
func (s *screen) Write(b []byte) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := append(s.rest, b...)
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		size := shownLen(text)
		if size > 0 {
			out, text = append(out, text[:size]...), text[size:]
			continue
		}
		if incomplete(text) {
			break
		}
		if n := len(control().Find(head(text))); n > 0 {
			text = text[n:]
			continue
		}
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError {
			out = utf8.AppendRune(out, r)
		}
		text = text[size:]
	}
	s.rest = append([]byte(nil), text...)
	if len(out) > 0 {
		if _, err := s.file.Write(out); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// shownLen returns the length of the prefix of text that may be written unchanged.
func shownLen(text []byte) int {
	n := 0
	for n < len(text) {
		switch c := text[n]; {
		case c == '\n' || c == '\t' || c >= ' ' && c < 0x7f:
			n++
		case c < utf8.RuneSelf:
			return n + len(passed().Find(head(text[n:])))
		default:
			r, size := utf8.DecodeRune(text[n:])
			if r == utf8.RuneError && size <= 1 || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
				return n
			}
			n += size
		}
	}
	return n
}

// incomplete reports whether text may be the beginning of something longer: of a sequence of
// ripple's own, or of a character.
func incomplete(text []byte) bool {
	if text[0] >= utf8.RuneSelf {
		return !utf8.FullRune(text)
	}
	if len(text) >= longestSequence {
		return false
	}
	return beginning().Match(text)
}

// head returns the part of text in which a sequence is searched.
func head(text []byte) []byte { return text[:min(len(text), longestSequence)] }

// TerminalName returns the path of the first of these streams that is a terminal: empty if none is,
// and "a terminal" if the system does not report its path.
func TerminalName(streams ...any) string {
	for _, stream := range streams {
		if !IsTerminal(stream) {
			continue
		}
		path, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(fileOf(stream).Fd())))
		if err != nil {
			return "a terminal"
		}
		return path
	}
	return ""
}

// fileOf returns the file that a stream is or writes to; nil if it is not one.
func fileOf(stream any) *os.File {
	switch s := stream.(type) {
	case *os.File:
		return s
	case *screen:
		return s.file
	case *output:
		return fileOf(s.to)
	}
	return nil
}

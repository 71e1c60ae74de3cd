// Package echo separates the echo of input by a terminal or line editor from the output of
// the program: New, Feed each piece of raw output, Flush at the end. Pending does the same
// for input that is typed while a program runs.
//
// The echo is recognized only as a whole. Until then its bytes are held back;
// when something comes that no echo would contain they are all returned, so
// that nothing is lost. At most 4 bytes for each byte sent, plus slack, are
// held. Splitting the output differently changes nothing.
package echo

import (
	"bytes"

	"github.com/dlclark/regexp2"

	"example.org/ripple/internal/vt"
)

// Strategies, named as in the adapter schema. Any other name strips nothing.
const (
	Deterministic = "deterministic_byte_match"
	Fuzzy         = "fuzzy_byte_match"
	Silent        = "none" // nothing is echoed
)

// slack is for what a line editor adds: colors, cursor moves, and the
// redrawing of the line for each key (300 keys of a 200 column line).
const slack = 64 << 10

// foreignSlack is how much others may print before an echo is complete: more
// than a terminal and a reader keep queued.
const foreignSlack = 256 << 10

// Config says what was sent and how its echo may look.
type Config struct {
	Strategy string
	Sent     []byte          // including the line ending
	Prompt   *regexp2.Regexp // Fuzzy: the prompt that a redraw repeats; nil: none
	Scrolls  bool            // the line editor may show only the end of a long line, after "<", as readline does on a dumb terminal

	// Foreign: other programs may print at the same time. The echo is taken out
	// of what they print, and the rest of that comes from Foreign or Split.
	Foreign bool
	Kernel  []byte // with Foreign: the echo byte for byte, where the kernel's line discipline makes it
	Shown   []byte // with Foreign: the prompt as it was shown, without sequences; a redraw repeats it
	Within  bool   // with Foreign: somebody else's line had not ended when the input was sent
}

// Stripper removes the echo from the start of one command's output.
type Stripper struct {
	tokens  vt.Parser
	handle  func(*vt.Token)
	m       *matcher // nil: others print too, or the echo is decided
	t       *tangle  // not nil: others print too
	held    []byte   // all of the stream, until then
	limit   int
	scrolls []byte // the line sent, until a line's end has been read, if the editor may show only the end of the line
	outcome outcome
	end     int   // where in the stream it was decided
	spans   *span // what was foreign before that
	foreign []byte
	matched bool
}

// New prepares a stripper. It keeps no reference to c.Sent.
func New(c Config) *Stripper {
	if c.Strategy != Deterministic && c.Strategy != Fuzzy || len(c.Sent) == 0 {
		return &Stripper{}
	}
	s := &Stripper{tokens: vt.ForText()}
	s.handle = s.token
	if c.Scrolls {
		s.scrolls = bytes.TrimRight(c.Sent, "\r\n")
	}
	if c.Foreign {
		s.t, s.limit = newTangle(c), 4*len(c.Sent)+foreignSlack
		return s
	}
	s.m, s.limit = newMatcher(c.Sent), 4*len(c.Sent)+slack
	if c.Strategy == Fuzzy && c.Prompt != nil {
		s.m.allowPrompt(c.Prompt)
	}
	return s
}

// Matched reports whether the whole echo was seen and removed.
func (s *Stripper) Matched() bool { return s.matched }

// Feed takes raw output and returns what is output of the program as far as is
// known. The result is valid until the next call; it may share memory with raw.
func (s *Stripper) Feed(raw []byte) []byte {
	if s.scrolls != nil {
		return s.feedScrolled(raw)
	}
	if s.m == nil && s.t == nil { // it is decided
		return raw
	}
	at := len(s.held)
	s.held = append(s.held, raw...)
	s.tokens.Feed(raw, s.handle)
	if s.outcome == going && len(s.held) > s.limit {
		s.outcome = failed
	}
	switch s.outcome {
	case matched:
		return s.found(raw, at)
	case failed:
		return s.Flush()
	}
	return nil
}

// feedScrolled is Feed until the end of a line has been read.
func (s *Stripper) feedScrolled(raw []byte) []byte {
	s.held = append(s.held, raw...)
	end := bytes.IndexByte(s.held, '\n')
	if end < 0 && len(s.held) <= s.limit {
		return nil
	}
	held, sent := s.held, s.scrolls
	s.held, s.scrolls = nil, nil
	if end < 0 || !showsEnd(held[:end], sent) {
		return s.Feed(held)
	}
	s.forget()
	s.matched = true
	return held[end+1:]
}

// leastShown is how many bytes of the line must be shown: fewer may be output.
const leastShown = 8

// showsEnd reports whether a line on the terminal shows the end of the line sent, after "<".
func showsEnd(line, sent []byte) bool {
	line = bytes.TrimRight(line, "\r")
	line = line[bytes.LastIndexByte(line, '\r')+1:]
	line = bytes.TrimRight(bytes.TrimRight(line, "\b"), " ") // readline may clear what follows, and go back
	rest, scrolled := bytes.CutPrefix(line, []byte("<"))
	return scrolled && len(rest) >= leastShown && bytes.HasSuffix(bytes.TrimRight(sent, " "), rest)
}

// token follows the stream until the echo is decided.
func (s *Stripper) token(t *vt.Token) {
	switch {
	case t.Inside || s.outcome != going: // a sequence has its controls with it
	case s.t != nil:
		s.tangled(t)
	case t.Kind == vt.Text:
		left := s.limit - int(t.Offset)
		for i, c := range t.Raw {
			if o := s.m.step(c); o != going || i == left {
				s.decide(t.Offset+int64(i)+1, o)
				return
			}
		}
	default:
		s.decide(t.Offset+int64(len(t.Raw)), s.m.sequence(movement(t)))
	}
}

// tangled is token where others print too.
func (s *Stripper) tangled(t *vt.Token) {
	for i, c := range t.Raw {
		s.t.byteOf(t, i, c)
		o := going
		if th, whole := s.t.whole(); whole {
			o, s.spans = matched, th.spans
		}
		if s.decide(t.Offset+int64(i)+1, o) {
			return
		}
	}
}

// decide notes what is known when the stream has been read up to end.
func (s *Stripper) decide(end int64, o outcome) bool {
	if o == going && end > int64(s.limit) {
		o = failed
	}
	s.outcome, s.end = o, int(end)
	return o != going
}

// found releases the echo; raw is in the held bytes from at on.
func (s *Stripper) found(raw []byte, at int) (rest []byte) {
	for sp := s.spans; sp != nil; sp = sp.before {
		s.foreign = append(append([]byte(nil), s.held[sp.from:sp.to]...), s.foreign...)
	}
	rest = s.held[s.end:]
	if s.end >= at {
		rest = raw[s.end-at:]
	}
	s.forget()
	s.matched = true
	return rest
}

func (s *Stripper) forget() { s.m, s.t, s.held, s.spans, s.scrolls = nil, nil, nil, nil, nil }

// Foreign takes what others printed before the echo was complete.
func (s *Stripper) Foreign() []byte {
	f := s.foreign
	s.foreign = nil
	return f
}

// Flush returns the bytes held back: the echo never became complete, or is inside other
// output.
func (s *Stripper) Flush() []byte {
	if s.scrolls != nil {
		held := s.held
		s.held, s.scrolls = nil, nil
		out := s.Feed(held)
		return append(out[:len(out):len(out)], s.Flush()...)
	}
	if s.outcome == going {
		s.tokens.Flush(s.handle)
	}
	out := s.held
	if s.t != nil {
		if spans, ok := s.t.best(); ok && len(spans) > 0 {
			out = nil
			for _, sp := range spans {
				out = append(out, s.held[sp.from:sp.to]...)
			}
			out = append(out, s.held[s.t.read:]...)
		}
	}
	s.forget()
	return out
}

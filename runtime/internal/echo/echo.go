// Package echo tells what a terminal or line editor echoes of our input from
// what the program prints: New, Feed each piece of raw output, Flush at the
// end. Pending does the same for input that is typed while a program runs.
//
// The echo is recognised only as a whole. Until then its bytes are held back;
// when something comes that no echo would contain they are all returned, so
// that nothing is lost. At most 4 bytes for each byte sent, plus slack, are
// held. Splitting the output differently changes nothing.
package echo

import "github.com/dlclark/regexp2"

// Strategies, named as in the adapter schema. Any other name strips nothing.
const (
	Deterministic = "deterministic_byte_match"
	Fuzzy         = "fuzzy_byte_match"
	Silent        = "none" // nothing is echoed
)

// slack is for what a line editor adds: colours, cursor moves, and the
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

	// Foreign: other programs may print at the same time. The echo is taken out
	// of what they print, and the rest of that comes from Foreign or Split.
	Foreign bool
	Kernel  []byte // with Foreign: the echo byte for byte, where the kernel's line discipline makes it
	Shown   []byte // with Foreign: the prompt as it was shown, without sequences; a redraw repeats it
}

// Stripper removes the echo from the start of one command's output.
type Stripper struct {
	m       *matcher // nil: the echo is decided
	t       *tangle  // not nil: others print too
	held    []byte
	foreign []byte
	limit   int
	matched bool
}

// New prepares a stripper. It keeps no reference to c.Sent.
func New(c Config) *Stripper {
	if c.Strategy != Deterministic && c.Strategy != Fuzzy || len(c.Sent) == 0 {
		return &Stripper{}
	}
	if c.Foreign {
		return &Stripper{t: newTangle(c), limit: 4*len(c.Sent) + foreignSlack}
	}
	s := &Stripper{m: newMatcher(c.Sent), limit: 4*len(c.Sent) + slack}
	if c.Strategy == Fuzzy && c.Prompt != nil {
		s.m.allowPrompt(c.Prompt)
	}
	return s
}

// Matched says that the whole echo was seen and removed.
func (s *Stripper) Matched() bool { return s.matched }

// Feed takes raw output and returns what is output of the program as far as is
// known. The result is valid until the next call; it may share memory with raw.
func (s *Stripper) Feed(raw []byte) []byte {
	if s.t != nil {
		return s.untangle(raw)
	}
	if s.m == nil {
		return raw
	}
	for i, c := range raw {
		switch s.m.step(c) {
		case matched:
			s.m, s.held, s.matched = nil, nil, true
			return raw[i+1:]
		case failed:
			return s.giveBack(raw)
		}
		if len(s.held)+i >= s.limit {
			return s.giveBack(raw)
		}
	}
	s.held = append(s.held, raw...)
	return nil
}

// untangle is Feed where others print too.
func (s *Stripper) untangle(raw []byte) []byte {
	for i, c := range raw {
		s.t.step(c)
		th, whole := s.t.whole()
		if !whole && s.t.read < s.limit {
			continue
		}
		s.held = append(s.held, raw[:i+1]...)
		if !whole {
			return append(s.Flush(), raw[i+1:]...)
		}
		for sp := th.spans; sp != nil; sp = sp.before {
			s.foreign = append(append([]byte(nil), s.held[sp.from:sp.to]...), s.foreign...)
		}
		s.t, s.held, s.matched = nil, nil, true
		return raw[i+1:]
	}
	s.held = append(s.held, raw...)
	return nil
}

// Foreign takes what others printed before the echo was complete.
func (s *Stripper) Foreign() []byte {
	f := s.foreign
	s.foreign = nil
	return f
}

// Flush returns what is held back: the echo never became complete, or stands
// in the middle of what others print.
func (s *Stripper) Flush() []byte {
	if s.t == nil {
		return s.giveBack(nil)
	}
	out := s.held
	if spans, ok := s.t.best(); ok && len(spans) > 0 {
		out = nil
		for _, sp := range spans {
			out = append(out, s.held[sp.from:sp.to]...)
		}
	}
	s.t, s.held = nil, nil
	return out
}

func (s *Stripper) giveBack(raw []byte) []byte {
	out := append(s.held, raw...)
	s.m, s.held = nil, nil
	return out
}

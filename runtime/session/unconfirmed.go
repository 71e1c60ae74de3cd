package session

import (
	"strings"

	"example.org/ripple/runtime/internal/prompt"
)

// unconfirmed is the text since a prompt that the kernel has not confirmed yet. If markers carry no
// nonce, a program can be made to print its prompt like any other text, and only the continuation
// decides: if the program waits, all of this text is a prompt and output next to it; if another
// prompt follows, it was output.
type unconfirmed struct {
	open        bool   // there is a prompt in question
	began       bool   // its A arrived
	text        []byte // the whole text
	unsolicited []byte // the parts of it that do not belong to the prompt
	promptEnd   int    // position in text of the prompt's end
}

// question starts another prompt of the running command; the previous one has been taken back, or
// had no A yet.
func (s *stream) question(began bool) { s.unconfirmed.open, s.unconfirmed.began = true, began }

// takeBack turns a false prompt into output. A prompt followed only by an interrupt was a prompt.
func (s *stream) takeBack(interrupted bool) (out classified) {
	u := s.unconfirmed
	s.unconfirmed = unconfirmed{}
	switch {
	case !u.open:
	case interrupted && u.printed() == "":
		out.unsolicited = u.unsolicited
	default:
		s.region = regionOutput
		out.output = s.hold(u.text)
	}
	return out
}

// holdUnconfirmed keeps text whose classification depends on the prompt in question. Text that is
// too long to be kept becomes output, so that nothing is lost.
func (s *stream) holdUnconfirmed(b []byte) (output []byte) {
	u := &s.unconfirmed
	if u.text = append(u.text, b...); len(u.text) > keptStartup {
		output = s.hold(u.text)
		u.text, u.unsolicited, u.promptEnd = nil, nil, 0
	}
	return output
}

// confirm confirms the prompt in question: the program waits at it.
func (s *stream) confirm() classified {
	unsolicited := s.unconfirmed.unsolicited
	s.unconfirmed = unconfirmed{}
	return classified{unsolicited: unsolicited}
}

// printed returns the text so far if other text follows the prompt.
func (u *unconfirmed) printed() string {
	if !u.began || strings.TrimSpace(u.rest()) == "" {
		return ""
	}
	return strings.ReplaceAll(prompt.Visible(u.text), "\r\n", "\n")
}

// rest returns the visible text after the prompt.
func (u *unconfirmed) rest() string { return prompt.Visible(u.text[u.promptEnd:]) }

package session

import (
	"strings"

	"ripple/runtime/internal/prompt"
)

// unproven is what came with a prompt that the kernel has not confirmed yet. Where
// markers carry no number a program can be made to print its prompt like any other
// text, and only what follows tells: when it waits, all of this is a prompt and what
// stood beside it; when another prompt comes, it was output.
type unproven struct {
	open   bool   // a prompt is in question
	began  bool   // its A came
	text   []byte // all of it
	beside []byte // what of it is none of the prompt's
	behind int    // where in the text the prompt ends
}

// question begins another prompt of the running command; the one before has been
// taken back, or had no A yet.
func (s *stream) question(began bool) { s.unproven.open, s.unproven.began = true, began }

// takeBack makes output of a prompt that was none. One that only an interrupt came
// behind was one.
func (s *stream) takeBack(interrupted bool) (out sorted) {
	u := s.unproven
	s.unproven = unproven{}
	switch {
	case !u.open:
	case interrupted && u.printed() == "":
		out.aside = u.beside
	default:
		s.region = regionOutput
		out.output = s.hold(u.text)
	}
	return out
}

// doubt keeps text whose meaning the prompt in question decides. What is too long to
// be kept is output: it is lost in no case.
func (s *stream) doubt(b []byte) (output []byte) {
	u := &s.unproven
	if u.text = append(u.text, b...); len(u.text) > keptStartup {
		output = s.hold(u.text)
		u.text, u.beside, u.behind = nil, nil, 0
	}
	return output
}

// believe is the answer that the program waits behind the prompt in question.
func (s *stream) believe() sorted {
	beside := s.unproven.beside
	s.unproven = unproven{}
	return sorted{aside: beside}
}

// printed is the text so far where something stands behind the prompt.
func (u *unproven) printed() string {
	if !u.began || strings.TrimSpace(u.rest()) == "" {
		return ""
	}
	return strings.ReplaceAll(prompt.Visible(u.text), "\r\n", "\n")
}

// rest is what is to be seen behind the prompt.
func (u *unproven) rest() string { return prompt.Visible(u.text[u.behind:]) }

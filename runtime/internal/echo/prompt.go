package echo

import "github.com/dlclark/regexp2"

// maxPrompt bounds the text in which a redrawn prompt is looked for, in bytes.
const maxPrompt = 256

// promptMatcher recognizes a prompt in the text since the line began.
type promptMatcher struct {
	re      *regexp2.Regexp // nil: prompts are not expected
	line    int             // where in want the line after the prompt begins
	text    []byte
	found   bool // at the last byte: it may go on
	reading bool
}

func (p *promptMatcher) restart(line int) {
	p.line, p.text, p.found, p.reading = line, p.text[:0], false, true
}

// step reports whether the text up to and with c is a prompt.
func (p *promptMatcher) step(c byte) bool {
	if c == '\n' || c == '\b' || len(p.text) == maxPrompt {
		p.reading = false
		return false
	}
	p.text = append(p.text, c)
	text := []rune(string(p.text))
	m, err := p.re.FindRunesMatch(text)
	// A pattern that takes too long recognizes nothing; prompt detection reports it.
	is := err == nil && m != nil && m.Index == 0 && m.Length == len(text)
	p.reading = is || !p.found
	p.found = is
	return is
}

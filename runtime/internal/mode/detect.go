package mode

import (
	"fmt"

	"github.com/dlclark/regexp2"

	"example.org/ripple/schema"
)

const (
	// maxPrompt is how much of the end a primary sees, in characters.
	maxPrompt = 4 << 10
	// maxText is how much of the end detect and exit_detect see, in characters.
	maxText = 64 << 10
)

// Detect judges the text that came after the last boundary, up to and with the
// prompt that ended the command, free of escape sequences; older output must not
// be in it. current is the mode before. The error names the key of a pattern
// that took longer than schema.MatchLimit.
func (d *Detector) Detect(current, text string) (State, error) {
	runes := last([]rune(text), maxText)
	best, match, err := d.byPrompt(current, runes)
	if err != nil {
		return State{}, err
	}
	if match != nil {
		m := d.modes[best].Mode
		return State{Name: m.Name, Level: level(m, match)}, nil
	}
	for i, m := range d.modes {
		if m.primary != nil {
			continue
		}
		in, err := m.entered(runes, m.Name == current)
		if err != nil {
			return State{}, err
		}
		if in && i != d.fallback {
			return d.at(i), nil
		}
	}
	return d.at(d.fallback), nil
}

// byPrompt chooses among the modes whose prompt stands at the end.
func (d *Detector) byPrompt(current string, text []rune) (best int, found *regexp2.Match, err error) {
	bestRank := -1
	for i, m := range d.modes {
		match, ok, err := m.primary.atEnd(last(text, maxPrompt))
		if err != nil {
			return 0, nil, err
		}
		if !ok || found != nil && match.Length < found.Length {
			continue
		}
		rank, err := d.rank(i, current, text)
		if err != nil {
			return 0, nil, err
		}
		if found == nil || match.Length > found.Length || rank > bestRank {
			best, found, bestRank = i, match, rank
		}
	}
	return best, found, nil
}

// rank orders modes whose prompts look the same.
func (d *Detector) rank(i int, current string, text []rune) (int, error) {
	m := d.modes[i]
	detected, err := m.entered(text, false)
	if err != nil {
		return 0, err
	}
	stays, err := m.entered(text, m.Name == current)
	switch {
	case err != nil:
		return 0, err
	case detected:
		return 3, nil
	case stays:
		return 2, nil
	case i == d.fallback:
		return 1, nil
	}
	return 0, nil
}

// entered reports whether the text shows that the program is in the mode: detect
// matched, or it was there before, and exit_detect did not match after that.
func (m compiled) entered(text []rune, before bool) (bool, error) {
	in, err := m.detect.end(text)
	if err != nil {
		return false, err
	}
	out, err := m.exit.end(text)
	return err == nil && (in >= 0 || before) && out <= in, err
}

// pattern is a compiled pattern of a mode; nil matches nothing.
type pattern struct {
	key, source string
	re          *regexp2.Regexp
}

func newPattern(key, source string) (*pattern, error) {
	// Right to left finds the last match first, whatever stands before it.
	re, err := schema.CompilePattern(source, regexp2.RightToLeft)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	return &pattern{key, source, re}, nil
}

// last returns the last match in the text, if there is one.
func (p *pattern) last(text []rune) (m *regexp2.Match, ok bool, err error) {
	if p == nil {
		return nil, false, nil
	}
	if m, err = p.re.FindRunesMatch(text); err != nil {
		return nil, false, fmt.Errorf("%s: matching took longer than %s: simplify the pattern", p.key, p.re.MatchTimeout)
	}
	return m, m != nil, nil
}

// atEnd returns the match that reaches to the end of the text, if there is one.
func (p *pattern) atEnd(text []rune) (m *regexp2.Match, ok bool, err error) {
	m, ok, err = p.last(text)
	return m, ok && m.Length > 0 && m.Index+m.Length == len(text), err
}

// end is where the last match ends, or -1.
func (p *pattern) end(text []rune) (int, error) {
	m, ok, err := p.last(text)
	if !ok {
		return -1, err
	}
	return m.Index + m.Length, nil
}

// last is the end of a text.
func last(text []rune, n int) []rune { return text[max(0, len(text)-n):] }

package probe

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.org/ripple/internal/lazyregexp"
)

var number = lazyregexp.New(`\d+`)

// skeleton returns a prompt without its numbers: the part that stays when it counts.
func skeleton(prompt string) string { return number().ReplaceAllString(prompt, "\x00") }

// promptPattern is what several prompts have in common.
type promptPattern struct {
	pattern string
	counts  bool // a number in it changed
}

// learn returns a pattern for prompts of one skeleton: a number that varied matches any number.
// mute are texts that differ elsewhere, such as the working directory.
func learn(prompts []string, mute ...string) promptPattern {
	if len(prompts) == 0 {
		return promptPattern{}
	}
	var l promptPattern
	first := number().FindAllString(prompts[0], -1)
	varies := make([]bool, len(first))
	for _, p := range prompts[1:] {
		for i, n := range number().FindAllString(p, -1) {
			varies[i] = varies[i] || n != first[i]
		}
	}
	rest := prompts[0]
	var b strings.Builder
	for i, n := range first {
		before, after, _ := strings.Cut(rest, n)
		b.WriteString(regexp.QuoteMeta(before))
		if varies[i] {
			l.counts = true
			b.WriteString(`(\d+)`)
		} else {
			b.WriteString(n)
		}
		rest = after
	}
	b.WriteString(regexp.QuoteMeta(rest))
	l.pattern = "^" + b.String() + "$"
	for _, m := range mute {
		if m = regexp.QuoteMeta(m); len(m) > 1 {
			l.pattern = strings.ReplaceAll(l.pattern, m, `\S*`)
		}
	}
	return l
}

// anyLength returns a pattern for a prompt in which a row of one character, such as dots, may have
// any length: its length follows the prompt above it, which may contain a directory.
func anyLength(prompt string) string {
	const row = 4 // minimum length of a row; "..." and ">>>" are literal
	var b strings.Builder
	for rest := prompt; rest != ""; {
		sign, size := utf8.DecodeRuneInString(rest)
		end := len(rest) - len(strings.TrimLeft(rest, string(sign)))
		if end >= row*size && !unicode.IsLetter(sign) && !unicode.IsDigit(sign) {
			b.WriteString(regexp.QuoteMeta(rest[:size]) + "+")
		} else {
			b.WriteString(regexp.QuoteMeta(rest[:max(end, size)]))
		}
		rest = rest[max(end, size):]
	}
	return b.String()
}

// prompts collects the lines of one skeleton in which a program waits for a command.
type prompts struct {
	lines  []string
	others []string // shown instead of the others after an error
	mute   []string
}

// add adds a prompt of the same kind and reports whether it is one.
func (p *prompts) add(line string) bool {
	if !p.has(line) {
		return false
	}
	if !slices.Contains(p.lines, line) {
		p.lines = append(p.lines, line)
	}
	return true
}

// has reports whether a line is a prompt of this kind.
func (p *prompts) has(line string) bool {
	for _, other := range p.others {
		if skeleton(line) == skeleton(other) {
			return true
		}
	}
	return line != "" && (len(p.lines) == 0 || skeleton(line) == skeleton(p.lines[0]))
}

// endsIn reports whether output ends in such a prompt: output without a line feed may precede it.
func (p *prompts) endsIn(text string) bool {
	if len(p.lines) == 0 {
		return false
	}
	tail := skeleton(text)
	for _, other := range p.others {
		if strings.HasSuffix(tail, skeleton(other)) {
			return true
		}
	}
	return strings.HasSuffix(tail, skeleton(p.lines[0]))
}

func (p *prompts) pattern() promptPattern {
	l := learn(p.lines, p.mute...)
	if len(p.others) > 0 {
		l.pattern = "^(?:" + inner(l.pattern) + "|" + inner(learn(p.others, p.mute...).pattern) + ")$"
	}
	return l
}

// inner returns a pattern of prompts without its anchors.
func inner(pattern string) string { return strings.TrimSuffix(strings.TrimPrefix(pattern, "^"), "$") }

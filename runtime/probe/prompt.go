package probe

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ripple/internal/lazyregexp"
)

var number = lazyregexp.New(`\d+`)

// skeleton is a prompt without its numbers: what stays when it counts.
func skeleton(prompt string) string { return number().ReplaceAllString(prompt, "\x00") }

// learnt is what several prompts have in common.
type learnt struct {
	pattern string
	counts  bool // a number in it changed
	seen    int  // of how many prompts
}

// learn makes a pattern of prompts of one skeleton: a number that was not always the
// same is any number. mute are texts, such as the working directory, that will be others
// in other places.
func learn(prompts []string, mute ...string) learnt {
	if len(prompts) == 0 {
		return learnt{}
	}
	l := learnt{seen: len(prompts)}
	first := number().FindAllString(prompts[0], -1)
	varies := make([]bool, len(first))
	for _, p := range prompts[1:] {
		for i, n := range number().FindAllString(p, -1) {
			varies[i] = varies[i] || n != first[i]
		}
	}
	rest, at := prompts[0], 0
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
		rest, at = after, at+1
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

// anyLength is a pattern of a prompt in which a row of one sign, such as dots, may be of
// another length: it follows the prompt above it, which may hold a directory.
func anyLength(prompt string) string {
	const row = 4 // signs; "..." and ">>>" mean themselves
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

// prompts collects the lines in which a program waits for a command, of one skeleton.
type prompts struct {
	lines  []string
	others []string // which it shows in the place of these after an error
	mute   []string
}

// add takes a prompt of the same kind, and says whether it is one.
func (p *prompts) add(line string) bool {
	if !p.has(line) {
		return false
	}
	if !slices.Contains(p.lines, line) {
		p.lines = append(p.lines, line)
	}
	return true
}

// has says whether a line is a prompt of this kind.
func (p *prompts) has(line string) bool {
	for _, other := range p.others {
		if skeleton(line) == skeleton(other) {
			return true
		}
	}
	return line != "" && (len(p.lines) == 0 || skeleton(line) == skeleton(p.lines[0]))
}

// endsIn says whether what a program printed ends in such a prompt: output without a
// line feed may stand before it.
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

func (p *prompts) learnt() learnt {
	l := learn(p.lines, p.mute...)
	if len(p.others) > 0 {
		l.pattern = "^(?:" + inner(l.pattern) + "|" + inner(learn(p.others, p.mute...).pattern) + ")$"
	}
	return l
}

// inner is a pattern of prompts without its anchors.
func inner(pattern string) string { return strings.TrimSuffix(strings.TrimPrefix(pattern, "^"), "$") }

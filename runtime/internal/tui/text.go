package tui

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
)

// text determines where on a screen the conversation is.
type text struct {
	below, prompt, mark *regexp2.Regexp // nil: unknown
	drop                []*regexp2.Regexp
}

// conversation returns the rows of the conversation, without rows that are not part of an
// answer.
func (t *text) conversation(rows []string) []string {
	if t.below != nil {
		all := strings.Join(rows, "\n")
		if at := lastMatch(t.below, all); at >= 0 {
			rows = strings.Split(all[:at], "\n")
		}
	}
	return trimmed(t.kept(rows))
}

// lastMatch returns the byte offset of a pattern's last match, or -1.
func lastMatch(re *regexp2.Regexp, text string) int {
	at := -1
	m, err := re.FindStringMatch(text)
	for err == nil && m != nil {
		at = m.Index
		m, err = re.FindNextMatch(m)
	}
	if at < 0 {
		return at
	}
	return len(string([]rune(text)[:at])) // the library counts characters
}

// trimmed returns rows without blank rows at both ends.
func trimmed(rows []string) []string {
	for len(rows) > 0 && strings.TrimSpace(rows[0]) == "" {
		rows = rows[1:]
	}
	for len(rows) > 0 && strings.TrimSpace(rows[len(rows)-1]) == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// answer returns the rows that the screen shows and did not show before: those after the
// earlier rows, and after the prompt if it is repeated.
func (t *text) answer(prompt string, before, after []string) []string {
	rows, _ := t.behind(prompt, before, after)
	return rows
}

// answered reports whether there is an answer. If the interface repeats prompts, an answer follows
// the repeated prompt: an interface may draw its first screen after it has accepted a prompt.
func (t *text) answered(prompt string, before, after []string) bool {
	rows, repeated := t.behind(prompt, before, after)
	return len(rows) > 0 && (repeated || t.prompt == nil)
}

// behind is like answer, and reports whether the prompt precedes the answer.
func (t *text) behind(prompt string, before, after []string) (answer []string, repeats bool) {
	rows := fresh(t.conversation(before), t.conversation(after))
	rest := inked(prompt)
	// The first one belongs to the caller: later rows may quote others.
	first := slices.IndexFunc(rows, t.isPrompt)
	if at := middle(rest, rows); at > 0 && first != 0 { // its beginning has scrolled off
		first, rest = 0, rest[at:]
	}
	if first >= 0 {
		rows = repeated(rest, rows[first:])
		end := slices.IndexFunc(rows, func(r string) bool { return strings.Trim(r, " ┃│") == "" })
		if end < 0 {
			end = len(rows)
		}
		rows = rows[end:]
	}
	return squeezed(trimmed(rows)), first >= 0
}

// middle returns the offset in a prompt at which its repetition by rows starts; 0: they do not
// repeat its end.
func middle(prompt string, rows []string) int {
	const enough = 12 // bytes; shorter text may occur anywhere
	if len(rows) == 0 || len(inked(rows[0])) < enough {
		return 0
	}
	return max(strings.Index(prompt, inked(rows[0])), 0)
}

// repeated takes rows that begin with the ink of a prompt, and drops those that repeat it, except
// the last of them.
func repeated(prompt string, rows []string) []string {
	last := 0
	for i, row := range rows {
		ink := inked(row)
		if _, size := utf8.DecodeRuneInString(ink); i == 0 && !strings.HasPrefix(prompt, ink) {
			ink = ink[size:] // the prompt sign
		}
		rest, found := strings.CutPrefix(prompt, ink)
		if !found || rest == "" && ink == "" {
			break
		}
		if prompt = rest; ink != "" {
			last = i
		}
	}
	return rows[last:]
}

// kept returns rows without those that are not part of an answer.
func (t *text) kept(rows []string) []string {
	return slices.DeleteFunc(slices.Clone(rows), func(row string) bool {
		return slices.ContainsFunc(t.drop, func(re *regexp2.Regexp) bool { return matches(re, row) })
	})
}

// parts returns the parts of an answer, each without its mark and the margin under it. If
// parts have marks, the rows before the first belong to the prompt.
func (t *text) parts(rows []string) (list []string) {
	var part []string
	margin := 0
	end := func() {
		if part = trimmed(part); len(part) > 0 && (t.mark == nil || margin > 0) {
			list = append(list, strings.Join(part, "\n"))
		}
		part = nil
	}
	for _, row := range rows {
		if n := t.marked(row); n > 0 {
			end()
			part, margin = []string{string([]rune(row)[n:])}, n
			continue
		}
		blanks := len(row) - len(strings.TrimLeft(row, " "))
		part = append(part, row[min(margin, blanks):])
	}
	end()
	if len(list) == 0 && len(rows) > 0 { // all marks have scrolled off
		return []string{strings.Join(rows, "\n")}
	}
	return list
}

// marked returns the length of the mark at the start of a row, in characters; 0: there is none.
func (t *text) marked(row string) int {
	if t.mark == nil {
		return 0
	}
	m, err := t.mark.FindStringMatch(row)
	if err != nil || m == nil || m.Index > 0 {
		return 0
	}
	return m.Length
}

func (t *text) isPrompt(row string) bool { return t.prompt != nil && matches(t.prompt, row) }

// squeezed replaces several blank rows by one, and removes the margin that all rows have.
func squeezed(rows []string) (out []string) {
	margin := -1
	for _, r := range rows {
		if n := len(r) - len(strings.TrimLeft(r, " ")); r != "" && (margin < 0 || n < margin) {
			margin = n
		}
	}
	for _, r := range rows {
		if r == "" && len(out) > 0 && out[len(out)-1] == "" {
			continue
		}
		out = append(out, r[min(max(margin, 0), len(r)):])
	}
	return out
}

// fresh returns the rows of after that follow its longest overlap with the tail of before.
// The last rows of before may have been overwritten, and its first rows may have left the
// screen.
func fresh(before, after []string) []string {
	best, at := 0, 0
	for end := len(before); end > 0; end-- {
		for i := len(after); i > 0; i-- {
			n := 0
			for n < end && n < i && before[end-1-n] == after[i-1-n] {
				n++
			}
			if n > best && strings.Join(after[i-n:i], "") != "" {
				best, at = n, i
			}
		}
		if best >= end-1 {
			break
		}
	}
	return after[at:]
}

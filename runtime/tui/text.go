package tui

import (
	"slices"
	"strings"

	"github.com/dlclark/regexp2"
)

// text says where on a screen the conversation is.
type text struct {
	below, prompt *regexp2.Regexp // nil: not known
	drop          []*regexp2.Regexp
}

// conversation are the rows of it.
func (t *text) conversation(rows []string) []string {
	if t.below != nil {
		all := strings.Join(rows, "\n")
		if at := lastMatch(t.below, all); at >= 0 {
			rows = strings.Split(all[:at], "\n")
		}
	}
	rows = slices.Clone(rows)
	for i, r := range rows {
		rows[i] = barless(r)
	}
	return trimmed(rows)
}

// barless is a row without the scroll bar at its right end, which comes and goes with the
// length of the conversation; the side of a box is none.
func barless(row string) string {
	rest, bar := strings.CutSuffix(row, " ┃")
	if !bar || strings.HasPrefix(strings.TrimLeft(rest, " "), "┃") {
		return row
	}
	return strings.TrimRight(rest, " ")
}

// lastMatch is where a pattern last matches, in bytes; -1: it does not.
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

// trimmed are rows without blank ones at both ends.
func trimmed(rows []string) []string {
	for len(rows) > 0 && strings.TrimSpace(rows[0]) == "" {
		rows = rows[1:]
	}
	for len(rows) > 0 && strings.TrimSpace(rows[len(rows)-1]) == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// answer is what a screen shows that it had not shown before: the rows behind those that
// were there, and behind the prompt where it is repeated.
func (t *text) answer(before, after []string) string {
	rows := fresh(t.conversation(before), t.conversation(after))
	// The first one is the caller's: what follows may quote others.
	if i := slices.IndexFunc(rows, t.isPrompt); i >= 0 {
		rows = rows[i:]
		end := slices.IndexFunc(rows, func(r string) bool { return strings.Trim(r, " ┃│") == "" })
		if end < 0 {
			end = len(rows)
		}
		rows = rows[end:]
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(row string) bool {
		return slices.ContainsFunc(t.drop, func(re *regexp2.Regexp) bool { return matches(re, row) })
	})
	return strings.Join(squeezed(trimmed(rows)), "\n")
}

func (t *text) isPrompt(row string) bool { return t.prompt != nil && matches(t.prompt, row) }

// squeezed has one blank row where there are several, and no margin that all rows have.
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

// fresh are the rows of after behind the longest end of before that it has. What was
// before may have been drawn over in its last rows, or have left the screen at its top.
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

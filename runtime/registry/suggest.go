package registry

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxSuggestions keeps "did you mean" a question.
const maxSuggestions = 3

// suggest gives the candidates that a name was likely meant to be: those it is the
// beginning of, and those within a third of its length in edits.
func suggest(name string, candidates []string) []string {
	name = strings.ToLower(name)
	if utf8.RuneCountInString(name) > 64 {
		return nil
	}
	limit := max(1, utf8.RuneCountInString(name)/3)
	cost := func(candidate string) int {
		candidate = strings.ToLower(candidate)
		if len(name) > 1 && strings.HasPrefix(candidate, name) {
			return 1
		}
		return edits(name, candidate)
	}
	near := slices.DeleteFunc(slices.Clone(candidates), func(c string) bool { return cost(c) > limit })
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(cost(a), cost(b)) })
	return near[:min(len(near), maxSuggestions)]
}

// edits counts the insertions, deletions and replacements from a to b
// (Levenshtein, one row at a time).
func edits(a, b string) int {
	target := []rune(b)
	row := make([]int, len(target)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range []rune(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range target {
			replaced := diagonal
			if r != s {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(target)]
}

package schema

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// maxNearest keeps "did you mean" a question.
const maxNearest = 3

// Nearest returns up to three candidates that were likely meant by word, the likeliest first:
// those that begin with it, and those whose edit distance is at most a third of its length. Case
// is ignored.
func Nearest(word string, candidates []string) []string {
	length := utf8.RuneCountInString(word)
	if length > 64 {
		return nil
	}
	lower, limit := strings.ToLower(word), max(1, length/3)
	costs := map[string]int{}
	for _, c := range candidates {
		other := strings.ToLower(c)
		cost := 1
		if length < 2 || !strings.HasPrefix(other, lower) {
			cost = distance(lower, other)
		}
		if cost <= limit {
			costs[c] = cost
		}
	}
	near := slices.DeleteFunc(slices.Clone(candidates), func(c string) bool { _, is := costs[c]; return !is })
	sort.SliceStable(near, func(i, j int) bool { return costs[near[i]] < costs[near[j]] })
	return near[:min(len(near), maxNearest)]
}

// Suggest returns ` (did you mean "x"?)` for the candidate that is nearest to
// a word, or nothing if none is near.
func Suggest(word string, candidates []string) string {
	near := Nearest(word, candidates)
	if len(near) == 0 {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", near[0])
}

// distance counts the insertions, deletions, replacements and swaps of
// neighbors that turn a into b (optimal string alignment).
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last := []int(nil), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row := make([]int, len(t)+1)
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(t)]
}

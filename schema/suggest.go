package schema

import (
	"fmt"
	"strings"
)

// suggest returns ` (did you mean "x"?)` for the candidate that is nearest to
// a word, or nothing if none is near.
func suggest(word string, candidates []string) string {
	if best := nearest(word, candidates); best != "" {
		return fmt.Sprintf(" (did you mean %q?)", best)
	}
	return ""
}

// nearest finds the candidate that the word begins, or the nearest one within
// a third of the word's length in edits.
func nearest(word string, candidates []string) string {
	if len(word) > 64 {
		return ""
	}
	best, least := "", max(1, len(word)/3)+1
	for _, c := range candidates {
		if len(word) >= 3 && strings.HasPrefix(c, word) && len(word) < len(c) {
			return c
		}
		if n := distance(strings.ToLower(word), strings.ToLower(c)); n < least {
			best, least = c, n
		}
	}
	return best
}

// distance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b (optimal string alignment).
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

package prompt

import (
	"strconv"
	"strings"
)

// manyLines is Lines of a pattern that repeats a line break without a limit.
const manyLines = 1 << 15

// Lines is how many lines a prompt may span that the pattern matches: one more than
// the line breaks that it names, by \n, \s, their forms or in a class. What merely
// excludes something, such as [^>] or \D, means the characters of a line.
func Lines(pattern string) int {
	s := lineScanner{rest: pattern}
	return min(1+s.alternatives(), manyLines)
}

// lineScanner counts the line breaks of a pattern.
type lineScanner struct{ rest string }

// alternatives reads up to the end of a group; the longest one counts.
func (s *lineScanner) alternatives() int {
	longest, sum := 0, 0
	for s.rest != "" {
		switch s.rest[0] {
		case ')':
			s.rest = s.rest[1:]
			return max(longest, sum)
		case '|':
			s.rest = s.rest[1:]
			longest, sum = max(longest, sum), 0
		default:
			sum = min(sum+s.atom()*s.times(), manyLines-1)
		}
	}
	return max(longest, sum)
}

// atom reads one character, class or group.
func (s *lineScanner) atom() int {
	c := s.rest[0]
	s.rest = s.rest[1:]
	switch c {
	case '\n':
		return 1
	case '\\':
		return s.escape()
	case '[':
		return s.class()
	case '(':
		s.groupOptions()
		return s.alternatives()
	}
	return 0
}

// groupOptions passes over what follows "(?", up to the group's own text.
func (s *lineScanner) groupOptions() {
	if !strings.HasPrefix(s.rest, "?") {
		return
	}
	ends := ":>=!)"
	if strings.HasPrefix(s.rest, "?<=") || strings.HasPrefix(s.rest, "?<!") {
		ends = "=!"
	} else if strings.HasPrefix(s.rest, "?#") {
		ends = ")"
	}
	i := strings.IndexAny(s.rest, ends)
	switch {
	case i < 0:
		s.rest = ""
	case s.rest[i] == ')':
		s.rest = s.rest[i:] // options alone, or a comment: nothing is in the group
	default:
		s.rest = s.rest[i+1:]
	}
}

// escape reads what follows a backslash.
func (s *lineScanner) escape() int {
	for _, form := range []string{"n", "s", "x0a", "x0A", "u000a", "u000A", "cJ", "cj", "012"} {
		if after, found := strings.CutPrefix(s.rest, form); found {
			s.rest = after
			return 1
		}
	}
	if s.rest != "" {
		s.rest = s.rest[1:]
	}
	return 0
}

// class reads what follows "[".
func (s *lineScanner) class() int {
	after, excludes := strings.CutPrefix(s.rest, "^")
	s.rest = after
	breaks := 0
	for first := true; s.rest != ""; first = false {
		c := s.rest[0]
		s.rest = s.rest[1:]
		switch {
		case c == ']' && !first:
			if excludes {
				return 0
			}
			return breaks
		case c == '\\':
			breaks = max(breaks, s.escape())
		case c == '\n':
			breaks = 1
		}
	}
	return 0
}

// times reads a quantifier: how often at most.
func (s *lineScanner) times() int {
	if s.rest == "" {
		return 1
	}
	most := 1
	switch s.rest[0] {
	case '*', '+':
		most, s.rest = manyLines-1, s.rest[1:]
	case '?':
		s.rest = s.rest[1:]
	case '{':
		count, after, closed := strings.Cut(s.rest[1:], "}")
		if !closed {
			return 1
		}
		least, limit, ranged := strings.Cut(count, ",")
		if !ranged {
			limit = least
		}
		if _, err := strconv.Atoi(least); err != nil {
			return 1 // a brace that is one
		}
		most = manyLines - 1
		if n, err := strconv.Atoi(limit); err == nil {
			most = min(n, most)
		}
		s.rest = after
	default:
		return 1
	}
	s.rest = strings.TrimLeft(s.rest, "?+") // lazy
	return most
}

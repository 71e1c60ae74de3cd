package ui

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"ripple/runtime/event"
)

// Count says a number of things in English.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// CountAre says that a number of things is or are something.
func CountAre(n int, thing string) string {
	if n == 1 {
		return "1 " + thing + " is"
	}
	return Count(n, thing) + " are"
}

// YesNo says it in a word.
func YesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// Quote shows control characters and outer blanks; plain text stays as it is.
func Quote(s string) string {
	if q := strconv.Quote(s); q != `"`+s+`"` || strings.TrimSpace(s) != s {
		return q
	}
	return s
}

// QuoteAll is a command line as people read it: words that need quotes have them.
func QuoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if w == "" || strings.ContainsAny(w, " \t\n\"'\\$") {
			quoted[i] = strconv.Quote(w)
		}
	}
	return strings.Join(quoted, " ")
}

// ShellQuote is a word as a POSIX shell takes it.
func ShellQuote(s string) string {
	if s == "" || strings.ContainsAny(s, " \t\n'\"$`\\#;&|<>()*?[]{}~!") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// ShortNumber is a number as people say it: 1234567 is 1.2M.
func ShortNumber(n int64) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n >= 10_000:
		return fmt.Sprintf("%dk", n/1000)
	case n >= 1000:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}

// Indent puts two blanks before each line.
func Indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}

// Harmless is event.Printable, of all that is not our own words.
func Harmless(s string) string { return event.Printable(s) }

// FirstLine is the first line of a text that anybody may have written, harmless and at
// most 120 characters long.
func FirstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(Harmless(s)), "\n")
	if r := []rune(s); len(r) > 120 {
		s = string(r[:120]) + "…"
	}
	return s
}

// FitLine joins the parts that have room on a line; the first is there in any
// case, cut where it must be. A wrapped line could not be rewritten.
func FitLine(parts []string, columns int) string {
	var line string
	for _, part := range parts {
		longer := FirstLine(part)
		if line != "" {
			longer = line + " · " + longer
		}
		if line == "" || ansi.StringWidth(longer) <= columns {
			line = longer
		}
	}
	return ansi.Truncate(line, columns, "…")
}

// SortedKeys are the keys of a map, in order.
func SortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

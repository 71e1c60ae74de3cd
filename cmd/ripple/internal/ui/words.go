package ui

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"example.org/ripple/runtime/event"
)

// Count formats a number of things: 1 test, 2 tests.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// CountAre is Count followed by is or are.
func CountAre(n int, thing string) string {
	if n == 1 {
		return "1 " + thing + " is"
	}
	return Count(n, thing) + " are"
}

// YesNo returns yes or no.
func YesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// Quote makes control characters and outer blanks visible; other text is unchanged.
func Quote(s string) string {
	if q := strconv.Quote(s); q != `"`+s+`"` || strings.TrimSpace(s) != s {
		return q
	}
	return s
}

// QuoteAll formats a command line, quoting words if necessary.
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

// ShortNumber abbreviates a number: 1234567 is 1.2M.
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

// Harmless is event.Printable, for all text that is not ripple's own.
func Harmless(s string) string { return event.Printable(s) }

// FirstLine returns the first line of untrusted text, harmless and at most 120 characters long.
func FirstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(Harmless(s)), "\n")
	if r := []rune(s); len(r) > 120 {
		s = string(r[:120]) + "…"
	}
	return s
}

// refused describes a tool use that was denied. On a screen, its tool may be unknown.
func refused(e event.Event) string {
	return strings.TrimSpace("refused: " + strings.TrimSpace(FirstLine(e.Name)+" "+FirstLine(e.Detail)))
}

// FitLine joins the parts that fit on a line; the first is always included, and cut if necessary. A
// wrapped line could not be rewritten.
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

// SortedKeys returns the keys of a map, in order.
func SortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

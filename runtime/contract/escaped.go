package contract

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escaped replaces control characters, invalid UTF-8 and other invisible characters by escapes:
// \x1b, \r, \u200b. A line feed is shown as `\n` followed by a real line end.
func escaped(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == '\n':
			b.WriteString("\\n\n")
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == utf8.RuneError && size == 1, r < ' ', r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case !unicode.IsPrint(r) && !unicode.Is(unicode.M, r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// quoted returns s with visible characters, on one line.
func quoted(s string) string { return strings.ReplaceAll(escaped(s), "\\n\n", `\n`) }

// cut returns s or, if it is longer than limit, its beginning and its end with the number of
// omitted bytes.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head, tail := limit/2, len(s)-limit/2
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return fmt.Sprintf("%s …%d bytes… %s", s[:head], tail-head, s[tail:])
}

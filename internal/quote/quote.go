// Package quote quotes words for commands that users copy.
package quote

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shell returns an argument as a POSIX shell reads it: quoted if it must be there, in bash with history
// expansion, or in zsh. Characters that a terminal does not show, or shows in another place, are written as
// numbers.
func Shell(arg string) string {
	switch {
	case hidden(arg):
		text := strings.TrimRight(arg, "\n") // $(…) drops these
		return `"$(printf '` + numbered(text) + `')"` + quoted(arg[len(text):])
	case arg == "" || arg[0] == '=' || strings.ContainsAny(arg, " \t\n'\"$`\\#;&|<>()*?[]{}~!"):
		return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	return arg
}

// Name returns a name for a sentence: as it is, or as a Go string if it has characters that a
// terminal does not show as they are.
func Name(name string) string {
	if hidden(name) || strings.Contains(name, "\n") {
		return strconv.Quote(name)
	}
	return name
}

func quoted(text string) string {
	if text == "" {
		return ""
	}
	return "'" + text + "'"
}

// hidden reports whether text has bytes that are not UTF-8, or characters that a terminal does not show
// as they are: control characters, those that change the direction of text, and unusual blanks.
func hidden(text string) bool {
	return !utf8.ValidString(text) || strings.ContainsFunc(text, isHidden)
}

func isHidden(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\t' }

// numbered returns text as a format of printf(1) between single quotes. These are between double quotes, where an interactive
// bash expands "!".
func numbered(text string) string {
	var b strings.Builder
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		switch raw := text[i : i+size]; {
		case isHidden(r), r == utf8.RuneError && size == 1, r == '\\', r == '\'', r == '!', r == '-' && i == 0:
			for _, c := range []byte(raw) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		case r == '%':
			b.WriteString("%%")
		default:
			b.WriteString(raw)
		}
	}
	return b.String()
}

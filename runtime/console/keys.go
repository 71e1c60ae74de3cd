package console

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// named are those with a name, as xterm sends them in its normal modes
// (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html).
var named = map[string]string{
	"enter": "\r", "tab": "\t", "esc": "\x1b", "escape": "\x1b", "space": " ", "backspace": "\x7f",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
	"pgup": "\x1b[5~", "pageup": "\x1b[5~", "pgdn": "\x1b[6~", "pagedown": "\x1b[6~", "insert": "\x1b[2~", "delete": "\x1b[3~",
	"f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS", "f5": "\x1b[15~", "f6": "\x1b[17~",
	"f7": "\x1b[18~", "f8": "\x1b[19~", "f9": "\x1b[20~", "f10": "\x1b[21~", "f11": "\x1b[23~", "f12": "\x1b[24~",
}

// Key is what a key sends: a name ("enter", "up", "f5"), one character, or one of
// these behind "C-" (control) or "M-" (Alt, which sends an escape first).
func Key(name string) (string, error) {
	lower := strings.ToLower(name)
	switch {
	case strings.HasPrefix(lower, "m-") && len(name) > 2:
		rest, err := Key(name[2:])
		return "\x1b" + rest, err
	case strings.HasPrefix(lower, "c-") && len(name) == 3:
		if c := lower[2]; c >= '@' && c <= '_' || c >= 'a' && c <= 'z' {
			return string(rune(c & 0x1f)), nil
		}
		if lower[2] == '?' {
			return "\x7f", nil
		}
	case utf8.RuneCountInString(name) == 1:
		return name, nil
	}
	if seq, ok := named[lower]; ok {
		return seq, nil
	}
	return "", fmt.Errorf("%q is no key: enter, tab, esc, up, down, left, right, home, end, pgup, pgdn, insert, delete, backspace, space, f1 to f12, C-c, M-x and single characters are", name)
}

// KeyNames are the keys that have a name, sorted.
func KeyNames() []string { return slices.Sorted(maps.Keys(named)) }

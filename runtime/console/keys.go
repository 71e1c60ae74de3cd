package console

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// named maps key names to the sequences that xterm sends in its normal modes
// (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html).
var named = map[string]string{
	"enter": "\r", "tab": "\t", "esc": "\x1b", "escape": "\x1b", "space": " ", "backspace": "\x7f",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
	"pgup": "\x1b[5~", "pageup": "\x1b[5~", "pgdn": "\x1b[6~", "pagedown": "\x1b[6~", "insert": "\x1b[2~", "delete": "\x1b[3~",
	"f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS", "f5": "\x1b[15~", "f6": "\x1b[17~",
	"f7": "\x1b[18~", "f8": "\x1b[19~", "f9": "\x1b[20~", "f10": "\x1b[21~", "f11": "\x1b[23~", "f12": "\x1b[24~",
}

// Key returns the bytes that a key sends. The name is a key name ("enter", "up", "f5") or one
// character, optionally prefixed by "C-" (Control) or "M-" (Alt, which sends an escape first).
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
	return "", fmt.Errorf("unknown key %q: use enter, tab, esc, up, down, left, right, home, end, pgup, pgdn, insert, delete, backspace, space, f1 to f12, C-c, M-x or a single character", name)
}

// KeyNames returns the names of named keys, sorted.
func KeyNames() []string { return slices.Sorted(maps.Keys(named)) }

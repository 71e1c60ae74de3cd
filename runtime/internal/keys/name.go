package keys

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// named maps key names to the sequences that xterm sends in its normal modes
// (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html).
var named = map[string]string{
	"enter": "\r", "tab": "\t", "esc": "\x1b", "space": " ", "backspace": "\x7f",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
	"pgup": "\x1b[5~", "pgdn": "\x1b[6~", "insert": "\x1b[2~", "delete": "\x1b[3~",
	"f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS", "f5": "\x1b[15~", "f6": "\x1b[17~",
	"f7": "\x1b[18~", "f8": "\x1b[19~", "f9": "\x1b[20~", "f10": "\x1b[21~", "f11": "\x1b[23~", "f12": "\x1b[24~",
	"backtab": "\x1b[Z",
}

// aliases maps other names, of tmux, Emacs, vim and browsers, to those of named.
var aliases = map[string]string{
	"return": "enter", "ret": "enter", "cr": "enter", "escape": "esc", "spc": "space", "bspace": "backspace", "bs": "backspace",
	"arrowup": "up", "arrowdown": "down", "arrowright": "right", "arrowleft": "left",
	"pageup": "pgup", "page-up": "pgup", "ppage": "pgup", "pagedown": "pgdn", "page-down": "pgdn", "npage": "pgdn",
	"ins": "insert", "del": "delete", "btab": "backtab",
}

// The bits of a modified key's parameter in xterm, which is their sum and one.
const (
	shift = 1 << iota
	alt
	control
)

var modifiers = map[string]int{
	"s": shift, "shift": shift, "m": alt, "a": alt, "alt": alt, "meta": alt, "opt": alt, "option": alt, "c": control, "ctrl": control, "control": control,
}

// names describes the names that Sequence takes.
const names = "enter, tab, esc, space, backspace, up, down, left, right, home, end, pgup, pgdn, insert, delete, f1 to f12, backtab, or a single character, " +
	"with C- or ctrl+, M- or alt+, S- or shift+ before it for modifier keys (C-c, M-x, S-tab, C-S-left)"

// All returns the names of keys, sorted.
func All() []string {
	list := slices.AppendSeq(slices.Collect(maps.Keys(named)), maps.Keys(aliases))
	slices.Sort(list)
	return list
}

// Sequence returns what xterm sends for a key: a name or one character, after any modifiers.
// Where xterm sends the same for a key with and without a modifier, so does Sequence: S-enter and
// C-enter are enter, C-tab is tab, and C-backspace is C-h.
func Sequence(name string) (string, error) {
	key, mods := name, 0
	for {
		bit, rest := modifier(key)
		if bit == 0 {
			break
		}
		key, mods = rest, mods|bit
	}
	if seq, ok := keySequence(key, mods); ok {
		return seq, nil
	}
	return "", fmt.Errorf("unknown key %q: use %s", name, names)
}

// modifier splits the first modifier from a name; the bit is 0 if there is none.
func modifier(name string) (bit int, rest string) {
	i := strings.IndexAny(name, "-+")
	if i < 1 || i == len(name)-1 {
		return 0, name
	}
	return modifiers[strings.ToLower(name[:i])], name[i+1:]
}

func keySequence(key string, mods int) (string, bool) {
	lower := strings.ToLower(key)
	if of, ok := aliases[lower]; ok {
		lower = of
	}
	seq, ok := named[lower]
	switch {
	case lower == "tab" && mods&shift != 0:
		return keySequence("backtab", mods&^shift)
	case ok && len(seq) > 1 && lower != "backtab":
		return withModifiers(seq, mods), true
	case lower == "space" && mods&control != 0:
		return escaped("\x00", mods), true
	case lower == "backspace" && mods&control != 0:
		return escaped("\b", mods), true
	case ok:
		return escaped(seq, mods), true
	case utf8.RuneCountInString(key) != 1:
		return "", false
	}
	return character(key, mods)
}

// character returns what a character sends: with Control a control character, if it has one.
func character(key string, mods int) (string, bool) {
	c, _ := utf8.DecodeRuneInString(key)
	switch {
	case mods&control == 0 && mods&shift != 0:
		return escaped(string(unicode.ToUpper(c)), mods), true
	case mods&control == 0:
		return escaped(key, mods), true
	case c == '?':
		return escaped("\x7f", mods), true
	case c >= '@' && c <= '_' || c >= 'a' && c <= 'z':
		return escaped(string(c&0x1f), mods), true
	}
	return "", false
}

// escaped puts an escape before a key with Alt.
func escaped(seq string, mods int) string {
	if mods&alt != 0 {
		return "\x1b" + seq
	}
	return seq
}

// withModifiers puts modifiers into the sequence of a cursor or function key, as xterm does with
// modifyCursorKeys: CSI A and SS3 P become CSI 1;mod A and P, CSI 5~ becomes CSI 5;mod ~.
func withModifiers(seq string, mods int) string {
	if mods == 0 {
		return seq
	}
	number, final := seq[2:len(seq)-1], seq[len(seq)-1:]
	if number == "" {
		number = "1"
	}
	return "\x1b[" + number + ";" + strconv.Itoa(mods+1) + final
}

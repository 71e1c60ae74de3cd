package keys

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// read finds out what the bytes mean.
func (k *Key) read() {
	b := k.Raw
	switch {
	case len(b) == 1:
		k.control(b[0])
	case b[0] != esc:
		k.Code, _ = utf8.DecodeRune(b)
	case b[1] == '[':
		k.sequence(string(b[2:]))
	case len(b) > 2 && strings.IndexByte("]P_^X", b[1]) >= 0:
		k.Kind = Reply
	}
}

// control is a single byte.
func (k *Key) control(c byte) {
	switch {
	case c == '\r':
		k.Code = '\r'
	case c < 0x20 && c != esc:
		k.Code, k.Ctrl = rune(c|0x40), true
		if k.Code >= 'A' && k.Code <= 'Z' {
			k.Code |= 0x20
		}
	default:
		k.Code = rune(c)
	}
}

// sequence is a control sequence after its introducer.
func (k *Key) sequence(s string) {
	if s == "" {
		return
	}
	body, final := s[:len(s)-1], s[len(s)-1]
	switch {
	case final == 'I' && body == "", final == 'O' && body == "", s[0] == 'M', s[0] == '<':
		k.Kind = Ambient
	case s[0] == '?' || s[0] == '>' || s[0] == '=', final == 'n', final == 't', final == 'c', final == 'R' && !shiftedF3(body):
		k.Kind = Reply
	case final == 'u':
		k.kitty(body)
	case final == '~' && strings.HasPrefix(body, "27;"):
		k.modified(body[len("27;"):])
	default:
		if _, event, ok := strings.Cut(body, ":"); ok && event == "3" {
			k.Kind = Released
		}
	}
}

// shiftedF3 says that CSI 1;n R is a key and not the answer to a query for the cursor.
func shiftedF3(body string) bool {
	n, err := strconv.Atoi(strings.TrimPrefix(body, "1;"))
	return body == "" || strings.HasPrefix(body, "1;") && err == nil && n >= 2 && n <= 16
}

// Bits of a modifier parameter less one.
const (
	ctrl  = 4
	locks = 64 | 128 // caps lock, num lock
)

// kitty is CSI code:shifted:base ; modifiers:event u
// (https://sw.kovidgoyal.net/kitty/keyboard-protocol/).
func (k *Key) kitty(body string) {
	fields := strings.Split(body, ";")
	codes := strings.Split(fields[0], ":")
	k.Code = number(codes[0], 0)
	if len(codes) > 2 {
		k.Base = number(codes[2], 0)
	}
	if len(fields) > 1 {
		mods, event, _ := strings.Cut(fields[1], ":")
		k.Ctrl = (number(mods, 1)-1)&^locks == ctrl
		if event == "3" {
			k.Kind = Released
		}
	}
	if k.Code >= firstModifier && k.Code <= lastModifier {
		k.Kind = Released
	}
	if k.Code == '\n' || k.Code == keypadEnter {
		k.Code = '\r'
	}
}

// Private codes of kitty's protocol.
const (
	keypadEnter   = 57414
	firstModifier = 57441 // left shift
	lastModifier  = 57454 // level 5 shift
)

// modified is xterm's CSI 27 ; modifiers ; code ~ (modifyOtherKeys).
func (k *Key) modified(body string) {
	mods, code, _ := strings.Cut(body, ";")
	k.Code, k.Ctrl = number(code, 0), (number(mods, 1)-1)&^locks == ctrl
}

// number is a parameter, or what stands for an empty one.
func number(s string, empty rune) rune {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		return empty
	}
	return rune(n)
}

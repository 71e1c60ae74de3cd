package prompt

import "strings"

// unescape undoes the escaping of values in 633;E and 633;P: `\\` is a
// backslash and `\xHH` the byte with that hexadecimal number. Any other
// backslash stands for itself, so an unescaped Windows path survives.
// (VS Code, "Terminal Shell Integration", supported escape sequences.)
func unescape(s string) string {
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s
	}
	out := append(make([]byte, 0, len(s)), s[:i]...)
	for ; i < len(s); i++ {
		switch rest := s[i:]; {
		case strings.HasPrefix(rest, `\\`):
			out = append(out, '\\')
			i++
		case len(rest) >= 4 && rest[:2] == `\x` && isHex(rest[2]) && isHex(rest[3]):
			out = append(out, hex(rest[2])<<4|hex(rest[3]))
			i += 3
		default:
			out = append(out, s[i])
		}
	}
	return string(out)
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func hex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

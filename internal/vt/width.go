package vt

import "github.com/clipperhouse/displaywidth"

// Width returns the number of columns of a single character on a terminal: 0, 1 or 2, by the
// East_Asian_Width of Unicode, but like glibc's wcwidth for two classes:
//   - Jamo that join the leading consonant before them have width 0;
//   - the soft hyphen and the signs before a number (Prepended_Concatenation_Mark)
//     are visible format characters.
func Width(r rune) int {
	switch {
	case r < 0x7f && r >= ' ':
		return 1
	case r >= 0x1160 && r <= 0x11ff, r >= 0xd7b0 && r <= 0xd7fb:
		return 0
	case r == 0xad, r >= 0x600 && r <= 0x605, r == 0x6dd, r == 0x70f, r == 0x890, r == 0x891, r == 0x8e2, r == 0x110bd, r == 0x110cd:
		return 1
	}
	return displaywidth.Rune(r)
}

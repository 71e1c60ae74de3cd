package vt

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The width of single characters equals glibc's wcwidth.
func TestWidthOfACharacter(t *testing.T) {
	for _, tt := range []struct {
		first, last rune
		want        int
	}{
		{'a', 'z', 1},
		{0x00ad, 0x00ad, 1}, // soft hyphen
		{0x0300, 0x036f, 0}, // combining
		{0x0600, 0x0605, 1}, // signs before Arabic numbers
		{0x06dd, 0x06dd, 1},
		{0x070f, 0x070f, 1},
		{0x0890, 0x0891, 1},
		{0x08e2, 0x08e2, 1},
		{0x1100, 0x115f, 2}, // leading consonants of Hangul
		{0x1160, 0x11ff, 0}, // vowels and final consonants, which join them
		{0x200b, 0x200f, 0},
		{0xa960, 0xa97c, 2},
		{0xac00, 0xd7a3, 2}, // syllables
		{0xd7b0, 0xd7c6, 0},
		{0xd7cb, 0xd7fb, 0},
		{0xfe00, 0xfe0f, 0},
		{0x110bd, 0x110bd, 1},
		{0x110cd, 0x110cd, 1},
		{0x1f600, 0x1f64f, 2},
	} {
		for r := tt.first; r <= tt.last; r++ {
			assert.Equal(t, tt.want, Width(r), "%U", r)
		}
	}
}

// Decomposed Korean, as in file names of macOS, has the width of the composed syllables.
func TestConjoiningJamo(t *testing.T) {
	for in, columns := range map[string]int{
		"\u1112\u1161":             2,
		"\u1112\u1161\u11ab":       2,
		"하\u11ab":                  2,
		"\u1112\u1161\u11ab글.txt":  8,
		"\u1100\u1161\u1102\u1161": 4,
		"a\u00adb":                 3,
	} {
		s := New(Options{Cols: 20, Rows: 2})
		for _, b := range []byte(in) {
			s.Write([]byte{b})
		}
		row, _ := s.Row(0)
		x, _ := s.Cursor()
		assert.Equal(t, in, row)
		assert.Equal(t, columns, x, "%q", in)
	}
}

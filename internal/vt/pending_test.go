package vt

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A screen that starts in the middle equals one that has received the whole stream, wherever the
// middle is.
func TestSnapshotAndRestOfStream(t *testing.T) {
	for name, in := range map[string]string{
		"colors":                 "a\x1b[1;38:2:1:2:3mbold\x1b[0m\r\n\x1b[4:3mc\x1b[m",
		"characters":             "é日本語é\r\n👩‍🚀xe\u0301\u0302\x1b[31me\u0301\x1b[5be\x1b[3b",
		"clusters":               "🇩🇪1\ufe0f\u20e3👩🏽\u200d⚕\ufe0f🇫🇷\x1b[?2027l🇩🇪❤\ufe0f👍🏽\x1b[?2027hx" + "❤\ufe0f🇩",
		"at the margin":          strings.Repeat("x", 29) + "e\u0301e\u0301" + strings.Repeat("y", 28) + "日e\u0301",
		"C1 in UTF-8":            "a\u009b3Cb\u0085c\u009d0;title\u009cd",
		"a title":                "\x1b]0;first\ax\x1b]2;second\x1b\\y\x1b]0;cancelled\x18z",
		"strings":                "a\x1bPq#0\x1b\\b\x1b_Gpicture\x1b\\c\x1b^p\x1b\\d\x1bXs\x1b\\e",
		"an escape in a string":  "a\x1b]0;x\x1b[3Cb",
		"controls in a sequence": "ab\x1b[2\r\nCx\x1b[\b1my",
		"modes":                  "\x1b[?2004h\x1b[?1h\x1b=\x1b[>1u\x1b[?1000;1006h\x1b[?25l",
		"the other screen":       "main\x1b[?1049h\x1b[2;3Hother\x1b[?1049lmore",
		"character sets":         "\x1b(0lqk\x1b(B\x0eq\x0f\x1b)0\x0eq",
		"a sequence without end": "a\x1b[" + strings.Repeat("1;", maxSequence) + "mb\x1b" + strings.Repeat("(", maxSequence+9) + "Bc",
		"ignored parameters":     "a\x1b[1?3Cb\x1b[3:Cc",
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Cols: 30, Rows: 6, History: 10}
			want := New(o)
			want.Write([]byte(in))
			for _, k := range cuts(in) {
				first, second := New(o), New(o)
				first.Write([]byte(in[:k]))
				second.Write(first.AppendPending(first.AppendANSI(nil)))
				second.Write([]byte(in[k:]))
				require.Equal(t, dump(want), dump(second), "cut at %d", k)
			}
		})
	}
}

// cuts returns all positions in a short string, and those near the bounds of a long one.
func cuts(in string) (at []int) {
	for k := range len(in) + 1 {
		if len(in) < 200 || k < 4 || len(in)-k < 6 || k%maxSequence < 6 {
			at = append(at, k)
		}
	}
	return at
}

// The rest of a string whose beginning has left the parser is not text.
func TestSnapshotWithinEndlessString(t *testing.T) {
	o := Options{Cols: 30, Rows: 3}
	for _, begin := range []string{"\x1b]8;", "\x1bPq", "\x1b_G", "\x1bX"} {
		first, second := New(o), New(o)
		first.Write([]byte("a" + begin + strings.Repeat("x", 3*MaxString/2)))
		second.Write(first.AppendPending(first.AppendANSI(nil)))
		second.Write([]byte("yyy\x1b\\b"))
		row, _ := second.Row(0)
		require.Equal(t, "ab", row, "%q", begin)
	}
}

package vt

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A sequence ends an incomplete character: bytes after it do not continue that character.
func TestSequenceEndsCharacter(t *testing.T) {
	for name, between := range map[string]string{
		"nothing":                   "",
		"a control":                 "\a",
		"a C1 control":              "\u0088",
		"an escape sequence":        "\x1b(B",
		"a control sequence":        "\x1b[m",
		"one that is canceled":      "\x1b[1\x18",
		"one that is malformed":     "\x1b[1?3m",
		"one with a control inside": "\x1b[\a",
		"a title":                   "\x1b]0;t\a",
		"a device control string":   "\x1bPq\x1b\\",
		"an application's string":   "\x1b_x\x1b\\",
	} {
		t.Run(name, func(t *testing.T) {
			in := "a\xe4\xb8" + between + "\x80m\xf0\x9f\x98" + between + "\x80m"
			want := "amm"
			switch between {
			case "":
				want = "a一m😀m"
			case "\x1b[\a": // it continues up to the m
				want = "a"
			}
			for cut := range len(in) + 1 {
				s := New(Options{Cols: 20, Rows: 2})
				s.Write([]byte(in[:cut]))
				s.Write([]byte(in[cut:]))
				row, _ := s.Row(0)
				require.Equal(t, want, row, "cut at %d", cut)
			}
		})
	}
}

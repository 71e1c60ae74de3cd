package vt

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestProgress(t *testing.T) {
	for input, shown := range map[string]bool{
		"":                            false,
		"\x1b]9;4;3\a":                true,
		"\x1b]9;4;1;50\x1b\\":         true,
		"\x1b]9;4;1;50\a\x1b]9;4;0\a": false,
		"\x1b]9;4;1;50\a\x1bc":        false,
		"\x1b]9;4;1;50\x18":           false,
		"\x1b]9;4;\a":                 false,
		"\x1b]9;a notification\a":     false,
	} {
		for cut := range len(input) + 1 {
			s := New(Options{Cols: 20, Rows: 5})
			s.Write([]byte(input[:cut]))
			s.Write([]byte(input[cut:]))
			assert.Equal(t, shown, s.Progress(), "%q cut at %d", input, cut)
		}
	}
}

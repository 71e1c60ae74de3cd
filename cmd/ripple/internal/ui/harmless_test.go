package ui

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Text of an agent cannot control the terminal.
func TestHarmless(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"words", "a\tb\nc é 日本語 👩‍💻", "a\tb\nc é 日本語 👩‍💻"},
		{"the clipboard", "a\x1b]52;c;ZXZpbA==\x07b", "ab"},
		{"the clipboard, ended by ST", "a\x1b]52;c;ZXZpbA==\x1b\\b", "ab"},
		{"the title", "a\x1b]0;t\x07b", "ab"},
		{"colors and the cursor", "\x1b[31ma\x1b[2J\x1b[10;10Hb\x1b[m", "ab"},
		{"control characters of eight bits", "a\u009b2Jb\u0085c", "a2Jbc"},
		{"bells, backspaces, returns", "a\x07\b\rb\x00\x7f", "ab"},
		{"device control", "a\x1bP+q544e\x1b\\b", "ab"},
		{"the order of letters", "a\u202eb\u2066c\u200fd", "abcd"},
	} {
		got := Harmless(tt.text)
		assert.NotRegexp(t, `[\x00-\x08\x0b-\x1f\x7f\x{80}-\x{9f}\x{202a}-\x{202e}\x{2066}-\x{2069}]`, got, tt.name)
		assert.Equal(t, tt.want, got, tt.name)
	}
}

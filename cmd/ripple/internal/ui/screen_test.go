package ui

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Only text and ripple's own sequences reach a terminal, regardless of how the output is split.
func TestScreen(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"words", "a\tb\nc é 日本語 👩‍💻", "a\tb\nc é 日本語 👩‍💻"},
		{"ripple's colors", "\x1b[1mb\x1b[m \x1b[31;1mr\x1b[0m", "\x1b[1mb\x1b[m \x1b[31;1mr\x1b[0m"},
		{"a line that is written again", "a\r\x1b[Kb\r\n", "ab\r\n"},
		{"hidden text", "\x1b[8ma\x1b[30;8mb", "ab"},
		{"the clipboard", "a\x1b]52;c;ZXZpbA==\x07b", "a]52;c;ZXZpbA==b"},
		{"the title", "a\x1b]0;t\x1b\\b", "a]0;t\\b"},
		{"the cursor", "\x1b[2J\x1b[10;10Hb\x1b[A\x1b7", "b7"},
		{"a terminal query", "\x1b[6n\x05", ""},
		{"8-bit control characters", "a\u009b2Jb\x9b2J", "a2Jb\ufffd2J"},
		{"bells, backspaces, returns", "a\x07\b\rb\x00\x7f", "ab"},
		{"bidirectional control characters", "a\u202eb\u2066c\u200fd", "abcd"},
		{"a long sequence", "\x1b[" + strings.Repeat("1;", 40) + "1ma", "[" + strings.Repeat("1;", 40) + "1ma"},
		{"a program's colors", "\x1b[38;5;8ma\x1b[48;2;1;2;3;4mb\x1b[107mc", "\x1b[38;5;8ma\x1b[48;2;1;2;3;4mb\x1b[107mc"},
		{"invalid UTF-8", "a\xffb\xc3(", "a\ufffdb\ufffd("},
	} {
		for _, whole := range []bool{true, false} {
			file, err := os.Create(t.TempDir() + "/out")
			require.NoError(t, err)
			s := &screen{file: file}
			pieces := []string{tt.text}
			if !whole {
				pieces = nil
				for i := range len(tt.text) {
					pieces = append(pieces, tt.text[i:i+1])
				}
			}
			for _, piece := range pieces {
				n, err := s.Write([]byte(piece))
				require.NoError(t, err)
				assert.Equal(t, len(piece), n)
			}
			got, err := os.ReadFile(file.Name())
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(got), "%s, whole: %v", tt.name, whole)
			require.NoError(t, file.Close())
		}
	}
}

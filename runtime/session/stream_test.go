package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// A program that reads before it has drawn its prompt, such as a line editor that queries the
// cursor's position, has the same prompt as before: its echo is recognized by that.
func TestLineSentBeforePromptIsDrawn(t *testing.T) {
	s := stream{keepsUnsolicited: true, used: true}
	s.promptBegins()
	s.text([]byte("\x1b[6n/tmp> "))
	assert.Empty(t, s.promptEnds().unsolicited)
	s.lineSent()
	s.promptBegins()
	s.text([]byte("bg 1\r\nbg 2\r\n\x1b[6n"))
	assert.Equal(t, "bg 1\r\nbg 2\r\n", string(s.lineSent().unsolicited))
	assert.Equal(t, "\x1b[6n/tmp> ", string(s.shown))

	s = stream{keepsUnsolicited: true, used: true} // no B is ever sent
	s.promptBegins()
	s.text([]byte("bg 1\r\n$ "))
	s.lineSent()
	assert.Equal(t, "bg 1\r\n$ ", string(s.shown))
}

// A job's line that began after a prompt belongs to the job, and continues before the echo.
func TestLineThatBeginsAfterPrompt(t *testing.T) {
	for _, tt := range []struct {
		name   string
		pieces []string
		aside  string
		prompt string
	}{
		{"a part of a line", []string{"$ ", "bg 1"}, "bg 1", "$ "},
		{"lines and a part", []string{"$ ", "bg 1\r\nb", "g 2"}, "bg 1\r\nbg 2", "$ "},
		{"after lines before it", []string{"bg 1\r\n$ ", "bg 2"}, "bg 1\r\nbg 2", "$ "},
		{"and the prompt again", []string{"$ ", "bg 1\r\n$ "}, "bg 1\r\n", "$ "},
		{"in one piece it is another prompt", []string{"$ ($ "}, "", "$ ($ "},
		{"nothing", []string{"$ "}, "", "$ "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := stream{keepsUnsolicited: true, used: true}
			s.promptBegins()
			s.text([]byte("$ "))
			s.lineSent()
			s.promptBegins()
			for _, piece := range tt.pieces {
				s.text([]byte(piece))
			}
			assert.Equal(t, tt.aside, string(s.lineSent().unsolicited))
			assert.Equal(t, tt.prompt, string(s.prompt))
			assert.Equal(t, tt.prompt, string(s.shown))
		})
	}
}

// The end of the first prompt may come after the first line was sent. Which lines before it are the
// prompt's is known from the next prompt; the others are reported then.
func TestLateFirstPrompt(t *testing.T) {
	for _, tt := range []struct{ name, early, late, next, aside, shown string }{
		{"nothing came early", "", "$ ", "$ ", "", "$ "},
		{"a job's lines came early", "bg 1\r\nbg 2\r\n", "$ ", "$ ", "bg 1\r\nbg 2\r\n", "$ "},
		{"the first of two lines", "above\r\n", "$ ", "above\r\n$ ", "", "above\r\n$ "},
		{"a job's line before it", "bg 1\r\nabove\r\n", "$ ", "above\r\n$ ", "bg 1\r\n", "above\r\n$ "},
		{"after it", "above\r\nbg 1\r\n", "$ ", "above\r\n$ ", "bg 1\r\n", "above\r\n$ "},
		{"later", "above\r\n", "bg 1\r\n$ ", "above\r\n$ ", "", "above\r\n$ "}, // the echo's end reports it
		{"at the next prompt", "above\r\n", "$ ", "bg 1\r\nabove\r\n$ ", "bg 1\r\n", "above\r\n$ "},
		{"within it", "above\r\n", "$ ", "above\r\nbg 1\r\n$ ", "bg 1\r\n", "above\r\n$ "},
		{"twice", "bg 1\r\nabove\r\n", "$ ", "bg 2\r\nabove\r\nbg 3\r\n$ ", "bg 1\r\nbg 2\r\nbg 3\r\n", "above\r\n$ "},
		{"another last line", "above\r\n", "1$ ", "above\r\n2$ ", "", "above\r\n2$ "},
		{"an escape sequence", "\x1b[1mabove\x1b[m\r\n", "$ ", "above\r\n$ ", "", "above\r\n$ "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.EachSplit([]byte(tt.next), func(pieces ...[]byte) {
				s := stream{keepsUnsolicited: true, used: true}
				s.promptBegins()
				s.text([]byte(tt.early))
				require.Empty(t, s.lineSent().unsolicited)
				require.True(t, s.undrawn)
				s.lateEnds([]byte(tt.late))
				s.promptBegins()
				for _, piece := range pieces {
					s.text(piece)
				}
				assert.Equal(t, tt.aside, string(s.promptEnds().unsolicited))
				assert.Equal(t, tt.shown, string(s.shown))
				assert.Equal(t, tt.shown, string(s.prompt))
				s.lineSent()
				s.promptBegins()
				s.text([]byte(tt.shown))
				assert.Empty(t, s.promptEnds().unsolicited, "the same prompt")
			})
		})
	}
}

// However much other programs print after a prompt, nothing of it is lost, and the prompt is not part
// of it.
func TestMuchTextAfterPrompt(t *testing.T) {
	var lines strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&lines, "bg %d\r\n", i)
	}
	for _, tt := range []struct{ name, before, after string }{
		{"lines", "", lines.String()},
		{"lines before the prompt and after it", "bg\r\n", lines.String()},
		{"lines and the prompt again", "", lines.String() + "$ "},
		{"a part of a line at the end", "", lines.String() + "bg"},
		{"one line", "", strings.Repeat("bg ", 100_000)},
		{"one line between others", "", "bg\r\n" + strings.Repeat("bg ", 100_000) + "\r\nbg\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, together := range []bool{false, true} { // whether the prompt arrives with the text after it
				s := stream{keepsUnsolicited: true, used: true}
				s.promptBegins()
				s.text([]byte("$ "))
				s.lineSent()
				s.promptBegins()
				var got []byte
				text := tt.before + "$ " + tt.after
				if !together {
					got = append(got, s.text([]byte(tt.before+"$ ")).unsolicited...)
					text = tt.after
				}
				for piece := range slices.Chunk([]byte(text), 4096) {
					got = append(got, s.text(piece).unsolicited...)
					require.LessOrEqual(t, len(s.prompt), keptStartup)
				}
				got = append(got, s.lineSent().unsolicited...)
				require.True(t, tt.before+strings.TrimSuffix(tt.after, "$ ") == string(got), "together: %t", together)
				require.Equal(t, "$ ", string(s.shown))
			}
		})
	}
}

package session

import (
	"testing"

	"github.com/stretchr/testify/assert"
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

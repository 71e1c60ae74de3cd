package session

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A program that reads before it has drawn its prompt, as a line editor that asks for
// the cursor's place, has the same prompt as before: its echo is known by that.
func TestALineThatIsSentBeforeThePromptIsDrawn(t *testing.T) {
	s := stream{asides: true, used: true}
	s.promptBegins()
	s.text([]byte("\x1b[6n/tmp> "))
	assert.Empty(t, s.promptEnds().aside)
	s.lineSent()
	s.promptBegins()
	s.text([]byte("bg 1\r\nbg 2\r\n\x1b[6n"))
	assert.Equal(t, "bg 1\r\nbg 2\r\n", string(s.lineSent().aside))
	assert.Equal(t, "\x1b[6n/tmp> ", string(s.shown))

	s = stream{asides: true, used: true} // no B is ever sent
	s.promptBegins()
	s.text([]byte("bg 1\r\n$ "))
	s.lineSent()
	assert.Equal(t, "bg 1\r\n$ ", string(s.shown))
}

package session_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/session"
)

// A command that sends the terminal a query in a shell with a line editor gets the reply while it
// reads keys itself.
func TestReplyReachesQueryingCommand(t *testing.T) {
	s := open(t, "busybox", session.Options{})
	asks := `stty -icanon -echo min 4 time 20; printf '\033[5n'; dd bs=4 count=1 2>/dev/null | od -An -c; stty sane`
	for range 5 {
		assert.Contains(t, eval(t, s, asks).Output, "033   [   0   n")
		assert.Equal(t, "next\n", eval(t, s, "echo next").Output)
	}
}

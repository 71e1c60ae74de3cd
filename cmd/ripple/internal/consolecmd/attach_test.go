package consolecmd

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/console"
)

// The title reports that keys wait, and not how many: they may be a secret.
func TestTitleHidesTheLength(t *testing.T) {
	short, long := &console.Notice{Title: "t", Held: 1, Holder: "command 1"}, &console.Notice{Title: "t", Held: 12, Holder: "command 1"}
	assert.Equal(t, "\x1b]2;[keys held: command 1 runs] t\x1b\\", title(short))
	assert.Equal(t, title(short), title(long))
	assert.Equal(t, "\x1b]2;[keys held: another person types] t\x1b\\", title(&console.Notice{Title: "t", Held: 1, Holder: console.AnotherUser}))
	assert.Equal(t, "\x1b]2;t\x1b\\", title(&console.Notice{Title: "t"}))
}

package consolecmd

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/console"
)

// The title reports that keys wait, and not how many: they may be a secret.
func TestTitleHidesTheLength(t *testing.T) {
	short, long := &console.Notice{Title: "t", Held: 1, Holder: "command 1"}, &console.Notice{Title: "t", Held: 12, Holder: "command 1"}
	assert.Equal(t, "[keys held: command 1 runs] t", noticeText(short))
	assert.Equal(t, noticeText(short), noticeText(long))
	assert.Equal(t, "[keys held: another person types] t", noticeText(&console.Notice{Title: "t", Held: 1, Holder: console.AnotherUser}))
	assert.Equal(t, "t", noticeText(&console.Notice{Title: "t"}))
}

// The title and a bell report that keys are dropped. Keys that are held after those take their place in the title.
func TestTitleForTheRestOfASecret(t *testing.T) {
	var shown string
	bar := &title{name: "work", write: func(b []byte) { shown += string(b) }}
	const dropped = "\x1b]2;[keys dropped up to Enter: the question for a secret is over] t\x1b\\"
	bar.notify(&console.Notice{Title: "t", LateSecret: true})
	bar.notify(&console.Notice{Title: "t", LateSecret: true})
	assert.Equal(t, dropped+"\a"+dropped, shown)
	shown = ""
	bar.notify(&console.Notice{Title: "t", LateSecret: true, Held: 1, Holder: "command 1"})
	bar.notify(&console.Notice{Title: "t"})
	assert.Equal(t, "\x1b]2;[keys held: command 1 runs] t\x1b\\\x1b]2;t\x1b\\", shown)
}

// The title says once that the host does not respond, and then is what it would be without that.
func TestTitleOfAStoppedHost(t *testing.T) {
	var shown string
	bar := &title{name: "work", write: func(b []byte) { shown += string(b) }}
	next := func() (text string) {
		text, shown = shown, ""
		return text
	}
	bar.respond(true, "vim")
	assert.Empty(t, next())
	bar.respond(false, "")
	bar.respond(false, "")
	assert.Equal(t, "\x1b]2;[console work does not respond]\x1b\\\a", next())
	bar.respond(true, "vim")
	assert.Equal(t, "\x1b]2;vim\x1b\\", next())

	held := "\x1b]2;[keys held: command 1 runs] t\x1b\\"
	bar.notify(&console.Notice{Title: "t", Held: 1, Holder: "command 1"})
	assert.Equal(t, held, next())
	bar.respond(false, "")
	next()
	bar.notify(&console.Notice{Title: "t", Held: 2, Holder: "command 1"})
	assert.Empty(t, next())
	bar.respond(true, "t")
	assert.Equal(t, held, next())
	bar.notify(&console.Notice{Title: "t"})
	assert.Equal(t, "\x1b]2;t\x1b\\", next())
}

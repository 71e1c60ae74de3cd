package console

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/session"
)

// Keys that a person types faster than the program reads are held after the own line, and do not
// wait for another person.
func TestHolder(t *testing.T) {
	a := &attached{id: 2, h: &host{}}
	for _, tt := range []struct {
		name string
		st   session.State
		want string
	}{
		{"the own line", session.State{Typing: true, TypingUser: 2}, ""},
		{"another person's line", session.State{Typing: true, TypingUser: 1}, AnotherUser},
		{"no line", session.State{}, "the program"},
	} {
		assert.Equal(t, tt.want, a.holder(tt.st), tt.name)
	}
}

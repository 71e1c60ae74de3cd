package session_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/session"
)

// An early interrupt without an answer is repeated, but not at once if the program waits for input: its prompt may be
// on its way, and zsh drops the line after an interrupt that comes while it waits at its prompt.
func TestRepeatedInterrupts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, code string
		when       func(session.State) bool
		sent       []bool
	}{
		{"a busy program", "trap '' INT; echo begun; while :; do :; done", func(s session.State) bool { return strings.Contains(s.Partial, "begun") }, []bool{true, true}},
		{"a program that waits", "trap '' INT; read -r line", func(s session.State) bool { return s.Waiting == session.WaitingInput }, []bool{false, true, true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, "bash", session.Options{})
			leave(t, s, tt.code, tt.when)
			s.BeginInterrupt()
			for n, want := range tt.sent {
				assert.Equal(t, want, s.RepeatInterrupt(), "look %d", n+1)
			}
		})
	}
}

//go:build linux

package session_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/session"
)

// Ctrl-S does not stop output: otherwise the program would be unusable until a user pressed Ctrl-Q.
func TestFlowControlBlocksNoUser(t *testing.T) {
	p := atTerminal(t, "bash", session.Options{})
	p.types("\x13echo flow\r\x11")
	assert.Equal(t, "flow\n", p.ran(1).output)
	p.types("read x; echo is $x\r")
	p.is(func(st session.State) bool { return st.Waiting != session.WaitingNone })
	p.types("\x13more\x11\r")
	assert.Equal(t, "is more", lastLine(p.ran(2).output))
	p.is(ready)
	r, err := p.Eval(deadline(t), "echo free")
	require.NoError(t, err)
	assert.Equal(t, "free\n", r.Output)
}

// The unfinished line of a user who leaves is removed, and is not a part of the next command.
func TestAbandonedLineIsRemoved(t *testing.T) {
	p := atTerminal(t, "bash", session.Options{})
	p.types("half a line")
	p.is(func(st session.State) bool { return st.Typing })
	p.Detach(1)
	p.is(ready)
	r, err := p.Eval(deadline(t), "echo free")
	require.NoError(t, err)
	assert.Equal(t, "free\n", r.Output)
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	return lines[len(lines)-1]
}

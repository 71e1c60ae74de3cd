//go:build unix

package console_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/console"
)

// A command that can be read is listed, also if only the host still has it.
func TestTheHistoryListsWhatCanBeRead(t *testing.T) {
	place(t)
	c := start(t, console.Spec{Name: "a"})
	exec(t, c, "echo one")
	exec(t, c, "echo two")
	require.NoError(t, os.Truncate(console.IndexFile(c), 0))
	exec(t, c, "(exit 3)")
	all, err := c.History()
	require.NoError(t, err)
	var codes []string
	for i, cmd := range all {
		assert.Equal(t, i+1, cmd.ID)
		codes = append(codes, cmd.Code)
		lines, err := c.Read(console.ReadRequest{Command: cmd.ID, From: 1})
		require.NoError(t, err)
		assert.Equal(t, cmd, lines.Command)
	}
	assert.Equal(t, []string{"echo one", "echo two", "(exit 3)"}, codes)
	_, err = c.Read(console.ReadRequest{Command: 4, From: 1})
	requireFault(t, console.FaultUnknown, err)
}

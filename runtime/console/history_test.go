//go:build unix

package console_test

import (
	"bytes"
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
	exec(t, c, "(exit 4)")
	index, err := os.ReadFile(console.IndexFile(c))
	require.NoError(t, err)
	cut := bytes.LastIndexByte(bytes.TrimSuffix(index, []byte("\n")), '\n') + 1 // without the end of the last command
	require.NoError(t, os.WriteFile(console.IndexFile(c), index[:cut], 0o600))
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
	assert.Equal(t, []string{"echo one", "echo two", "(exit 3)", "(exit 4)"}, codes)
	_, err = c.Read(console.ReadRequest{Command: 5, From: 1})
	requireFault(t, console.FaultUnknown, err)
}

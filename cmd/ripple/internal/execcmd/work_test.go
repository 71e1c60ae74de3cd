package execcmd

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
)

// An interrupt that comes while the result of a command is being printed has found no
// command, which is reported; a second one ends the session, after the result.
func TestAnInterruptAfterACommandsEnd(t *testing.T) {
	command, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var said strings.Builder
	x := &execution{App: ui.NewApp(strings.NewReader(""), &strings.Builder{}, &said, func(error) {})}
	require.True(t, x.begin(command, cancel))
	x.now.ended = true
	require.NoError(t, x.interrupted())
	assert.Contains(t, said.String(), "no command is running; to end the session: Ctrl-C again")
	assert.False(t, x.now.over)
	require.NoError(t, x.interrupted(), "its result comes first")
	assert.True(t, x.now.over)
	assert.NoError(t, command.Err(), "nothing was interrupted")
}

//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/scenario"
)

// Ctrl-C lets the turn end, a second one ends the agent; then the loop continues from there.
func TestCtrlCInALoop(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	_, err := binary() // before the directory changes
	require.NoError(t, err)
	t.Chdir(dir)
	t.Setenv(scenario.FileVariable, filepath.Join(dir, "scenario.yaml"))
	args := []string{"run", "--adapter", "rehearsal", "--prompt", "Do it."}

	write("scenario.yaml", "turns: [{steps: [{text: I begin.}, {run: until test -e go; do sleep 0.02; done}, {text: I end.}]}]")
	c := onTerminal(t, args...)
	c.expect("I begin.")
	c.send("\x03")
	c.expect("the loop ends after this turn; to end the agent now: Ctrl-C again")
	write("go", "")
	c.expect("I end.")
	rest, code := c.exit()
	assert.Equal(t, ui.ExitInterrupted, code)
	assert.Contains(t, rest, "Interrupted between two turns.")

	write("scenario.yaml", "turns: [{steps: [{text: I begin.}, {stall: true}]}]")
	c = onTerminal(t, append(args, "--resume")...)
	c.expect("I begin.")
	c.send("\x03")
	c.expect("to end the agent now: Ctrl-C again")
	c.send("\x03")
	c.expect("ending the agent")
	rest, code = c.exit()
	assert.Equal(t, ui.ExitInterrupted, code)
	assert.Contains(t, strings.Join(strings.Fields(rest), " "), "Interrupted during a turn, which is repeated when the loop continues.", "words are not cut")

	write("scenario.yaml", "turns: [{steps: [{text: Once more.}, {text: LOOP_COMPLETE}]}]")
	c = onTerminal(t, append(args, "--resume")...)
	c.expect("Once more.")
	rest, code = c.exit()
	assert.Equal(t, ui.ExitOK, code)
	assert.Contains(t, rest, "complete after 2 turns")
}

package session_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/session"
)

// The right prompt of fish is not a part of the command that a user types.
func TestTheRightPromptOfFishIsNotTyped(t *testing.T) {
	t.Parallel()
	config := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(config, "fish"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(config, "fish", "config.fish"), []byte("function fish_right_prompt; echo RIGHT; end\n"), 0o600))
	p := atTerminal(t, "fish", session.Options{Env: []string{"XDG_CONFIG_HOME=" + config}})
	p.types("echo typed\r")
	d := p.ran(1)
	assert.Equal(t, "echo typed", d.code)
	assert.Equal(t, "typed\n", d.result.Output)
}

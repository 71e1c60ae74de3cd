//go:build unix

package schema

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// In a directory where everybody may write, a missing directory of scripts is not searched later, when another user may have made it.
func TestMissingScriptDirs(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.yaml")
	beside, above := filepath.Join(dir, "integration-scripts"), filepath.Join(dir, "..", "integration-scripts")
	assert.Equal(t, []string{beside, above, dir}, ScriptDirs(file))
	require.NoError(t, os.Chmod(dir, 0o777|os.ModeSticky))
	assert.Equal(t, []string{above, dir}, ScriptDirs(file))
	require.NoError(t, os.Mkdir(beside, 0o755))
	assert.Equal(t, []string{beside, above, dir}, ScriptDirs(file))
}

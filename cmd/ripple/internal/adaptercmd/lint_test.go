package adaptercmd

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Of a directory, only files are checked, and links that lead nowhere are reported: a link to the
// user's terminal would wait for input.
func TestOnlyFilesOfADirectoryAreLinted(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.yaml"), nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "d.yaml"), 0o700))
	for name, target := range map[string]string{"dangling.yaml": "nowhere", "device.yaml": os.DevNull, "linked.yml": "a.yaml", "terminal.yaml": "/dev/tty", "up.yaml": "."} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	files, err := filesOf([]string{dir}, func(string) bool { return false })
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(dir, "a.yaml"), filepath.Join(dir, "dangling.yaml"), filepath.Join(dir, "linked.yml")}, files)
}

//go:build unix

package adaptercmd

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/registry"
)

// A link that takes the place of a project's adapter after it was read is not followed.
func TestAProjectsAdapterIsReadOnce(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	project := t.TempDir()
	t.Chdir(project)
	dir, secret := filepath.Join(project, ".ripple", "adapters"), filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	require.NoError(t, os.WriteFile(secret, []byte("SECRET\n"), 0o600))
	path := filepath.Join(dir, "x.yaml")
	require.NoError(t, os.WriteFile(path, []byte(`schema: 1
name: x
version: 0.1.0
description: legal, and probably wrong
family: repl
process: {}
init: {strategy: regex}
prompt: {strategy: regex, primary: '> $'}
`), 0o600))
	replaced := false
	r, err := registry.Open(registry.Sources{ProjectDir: dir, IsTrusted: func(*registry.Entry) bool {
		if !replaced {
			assert.NoError(t, os.Remove(path))
			assert.NoError(t, os.Symlink(secret, path))
		}
		replaced = true
		return false
	}})
	require.NoError(t, err)
	a := &app{ui.NewApp(strings.NewReader(""), io.Discard, io.Discard, func(error) {})}
	found, err := a.lintIn(r, nil, true)
	require.NoError(t, err)
	require.True(t, replaced)
	require.NotEmpty(t, found, "the adapter has no tests")
	for _, d := range found {
		assert.Equal(t, path, d.File)
		assert.NotContains(t, d.Format(), "SECRET")
		assert.NotContains(t, d.Format(), "cannot be read")
	}
}

//go:build unix

package registry

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/schema"
)

// swapped replaces a file by a link to one outside of the project.
func swapped(t *testing.T, path string) {
	t.Helper()
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("SECRET\n"), 0o600))
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Symlink(secret, path))
}

// project is a repository with files in .ripple/adapters.
func project(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	top := t.TempDir()
	dir = filepath.Join(top, ".ripple", "adapters")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

// A link that takes an adapter's place after its target was checked is not followed.
func TestNoLinkIsFollowedAfterTheCheck(t *testing.T) {
	dir := project(t, map[string]string{"x.yaml": adapterYAML("x", "as it was"), "y.yaml": "nonsense: ["})
	r := open(t, Sources{ProjectDir: dir})
	swapped(t, filepath.Join(dir, "x.yaml"))
	swapped(t, filepath.Join(dir, "y.yaml"))
	e, err := r.Find("x")
	require.NoError(t, err)
	assert.Equal(t, "as it was", e.Adapter.Description)
	_, err = r.Find("y")
	require.ErrorContains(t, err, "never closed")
	for _, e := range r.Project() {
		for _, d := range e.Diagnostics {
			assert.NotContains(t, d.Format(), "SECRET")
		}
	}
}

// An integration script that links out of the project is not read, neither with the adapter nor
// later.
func TestNoScriptIsOutsideTheProject(t *testing.T) {
	text := adapterYAML("x", "project")[:len(adapterYAML("x", "project"))-len("init: {strategy: regex}\nprompt: {strategy: regex, primary: '^> $'}\n")] +
		"init: {delivery: pty_inject, script_resource: s.sh}\nprompt: {strategy: regex, primary: '^> $'}\n"
	dir := project(t, map[string]string{"x.yaml": text, "s.sh": "true\n", "t.txt": "a transcript\n"})
	e, err := open(t, Sources{ProjectDir: dir}).Find("x")
	require.NoError(t, err)
	assert.Equal(t, "true\n", e.Adapter.Script)
	swapped(t, filepath.Join(dir, "s.sh"))
	swapped(t, filepath.Join(dir, "t.txt"))
	_, err = e.Files.Open("t.txt")
	require.ErrorContains(t, err, "leads out of the project")
	ad, found := schema.Parse("x.yaml", []byte(text), schema.Options{Scripts: e.Scripts})
	assert.Nil(t, ad)
	require.NotEmpty(t, found)
	assert.Contains(t, found[0].Message, "leads out of the project")

	_, err = open(t, Sources{ProjectDir: dir}).Find("x")
	require.Error(t, err)
}

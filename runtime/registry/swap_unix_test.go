//go:build unix

package registry

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
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
	require.ErrorContains(t, err, "is a symbolic link, or in one, that leads out of ")
	ad, found := schema.Parse("x.yaml", []byte(text), schema.Options{Scripts: e.Scripts})
	assert.Nil(t, ad)
	require.NotEmpty(t, found)
	assert.Contains(t, found[0].Message, "is a symbolic link, or in one, that leads out of ")

	_, err = open(t, Sources{ProjectDir: dir}).Find("x")
	require.Error(t, err)
}

// A file that a user names by its path, and its script, are not read outside of the project that they
// are in: in a foreign project the user has not seen where its links lead.
func TestANamedFileDoesNotLeadOutOfItsProject(t *testing.T) {
	text := adapterYAML("x", "project")
	scripted := strings.Replace(text, "init: {strategy: regex}", "init: {delivery: pty_inject, script_resource: s.sh}", 1)
	for _, repository := range []bool{false, true} {
		base := t.TempDir()
		top, outside := filepath.Join(base, "project"), filepath.Join(base, "outside")
		put := func(path, text string) {
			t.Helper()
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		}
		put(filepath.Join(outside, "secret.yaml"), "SECRET: [\n")
		put(filepath.Join(outside, "s.sh"), "SECRET\n")
		put(filepath.Join(outside, ".git", "HEAD"), "")
		put(filepath.Join(top, "sub", "x.yaml"), text)
		put(filepath.Join(top, "sub", "y.yaml"), scripted)
		put(filepath.Join(top, "integration-scripts", "s.sh"), "true\n")
		put(filepath.Join(top, "linked", "y.yaml"), scripted)
		link := func(target, name string) {
			t.Helper()
			require.NoError(t, os.Symlink(target, filepath.Join(top, name)))
		}
		link(filepath.Join(outside, "secret.yaml"), "sub/out.yaml")
		link("sub/x.yaml", "in.yaml")
		link(filepath.Join(outside, "s.sh"), "linked/s.sh")
		require.NoError(t, os.Mkdir(filepath.Join(top, "linked", "integration-scripts"), 0o700))
		link(filepath.Join(outside, "s.sh"), "linked/integration-scripts/s.sh")
		if repository {
			put(filepath.Join(top, ".git", "HEAD"), "")
			link(outside, "dir")
		}
		entered := filepath.Join(base, "entered") // in which ".." is the directory above sub
		require.NoError(t, os.Symlink(filepath.Join(top, "sub"), entered))
		for _, dir := range []string{top, filepath.Join(top, "sub"), base, entered} {
			t.Chdir(dir)
			r := open(t, Sources{ProjectDir: filepath.Join(dir, ".ripple", "adapters")})
			at := func(name string) string {
				t.Helper()
				real, err := filepath.EvalSymlinks(dir)
				require.NoError(t, err)
				path, err := filepath.Rel(real, filepath.Join(top, name))
				require.NoError(t, err)
				return path
			}
			refused := []string{"sub/out.yaml"}
			if repository {
				refused = append(refused, "dir/secret.yaml")
			}
			for _, name := range refused {
				for _, path := range []string{at(name), filepath.Join(top, name)} {
					if dir == base && !repository {
						continue // a link of the user's own, below the working directory
					}
					_, err := r.Find(path)
					broken, is := errors.AsType[*BrokenError](err)
					require.True(t, is, "%s in %s: %v", path, dir, err)
					assert.Contains(t, broken.Error(), "is a symbolic link, or in one, that leads out of ")
					assert.NotContains(t, broken.Error(), "SECRET")
				}
			}
			for _, name := range []string{"sub/x.yaml", "sub/y.yaml", "in.yaml"} {
				_, err := r.Find(at(name))
				require.NoError(t, err, "%s in %s", name, dir)
			}
			_, err := r.Find(at("linked/y.yaml"))
			if repository || dir == top {
				require.Error(t, err, dir)
				assert.NotContains(t, err.Error(), "SECRET")
			}
		}
	}
	// Nor does the directory of scripts next to the working directory.
	base := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(base, "project", "adapters"), 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(base, "outside"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(base, "project", "adapters", "y.yaml"), []byte(scripted), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(base, "outside", "s.sh"), []byte("SECRET\n"), 0o600))
	require.NoError(t, os.Symlink(filepath.Join(base, "outside"), filepath.Join(base, "project", "integration-scripts")))
	t.Chdir(filepath.Join(base, "project", "adapters"))
	_, err := open(t, Sources{}).Find("./y.yaml")
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "SECRET")
	// Elsewhere links are followed: the place is the user's.
	dir, real := t.TempDir(), filepath.Join(t.TempDir(), "x.yaml")
	require.NoError(t, os.WriteFile(real, []byte(text), 0o600))
	require.NoError(t, os.Symlink(real, filepath.Join(dir, "x.yaml")))
	_, err = open(t, Sources{}).Find(filepath.Join(dir, "x.yaml"))
	require.NoError(t, err)
}

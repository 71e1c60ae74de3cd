package projectfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/owner"
)

// A place of the user is in a project if a directory above it, or one with a link that leads there, is one.
func TestHomes(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	at := func(name string) string { return base + "/" + name }
	for _, dir := range []string{"plain/sub", "empty/.git", "repo/.git/refs", "repo/home", "repo/module/.git/refs", "marked/.ripple", "settings/sub"} {
		require.NoError(t, os.MkdirAll(at(dir), 0o700))
	}
	require.NoError(t, os.WriteFile(at("settings/ripple.yml"), nil, 0o600))
	require.NoError(t, os.WriteFile(at("plain/file"), nil, 0o600))
	for name, target := range map[string]string{
		"entry": "repo", "again": "entry/home", "repo/out": "../plain", "repo/sub": "../plain/sub", "plain/around": "../repo/out/sub", "loop": "loop", "plain/here": "sub",
	} {
		require.NoError(t, os.Symlink(target, at(name)))
	}
	for path, project := range map[string]string{
		"plain":            "",
		"plain/missing":    "",
		"plain/file/x":     "",
		"plain/here":       "",
		"empty/home":       "",
		"repo":             "repo",
		"repo/home":        "repo",
		"repo/missing/x":   "repo",
		"repo/.git/home":   "repo",
		"repo/module/home": "repo/module",
		"marked/home":      "marked",
		"settings/sub":     "settings",
		"entry":            "repo",
		"entry/home":       "repo",
		"again":            "repo",
		"repo/out":         "repo",
		"repo/sub/../x":    "repo",
		"plain/around":     "repo",
		"repo/../plain":    "",
	} {
		want := []Home(nil)
		if project != "" {
			real, _, err := follow(at(path))
			require.NoError(t, err)
			want = []Home{{Variable: "XDG_CONFIG_HOME", Path: real, Project: at(project)}}
		}
		assert.Equal(t, want, Homes(func(name string) string { return map[string]string{"XDG_CONFIG_HOME": at(path)}[name] }), path)
	}
	for _, v := range userVariables {
		list := Homes(func(name string) string { return map[string]string{v.name: at("repo/home")}[name] })
		require.Len(t, list, 1, v.name)
		assert.Equal(t, v.name, list[0].Variable)
	}
	for path, out := range map[string]bool{
		"entry/home": false, "again": false, "repo/missing/x": false, "plain/here": false, "repo/sub/../x": true, "repo/out": true, "plain/around": true, "loop": true,
	} {
		assert.Equal(t, out, LeadsOut(at(path)), path)
	}

	relative := func(name string) string { return map[string]string{"HOME": "home"}[name] }
	assert.Empty(t, Homes(relative, at("plain")))
	assert.Len(t, Homes(relative, at("plain"), at("repo")), 1)

	withoutHome := func(name string) string { return map[string]string{"GNUPGHOME": ".gnupg"}[name] }
	assert.Len(t, Homes(withoutHome, at("repo")), 1)

	standard := func(name string) string {
		return map[string]string{"HOME": at("plain"), "XDG_CONFIG_HOME": at("plain/.config")}[name]
	}
	require.NoError(t, os.Symlink("../repo/home", at("plain/.config")))
	assert.Empty(t, Homes(standard), "it is where it would be without the variable")
}

// A path that cannot be resolved may lead into a project.
func TestHomesThatCannotBeExamined(t *testing.T) {
	base := t.TempDir()
	long := strings.Repeat(strings.Repeat("d", 200)+"/", 20)
	require.NoError(t, os.Symlink(long[:4000], filepath.Join(base, "long")))
	require.NoError(t, os.Symlink("loop", filepath.Join(base, "loop")))
	for _, path := range []string{filepath.Join(base, "loop"), filepath.Join(base, "loop", "home"), filepath.Join(base, "long", strings.Repeat("x", 200), "home"), filepath.Join(base, strings.Repeat("x", 300))} {
		list := Homes(func(name string) string { return map[string]string{"HOME": path}[name] })
		if assert.Len(t, list, 1, path) {
			assert.Error(t, list[0].Err, path)
		}
	}
	gone := filepath.Join(base, "gone")
	require.NoError(t, os.Mkdir(gone, 0o700))
	t.Chdir(gone)
	require.NoError(t, os.Remove(gone))
	list := Homes(func(name string) string { return map[string]string{"HOME": "home"}[name] }, ".")
	if assert.Len(t, list, 1) {
		assert.Error(t, list[0].Err)
	}
}

// A home directory in the system's list of users is the user's, whatever is around it; a project below it is not.
func TestListedHomes(t *testing.T) {
	for _, home := range owner.ListedHomes() {
		if home, err := filepath.EvalSymlinks(home); err == nil {
			assert.True(t, isListed(home, filepath.Join(home, ".config")))
			assert.True(t, isListed(filepath.Dir(home), home))
			assert.False(t, isListed(filepath.Join(home, "p"), filepath.Join(home, "p", "home")))
		}
	}
}

package box

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The mount points in the private directories are created before bubblewrap starts, and the directories around them are mounts,
// too. If an earlier program has put a symbolic link or a file in place of one, the box is refused, and nothing is created elsewhere.
func TestMountPointsThatAProgramReplaced(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	at := func(name string) string { return filepath.Join(base, name) }
	for _, dir := range []string{"u/work/p/.git/refs", "u/go/bin", "u/.config/git", "outside"} {
		require.NoError(t, os.MkdirAll(at(dir), 0o700))
	}
	require.NoError(t, os.WriteFile(at("u/.config/git/ignore"), nil, 0o600))
	for _, tt := range []struct {
		name  string
		leave func(home string)
		said  string
	}{
		{"nothing", func(string) {}, ""},
		{"its own files", func(home string) { assert.NoError(t, os.MkdirAll(home+"/work/notes", 0o755)) }, ""},
		{"a link around", func(home string) { assert.NoError(t, os.Symlink(at("outside"), home+"/work")) }, "symbolic link"},
		{"a link in place", func(home string) {
			assert.NoError(t, os.MkdirAll(home+"/work", 0o755))
			assert.NoError(t, os.Symlink(at("outside"), home+"/work/p"))
		}, "symbolic link"},
		{"a dangling link", func(home string) {
			assert.NoError(t, os.MkdirAll(home+"/.config/git", 0o755))
			assert.NoError(t, os.Symlink(at("outside/x"), home+"/.config/git/ignore"))
		}, "symbolic link"},
		{"a file", func(home string) { assert.NoError(t, os.WriteFile(home+"/go", nil, 0o644)) }, "type"},
		{"a directory", func(home string) { assert.NoError(t, os.MkdirAll(home+"/.config/git/ignore", 0o755)) }, "type"},
	} {
		dir := at(tt.name)
		for _, name := range []string{"home", "tmp"} {
			require.NoError(t, os.MkdirAll(dir+"/"+name, 0o700))
		}
		tt.leave(dir + "/home")
		l, err := newLayout(&Policy{Dir: at("u/work/p"), Home: at("u")}, dir+"/home", dir+"/tmp")
		require.NoError(t, err)
		l.pin(dir)
		if err := prepare(l.points(dir)); tt.said != "" {
			assert.ErrorIs(t, err, ErrPolicy, tt.name)
			assert.ErrorContains(t, err, tt.said, tt.name)
		} else if assert.NoError(t, err, tt.name) {
			assert.DirExists(t, dir+"/home/work/p")
			assert.FileExists(t, dir+"/home/.config/git/ignore")
			assert.Equal(t, mount{how: "bind", from: dir + "/home/work", at: at("u/work")}, l[at("u/work")])
			assert.NoError(t, identify(l.expect()))
		}
		left, err := os.ReadDir(at("outside"))
		require.NoError(t, err)
		assert.Empty(t, left, tt.name)
	}
}

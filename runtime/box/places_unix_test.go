//go:build unix

package box

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTree(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, dir := range []string{"repo/.git", "repo/a/b", "empty/.git", "empty/a", "plain/a", "above/.git", "above/home/a", "theirs/.git", "theirs/a", "repo/empty/.git", "repo/empty/a", "repo/broken/.git/refs", "repo/broken/a", "repo/link/a"} {
		require.NoError(t, os.MkdirAll(filepath.Join(base, dir), 0o755))
	}
	for _, dir := range []string{"repo", "above", "theirs"} {
		require.NoError(t, os.WriteFile(filepath.Join(base, dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o644))
	}
	require.NoError(t, os.Symlink("none", filepath.Join(base, "repo/link/.git")))
	want := map[string]string{"repo": "repo", "repo/a/b": "repo", "empty/a": "empty/a", "repo/empty/a": "repo", "plain/a": "plain/a", "above/home/a": "above/home/a", "theirs": "theirs"}
	for _, dir := range []string{"repo/broken", "repo/broken/a", "repo/link/a"} {
		want[dir] = dir // a program in a box could have changed it to reach the repository around
	}
	if os.Getuid() == 0 { // nobody else can give a file to another user
		require.NoError(t, os.Lchown(filepath.Join(base, "theirs", ".git"), 65534, 65534))
		want["theirs/a"] = "theirs/a"
	}
	for dir, tree := range want {
		got, foreign := Tree(filepath.Join(base, dir), filepath.Join(base, "above/home"))
		assert.Equal(t, filepath.Join(base, tree), got, dir)
		if os.Getuid() == 0 && dir == "theirs/a" {
			assert.Equal(t, filepath.Join(base, "theirs"), foreign)
		} else {
			assert.Empty(t, foreign, dir)
		}
	}

	// Another home directory of the user is not in a tree either.
	t.Setenv("HOME", filepath.Join(base, "above/home"))
	got, _ := Tree(filepath.Join(base, "above/home/a"), filepath.Join(base, "elsewhere"))
	assert.Equal(t, filepath.Join(base, "above/home/a"), got)
}

// A path in the working tree, or in another project, to which a box gives access does not lead out of it by a link: a program in an earlier
// box may have made the link. Links of the user are followed.
func TestALinkInTheTreeIsNotAllowed(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	at := func(name string) string { return filepath.Join(base, name) }
	for _, dir := range []string{"home/.ssh", "home/data", "plain/build", "repo/.git/refs", "repo/build", "repo/sub"} {
		require.NoError(t, os.MkdirAll(at(dir), 0o700))
	}
	for _, link := range []string{"plain/out", "repo/out"} {
		require.NoError(t, os.Symlink("../home/.ssh", at(link)))
	}
	require.NoError(t, os.Symlink("build", at("repo/in")))
	require.NoError(t, os.Symlink("home", at("own")))
	require.NoError(t, os.Symlink("../.ssh", at("home/data/models"))) // by a box that may write home/data
	for _, c := range []struct{ dir, path, want string }{
		{"plain", "out", ""},
		{"repo", "out", ""},
		{"repo/sub", "../out", ""},
		{"plain", "../repo/out", ""},
		{"repo", at("repo/out"), ""},
		{"plain", "build", "plain/build"},
		{"repo", "in", "repo/build"},
		{"repo", at("home/.ssh"), "home/.ssh"},
		{"repo", "../own", "home"},
		{"repo", "~/data/models", ""},
		{"repo", at("home/data/models"), ""},
		{"repo", "../own/.ssh", "home/.ssh"},
	} {
		for _, write := range []bool{false, true} {
			p, paths := Policy{Dir: at(c.dir), Home: at("home")}, []string{c.path}
			if write {
				err = p.Allow(p.Dir, paths, nil, nil)
			} else {
				err = p.Allow(p.Dir, nil, paths, nil)
			}
			if c.want == "" {
				assert.ErrorIs(t, err, ErrPolicy, "%+v", c)
				assert.ErrorContains(t, err, "by a symbolic link", "%+v", c)
				continue
			}
			require.NoError(t, err, "%+v", c)
			assert.Equal(t, []string{at(c.want)}, append(p.Read, p.Write...), "%+v", c)
		}
	}
}

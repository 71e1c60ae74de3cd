package projectfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// A link may lead to another file of the repository, and to nothing outside of it.
func TestOpenInside(t *testing.T) {
	for what, c := range map[string]struct {
		target  string // from the directory sub of the project
		git     bool
		refused bool
	}{
		"the same directory":                 {"real", false, false},
		"above, in the repository":           {"../shared", true, false},
		"above, without a repository":        {"../shared", false, true},
		"out of the repository":              {"../../outside", true, true},
		"missing":                            {"none", true, false},
		"through a directory that is linked": {"../linked/f", true, true},
	} {
		t.Run(what, func(t *testing.T) {
			base := t.TempDir()
			top := filepath.Join(base, "project")
			sub := filepath.Join(top, "sub")
			require.NoError(t, os.MkdirAll(sub, 0o700))
			require.NoError(t, os.Mkdir(filepath.Join(base, "d"), 0o700))
			for _, file := range []string{"outside", "d/f", "project/shared", "project/sub/real"} {
				require.NoError(t, os.WriteFile(filepath.Join(base, file), []byte("text of "+filepath.Base(file)), 0o600))
			}
			require.NoError(t, os.Symlink("../d", filepath.Join(top, "linked")))
			if c.git {
				require.NoError(t, os.Mkdir(filepath.Join(top, ".git"), 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(top, ".git", "HEAD"), nil, 0o600))
			}
			path := filepath.Join(sub, "f")
			require.NoError(t, os.Symlink(filepath.FromSlash(c.target), path))
			entry := filepath.Join(base, "entry") // a user may enter the project through a link
			require.NoError(t, os.Symlink(sub, entry))
			_, err := ReadInside(entry, filepath.Join(entry, "f"), MaxText)
			_, refused := errors.AsType[*RefusedError](err)
			assert.Equal(t, c.refused, refused, "%v", err)
			text, err := ReadInside(sub, path, MaxText)
			switch {
			case c.target == "none":
				require.ErrorIs(t, err, fs.ErrNotExist)
				return
			case !c.refused:
				require.NoError(t, err)
				assert.Equal(t, "text of "+filepath.Base(c.target), string(text))
				return
			}
			errRefused, is := errors.AsType[*RefusedError](err)
			require.True(t, is, "%v", err)
			limit := sub // the message names the directory that no link may lead out of
			if c.git {
				limit = top
			}
			limit, err = filepath.EvalSymlinks(limit)
			require.NoError(t, err)
			assert.ErrorContains(t, errRefused, "leads out of "+limit+", to ")
		})
	}
}

// A file that a user names belongs to its repository, or else to the working directory.
func TestProjectOf(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	at := func(name string) string { return filepath.Join(base, filepath.FromSlash(name)) }
	for _, dir := range []string{"plain/sub", "elsewhere", "repo/.git", "repo/sub", "repo/module/.git", "other/.git", "repo/broken/.git/refs", "repo/broken/sub"} {
		require.NoError(t, os.MkdirAll(at(dir), 0o700))
	}
	for _, repository := range []string{"repo", "repo/module", "other"} {
		require.NoError(t, os.WriteFile(at(repository+"/.git/HEAD"), nil, 0o600))
	}
	require.NoError(t, os.Symlink(at("other"), at("repo/linked")))
	for _, c := range []struct{ cwd, path, want string }{
		{"plain", "plain/x", "plain"},
		{"plain", "plain/sub/x", "plain"},
		{"plain/sub", "plain/x", ""},
		{"plain", "elsewhere/x", ""},
		{"plain", "repo/x", "repo"},
		{"plain", "repo/sub/x", "repo"},
		{"repo", "repo/sub/x", "repo"},
		{"repo/sub", "repo/x", "repo"},
		{"plain", "repo/module/x", "repo/module"},
		{"repo", "repo/module/x", "repo/module"},
		{"repo/module", "repo/module/x", "repo/module"},
		{"repo/module", "repo/x", "repo"},
		{"plain", "repo/linked/x", "repo"},
		{"repo", "repo/linked/x", "repo"},
		{"repo/linked", "repo/linked/x", "repo/linked"},
		{".", "repo/x", "repo"},
		{".", "plain/x", "."},
		{"repo/broken", "repo/broken/x", "repo/broken"},
		{"repo/broken/sub", "repo/broken/sub/x", "repo/broken/sub"},
		{"repo/broken/sub", "repo/broken/x", "repo/broken"},
		{"repo", "repo/broken/x", "repo/broken"},
		{"plain", "repo/broken/x", "repo/broken"},
	} {
		want := ""
		if c.want != "" {
			want = at(c.want)
		}
		rel, err := filepath.Rel(at(c.cwd), at(c.path))
		require.NoError(t, err)
		for _, path := range []string{at(c.path), rel} {
			assert.Equal(t, want, ProjectOf(at(c.cwd), path), "%s in %s", path, c.cwd)
		}
	}
	assert.Empty(t, ProjectOf(filepath.VolumeName(base)+string(filepath.Separator), at("elsewhere/x")))
}

// A repository with the home directory, such as one of configuration files, does not make the user's files those of a project below.
func TestARepositoryAtHome(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	home, project := filepath.Join(base, "home"), filepath.Join(base, "home", "unpacked", "project")
	require.NoError(t, os.MkdirAll(project, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, "secret"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(project, "file"), nil, 0o600))
	link := filepath.Join(project, "link")
	require.NoError(t, os.Symlink("../../secret", link))
	require.NoError(t, os.Symlink("secret", filepath.Join(home, "link")))
	require.NoError(t, os.Symlink(home, filepath.Join(base, "entry")))
	for _, top := range []string{home, base} {
		require.NoError(t, os.Mkdir(filepath.Join(top, ".git"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(top, ".git", "HEAD"), nil, 0o600))
		for _, at := range []string{home, filepath.Join(base, "entry")} {
			t.Setenv("HOME", at)
			_, err = ReadInside(project, link, MaxText)
			assert.ErrorContains(t, err, "leads out of "+project+", to ", top)
			_, err = ReadInside(home, filepath.Join(home, "link"), MaxText)
			assert.NoError(t, err, "the user works in the home directory itself")
			assert.Equal(t, project, ProjectOf(project, link))
			assert.Equal(t, home, ProjectOf(home, filepath.Join(home, "link")))
		}
		t.Setenv("HOME", t.TempDir())
		_, err = ReadInside(project, link, MaxText)
		assert.NoError(t, err, "in another repository it is a file of the project")
		assert.Equal(t, top, ProjectOf(project, link))
		require.NoError(t, os.RemoveAll(filepath.Join(top, ".git")))
	}
}

func TestRelative(t *testing.T) {
	for path, want := range map[string]string{
		"/p": ".", "/p/a": "a", "/p/a/../b": "b", "/p/..home/f": "..home/f", "/p/...": "...", "/p/a/..": ".",
		"/": "", "/q": "", "/pp": "", "/p/..": "", "/p/../q": "",
	} {
		name, is := Relative("/p", path)
		assert.Equal(t, want, name, path)
		assert.Equal(t, want != "", is, path)
	}
}

// A name that leads out of the directory is refused before anything is opened.
func TestANameThatIsNotLocal(t *testing.T) {
	base := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(base, "d", "sub"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(base, "outside"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(base, "d", "f"), []byte("text"), 0o600))
	for _, name := range []string{"", "..", "../outside", "sub/../../outside", filepath.Join(base, "outside")} {
		f, err := openBelow(filepath.Join(base, "d"), filepath.FromSlash(name), os.O_RDONLY, 0)
		assert.Nil(t, f, name)
		assert.ErrorIs(t, err, errOutside, name)
	}
	f, err := openBelow(filepath.Join(base, "d"), filepath.FromSlash("sub/../f"), os.O_RDONLY, 0)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// A link that takes the place of a file, or of its directory, after the path was resolved does not
// lead out of the project.
func TestALinkMadeMeanwhileDoesNotLeadOut(t *testing.T) {
	for _, replaced := range []string{"sub/f", "sub"} {
		for _, relative := range []bool{false, true} {
			base := t.TempDir()
			top := filepath.Join(base, "project")
			for _, dir := range []string{"project/.git", "project/sub", "outside"} {
				require.NoError(t, os.MkdirAll(filepath.Join(base, dir), 0o700))
			}
			for _, file := range []string{"project/.git/HEAD", "project/sub/f", "outside/f"} {
				require.NoError(t, os.WriteFile(filepath.Join(base, file), []byte(file), 0o600))
			}
			at, name, err := locate(top, filepath.Join(top, "sub", "f"))
			require.NoError(t, err)
			require.NoError(t, os.RemoveAll(filepath.Join(top, replaced)))
			target := filepath.Join(base, "outside", strings.TrimPrefix(strings.TrimPrefix(replaced, "sub"), "/"))
			if relative {
				target, err = filepath.Rel(filepath.Dir(filepath.Join(top, replaced)), target)
				require.NoError(t, err)
			}
			require.NoError(t, os.Symlink(target, filepath.Join(top, replaced)))
			read, err := os.ReadFile(filepath.Join(top, "sub", "f"))
			require.NoError(t, err)
			require.Equal(t, "outside/f", string(read), "the link leads there")
			f, err := openBelow(at, name, os.O_RDONLY, 0)
			assert.Nil(t, f, replaced)
			if runtime.GOOS == "linux" {
				assert.ErrorIs(t, err, errChanged)
			} else {
				assert.ErrorContains(t, err, "escapes")
			}
			f, err = openLocated(at, name)
			assert.Nil(t, f, replaced)
			assert.Error(t, err)
			_, err = ReadInside(top, filepath.Join(top, "sub", "f"), MaxText)
			assert.ErrorContains(t, err, "leads out of ")
		}
	}
}

// In a directory that was entered through a link, ".." leads to the directory above the real one, as for the system; and so it does
// after a link in a path.
func TestNamed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making a link needs a privilege there")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	project := filepath.Join(base, "project")
	require.NoError(t, os.MkdirAll(filepath.Join(project, "sub"), 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(project, ".git"), 0o700))
	for _, file := range []string{filepath.Join(project, ".git", "HEAD"), filepath.Join(project, "both"), filepath.Join(base, "both"), filepath.Join(base, "secret")} {
		require.NoError(t, os.WriteFile(file, nil, 0o600))
	}
	require.NoError(t, os.Symlink("../secret", filepath.Join(project, "f")))
	link := filepath.Join(base, "link")
	require.NoError(t, os.Symlink(filepath.Join(project, "sub"), link))
	for _, c := range []struct{ cwd, path string }{
		{filepath.Join(project, "sub"), "../f"},
		{link, "../f"},
		{base, "link/../f"},
		{base, link + "/../f"},
		{base, "project/f"},
		{base, "link/../sub/../f"},
	} {
		t.Chdir(c.cwd)
		full, in, _, err := Named(c.path)
		require.NoError(t, err, "%v", c)
		assert.Equal(t, filepath.Join(project, "f"), full, "%v", c)
		assert.Equal(t, project, in, "%v", c)
		_, err = ReadNamed(c.path, MaxText)
		assert.ErrorContains(t, err, "leads out of", "%v", c)
	}
	t.Chdir(base)
	_, err = ReadNamed("link/../both", MaxText)
	assert.ErrorContains(t, err, "has .. after a symbolic link")
	_, err = ReadNamed("project/../both", MaxText)
	require.NoError(t, err)
	t.Chdir(link)
	_, in, _, err := Named(filepath.Join(base, "secret"))
	require.NoError(t, err)
	assert.Empty(t, in)
}

// A directory whose path without links is too long for the system is a project as any other.
func TestADirectoryWithATooLongPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making a link needs a privilege there")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	docs := testkit.TooLongPath(t, base)
	require.NoError(t, os.Symlink("../f", filepath.Join(docs, "f")))
	require.NoError(t, os.WriteFile(filepath.Join(docs, "..", "f"), nil, 0o600))
	for _, cwd := range []string{docs, base} {
		t.Chdir(cwd)
		_, in, _, err := Named(filepath.Join(docs, "f"))
		require.NoError(t, err)
		assert.Equal(t, cwd, in)
		_, err = ReadNamed(filepath.Join(docs, "f"), MaxText)
		require.Error(t, err)
	}
	require.NoError(t, os.Mkdir(filepath.Join(docs, ".git"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(docs, ".git", "HEAD"), nil, 0o600))
	t.Chdir("/")
	_, in, _, err := Named(filepath.Join(docs, "f"))
	require.NoError(t, err)
	assert.Equal(t, docs, in)
	_, _, _, err = Named(docs + "/../f")
	assert.ErrorContains(t, err, "too long")
}

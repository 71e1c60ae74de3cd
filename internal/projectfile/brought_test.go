package projectfile

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/owner"
	"example.org/ripple/internal/testkit"
)

// The user's files in a repository, or in a directory with files of ripple, are the project's; those of a plain home directory and
// of one in the system's list of users are the user's.
func TestBrings(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	at := func(name string) string { return filepath.Join(base, filepath.FromSlash(name)) }
	for _, dir := range []string{"plain/.config", "repo/.git/refs", "repo/sub", "repo/home/.config", "marked/.ripple", "marked/home", "below/.ralph", "below/sub", "repo/module/.git/refs", "repo/module/sub"} {
		require.NoError(t, os.MkdirAll(at(dir), 0o700))
	}
	require.NoError(t, os.Symlink(at("repo/home"), at("entry")))
	require.NoError(t, os.Symlink(at("plain"), at("repo/leads-out")))
	for _, c := range []struct {
		cwd, path string
		want      bool
	}{
		{"plain", "plain/.config", false},
		{".", "plain/.config", false},
		{"repo", "plain/.config", false},
		{"repo", "repo/home/.config", true},
		{"repo/sub", "repo/home/.config", true},
		{"repo/home", "repo/home/.config", true},
		{"entry", "entry/.config", true},
		{"repo", "entry/.config", true},
		{"repo", "repo/leads-out/.config", true},
		{"repo", "repo/missing", true},
		{"marked", "marked/home", true},
		{"repo/module/sub", "repo/home/.config", true},
		{"repo/module", "repo/leads-out/.config", true},
		{"repo/module", "plain/.config", false},
		{"below/sub", "below/x", false},
	} {
		assert.Equal(t, c.want, Brings(Around(at(c.cwd)), at(c.path)), "%s in %s", c.path, c.cwd)
	}
	for _, home := range owner.ListedHomes() {
		if home, err = filepath.EvalSymlinks(home); err == nil {
			assert.False(t, Brings([]string{home}, filepath.Join(home, ".config")))
			assert.True(t, Brings([]string{filepath.Join(home, "p")}, filepath.Join(home, "p", "home")))
		}
	}
}

// A path that cannot be resolved may lead into the project, and a directory that cannot be resolved is in the project that has its name.
func TestBringsWhatCannotBeResolved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making a link needs a privilege there")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	project, entry := filepath.Join(base, "p"), filepath.Join(base, "entry")
	require.NoError(t, os.MkdirAll(filepath.Join(project, ".git", "refs"), 0o700))
	docs := testkit.TooLongPath(t, project)
	require.NoError(t, os.MkdirAll(filepath.Join(docs, "h"), 0o700))
	require.NoError(t, os.Symlink("docs/h", filepath.Join(project, "h")))
	require.NoError(t, os.Symlink("p", entry))
	assert.True(t, Brings(Around(project), filepath.Join(entry, "h")))
	assert.False(t, Brings(Around(project), filepath.Join(base, "none")))
	assert.False(t, Brings(Around(base), filepath.Join(entry, "h")), "no project")
	for _, dir := range []string{docs, filepath.Join(entry, "docs")} {
		assert.Equal(t, []string{project}, Around(dir))
	}
	assert.False(t, isIn(project, filepath.Join(entry, "h")))
	require.NoError(t, os.MkdirAll(filepath.Join(base, "plain"), 0o700))
	assert.Empty(t, Around(testkit.TooLongPath(t, filepath.Join(base, "plain"))))
	require.NoError(t, os.WriteFile(filepath.Join(base, "plain", "docs", "ripple.yml"), nil, 0o600))
	assert.Equal(t, []string{filepath.Join(base, "plain", "docs")}, Around(filepath.Join(base, "plain", "docs")))
}

// What is in another working tree of the repository belongs to the project, too.
func TestOtherWorkingTreesBelongToTheProject(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	at := func(name string) string { return filepath.Join(base, filepath.FromSlash(name)) }
	git := func(dir string, args ...string) {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = at(dir)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	for _, dir := range []string{"repo", "around", "plain"} {
		require.NoError(t, os.MkdirAll(at(dir), 0o700))
	}
	git("repo", "init", "-q")
	git("around", "init", "-q")
	git("repo", "-c", "user.name=u", "-c", "user.email=u@example.org", "commit", "-q", "--allow-empty", "-m", "first")
	git("repo", "worktree", "add", "-q", "../linked")
	git("repo", "worktree", "add", "-q", "--detach", "../around/linked")
	git("repo", "clone", "-q", "--bare", ".", "../bare")
	git("bare", "worktree", "add", "-q", "--detach", "../one")
	git("bare", "worktree", "add", "-q", "--detach", "../two")
	git("plain", "init", "-q", "--separate-git-dir", "../store")
	git("plain", "-c", "user.name=u", "-c", "user.email=u@example.org", "commit", "-q", "--allow-empty", "-m", "first")
	git("plain", "worktree", "add", "-q", "../of-store")
	git("plain", "config", "core.worktree", at("plain"))
	git("around", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../repo", "lib")
	git("around/lib", "worktree", "add", "-q", "--detach", "../../of-lib")
	git("around/linked", "init", "-q", "inner")
	for _, c := range []struct {
		cwd, path string
		want      bool
	}{
		{"of-store", "plain/home", true},
		{"of-lib", "around/lib/home", true},
		{"of-lib", "around/home", true},
		{"of-lib", "repo/home", false},
		{"around/linked/inner", "repo/home", true},
		{"linked", "repo/home", true},
		{"repo", "linked/home", true},
		{"linked", "around/linked/home", true},
		{"around/linked", "repo/home", true},
		{"around/linked", "around/home", true},
		{"one", "two/home", true},
		{"one", "repo/home", false},
		{"linked", "plain/home", false},
		{"repo", "plain/home", false},
	} {
		assert.Equal(t, c.want, Brings(Around(at(c.cwd)), at(c.path)), "%s in %s", c.path, c.cwd)
	}
	for i := range 150 { // any number of them
		require.NoError(t, os.MkdirAll(at("bare/worktrees/n"+strconv.Itoa(i)), 0o700))
		require.NoError(t, os.MkdirAll(at("tree/n"+strconv.Itoa(i)), 0o700))
		require.NoError(t, os.WriteFile(at("bare/worktrees/n"+strconv.Itoa(i)+"/gitdir"), []byte(at("tree/n"+strconv.Itoa(i)+"/.git")+"\n"), 0o600))
	}
	assert.Len(t, Around(at("one")), 1+151)
	require.NoError(t, os.WriteFile(at("around/.git/commondir"), []byte("nowhere"), 0o600))
	assert.Equal(t, []string{at("around")}, Around(at("around")))
}

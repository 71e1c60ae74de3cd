package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ask returns git's own answer in a directory, without any of ripple's settings; ok is false if git refused.
func ask(t *testing.T, dir string, args ...string) (answer string, ok bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	return strings.TrimSuffix(string(out), "\n"), err == nil
}

// reals returns paths with their links resolved; relative ones begin in dir.
func reals(t *testing.T, dir string, paths []string) (list []string) {
	t.Helper()
	for _, path := range paths {
		resolved, err := filepath.EvalSymlinks(absolute(dir, path))
		require.NoError(t, err)
		list = append(list, resolved)
	}
	return list
}

// answers are what git says of a directory, in absolute paths without links.
type answers struct {
	top   string   // of the working tree
	dirs  []string // where git keeps the files of the working tree, and, if that is another directory, those that all trees share
	index string
}

// answersOf asks git once; found is false if no working tree is there.
func answersOf(t *testing.T, dir string) (a answers, found bool) {
	t.Helper()
	out, found := ask(t, dir, "rev-parse", "--show-toplevel", "--git-dir", "--git-common-dir", "--git-path", "index")
	if !found {
		return answers{}, false
	}
	lines := strings.Split(out, "\n")
	require.Len(t, lines, 4)
	index := absolute(dir, lines[3])
	return answers{
		top: lines[0], dirs: slices.Compact(reals(t, dir, lines[1:3])),
		index: filepath.Join(reals(t, dir, []string{filepath.Dir(index)})[0], filepath.Base(index)),
	}, true
}

// TestDirectoriesAsGitFindsThem compares where this package says that git keeps its files with what git says. A repository that
// this package does not know may be left to git, but never taken for another one.
func TestDirectoriesAsGitFindsThem(t *testing.T) {
	write := func(t *testing.T, path, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	rename := func(t *testing.T, from, to string) { require.NoError(t, os.Rename(from, to)) }
	link := func(t *testing.T, to, at string) { require.NoError(t, os.Symlink(to, at)) }
	// moved moves the repository's directory beside the working tree, and writes a file in its place.
	moved := func(t *testing.T, p *project, text string) {
		rename(t, filepath.Join(p.dir, ".git"), filepath.Join(p.dir, "store"))
		write(t, filepath.Join(p.dir, ".git"), text)
	}
	linked := func(p *project) string {
		p.git("worktree", "add", "-q", "--detach", "linked")
		return filepath.Join(p.dir, "linked")
	}
	tests := map[string]struct {
		at      func(t *testing.T, p *project) (dir string) // changes a repository, and says where git is asked
		env     []string                                    // NAME=VALUE; "$DIR" is the repository's directory
		left    bool                                        // to git
		none    bool                                        // git finds no working tree there
		refused bool                                        // git finds none from the top, since it may not look above it
	}{
		"plain":          {},
		"subdirectory":   {at: func(t *testing.T, p *project) string { write(t, p.dir+"/a/b/f", ""); return p.dir + "/a/b" }},
		"through a link": {at: func(t *testing.T, p *project) string { link(t, p.dir, p.dir+"/again"); return p.dir + "/again" }},
		"link to a subdirectory": {at: func(t *testing.T, p *project) string {
			write(t, p.dir+"/a/f", "")
			link(t, "a", p.dir+"/b")
			return p.dir + "/b"
		}},
		"directory is a link": {at: func(t *testing.T, p *project) string {
			rename(t, p.dir+"/.git", p.dir+"/store")
			link(t, "store", p.dir+"/.git")
			return p.dir
		}},
		"file with absolute path": {at: func(t *testing.T, p *project) string { moved(t, p, "gitdir: "+p.dir+"/store\n"); return p.dir }},
		"file with relative path": {at: func(t *testing.T, p *project) string {
			moved(t, p, "gitdir: ./x/../store\n")
			write(t, p.dir+"/x/f", "")
			return p.dir
		}},
		"file without line end": {at: func(t *testing.T, p *project) string { moved(t, p, "gitdir: store"); return p.dir }},
		"file with CRLF":        {at: func(t *testing.T, p *project) string { moved(t, p, "gitdir: store\r\n"); return p.dir }},
		"file with empty lines": {at: func(t *testing.T, p *project) string { moved(t, p, "gitdir: store\n\n\n"); return p.dir }},
		"path that ends in a blank": {at: func(t *testing.T, p *project) string {
			rename(t, p.dir+"/.git", p.dir+"/store ")
			write(t, p.dir+"/.git", "gitdir: store \n")
			return p.dir
		}},
		".. after a link": {at: func(t *testing.T, p *project) string {
			write(t, p.dir+"/a/b/f", "")
			rename(t, p.dir+"/.git", p.dir+"/a/store")
			link(t, "a/b", p.dir+"/x")
			write(t, p.dir+"/.git", "gitdir: x/../store\n")
			return p.dir
		}},
		"linked working tree":          {at: func(t *testing.T, p *project) string { return linked(p) }},
		"subdirectory of a linked one": {at: func(t *testing.T, p *project) string { write(t, linked(p)+"/a/f", ""); return p.dir + "/linked/a" }},
		"linked one, settings of its own": {at: func(t *testing.T, p *project) string {
			p.git("config", "extensions.worktreeConfig", "true")
			return linked(p)
		}},
		"linked one, absolute commondir": {at: func(t *testing.T, p *project) string {
			dir := linked(p)
			write(t, p.dir+"/.git/worktrees/linked/commondir", p.dir+"/.git\n")
			return dir
		}},
		"linked one, commondir without line": {at: func(t *testing.T, p *project) string {
			dir := linked(p)
			write(t, p.dir+"/.git/worktrees/linked/commondir", "../..")
			return dir
		}},
		"linked one, whose record is a link": {at: func(t *testing.T, p *project) string {
			dir := linked(p)
			rename(t, p.dir+"/.git/worktrees/linked", p.dir+"/.git/worktrees/l")
			link(t, "l", p.dir+"/.git/worktrees/linked")
			return dir
		}},
		"repository with a commondir of its own": {at: func(t *testing.T, p *project) string { write(t, p.dir+"/.git/commondir", ".\n"); return p.dir }},
		"submodule": {at: func(t *testing.T, p *project) string {
			inner := newRepo(t)
			p.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.dir, "sub")
			return p.dir + "/sub"
		}},
		"repository in a repository": {at: func(t *testing.T, p *project) string { p.git("init", "-q", "inner"); return p.dir + "/inner" }},
		"empty .git inside":          {at: func(t *testing.T, p *project) string { write(t, p.dir+"/a/.git/f", ""); return p.dir + "/a" }},
		".git inside, only HEAD": {at: func(t *testing.T, p *project) string {
			write(t, p.dir+"/a/.git/HEAD", "ref: refs/heads/main\n")
			return p.dir + "/a"
		}},
		".git inside, broken HEAD": {at: func(t *testing.T, p *project) string {
			p.git("init", "-q", "a")
			write(t, p.dir+"/a/.git/HEAD", "nothing\n")
			return p.dir + "/a"
		}},
		".git inside, without objects": {at: func(t *testing.T, p *project) string {
			p.git("init", "-q", "a")
			require.NoError(t, os.RemoveAll(p.dir+"/a/.git/objects"))
			return p.dir + "/a"
		}},
		"refs is an executable file": {at: func(t *testing.T, p *project) string {
			p.git("init", "-q", "a")
			require.NoError(t, os.RemoveAll(p.dir+"/a/.git/refs"))
			require.NoError(t, os.WriteFile(p.dir+"/a/.git/refs", nil, 0o755))
			return p.dir + "/a"
		}},
		".git inside, objects of another": {at: func(t *testing.T, p *project) string {
			write(t, p.dir+"/a/.git/HEAD", "ref: refs/heads/main\n")
			write(t, p.dir+"/a/.git/commondir", "../../.git\n")
			return p.dir + "/a"
		}},
		".git inside, commondir without objects": {at: func(t *testing.T, p *project) string {
			write(t, p.dir+"/a/.git/HEAD", "ref: refs/heads/main\n")
			write(t, p.dir+"/a/.git/commondir", ".\n")
			return p.dir + "/a"
		}},
		"HEAD is a link": {at: func(t *testing.T, p *project) string {
			head, _ := ask(t, p.dir, "symbolic-ref", "HEAD")
			require.NoError(t, os.Remove(p.dir+"/.git/HEAD"))
			link(t, head, p.dir+"/.git/HEAD")
			return p.dir
		}},
		"branch without a commit": {at: func(t *testing.T, p *project) string { p.git("checkout", "-q", "--orphan", "new"); return p.dir }},
		"bare": {at: func(t *testing.T, p *project) string {
			p.git("clone", "-q", "--bare", ".", "bare")
			return p.dir + "/bare"
		}, none: true},
		"working tree of a bare": {at: func(t *testing.T, p *project) string {
			p.git("clone", "-q", "--bare", ".", "bare")
			p.git("-C", "bare", "worktree", "add", "-q", "--detach", "../tree")
			return p.dir + "/tree"
		}},
		"inside of .git":          {at: func(t *testing.T, p *project) string { return p.dir + "/.git" }, none: true},
		"core.worktree is itself": {at: func(t *testing.T, p *project) string { p.git("config", "core.worktree", p.dir); return p.dir }},
		"core.worktree below": {at: func(t *testing.T, p *project) string {
			write(t, p.dir+"/a/f", "")
			p.git("config", "core.worktree", "../a")
			return p.dir + "/a"
		}, left: true, refused: true},
		"core.worktree above": {at: func(t *testing.T, p *project) string {
			p.git("init", "-q", "a")
			p.git("-C", "a", "config", "core.worktree", "../..")
			return p.dir + "/a"
		}},
		"core.bare":               {at: func(t *testing.T, p *project) string { p.git("config", "core.bare", "true"); return p.dir }, none: true},
		"GIT_DIR":                 {env: []string{"GIT_DIR=$DIR/.git"}, left: true},
		"GIT_DIR is a file":       {at: func(t *testing.T, p *project) string { moved(t, p, "gitdir: store\n"); return p.dir }, env: []string{"GIT_DIR=$DIR/.git"}, left: true},
		"GIT_DIR from elsewhere":  {at: func(t *testing.T, p *project) string { return newRepo(t).dir }, env: []string{"GIT_DIR=$DIR/.git"}, left: true},
		"GIT_WORK_TREE":           {at: func(t *testing.T, p *project) string { write(t, p.dir+"/a/f", ""); return p.dir }, env: []string{"GIT_DIR=$DIR/.git", "GIT_WORK_TREE=$DIR/a"}, left: true},
		"only GIT_WORK_TREE":      {at: func(t *testing.T, p *project) string { write(t, p.dir+"/a/f", ""); return p.dir }, env: []string{"GIT_WORK_TREE=$DIR/a"}, left: true, refused: true},
		"GIT_COMMON_DIR":          {at: func(t *testing.T, p *project) string { return linked(p) }, env: []string{"GIT_COMMON_DIR=$DIR/.git"}, left: true},
		"GIT_INDEX_FILE":          {env: []string{"GIT_INDEX_FILE=$DIR/other"}},
		"GIT_OBJECT_DIRECTORY":    {env: []string{"GIT_OBJECT_DIRECTORY=$DIR/.git/objects"}},
		"GIT_CEILING_DIRECTORIES": {at: func(t *testing.T, p *project) string { write(t, p.dir+"/a/f", ""); return p.dir + "/a" }, env: []string{"GIT_CEILING_DIRECTORIES=$DIR"}, none: true},
		"GIT_NAMESPACE":           {env: []string{"GIT_NAMESPACE=x"}},
	}
	made := newRepo(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := made.copy(t)
			dir := p.dir
			if tt.at != nil {
				dir = tt.at(t, p)
			}
			for _, v := range tt.env {
				key, value, _ := strings.Cut(v, "=")
				t.Setenv(key, strings.ReplaceAll(value, "$DIR", p.dir))
			}
			here, found := answersOf(t, dir)
			require.Equal(t, !tt.none, found)
			if tt.none {
				return
			}
			top, atTop := here.top, here
			if top != dir {
				atTop, found = answersOf(t, top)
				require.True(t, found)
			}
			for at, said := range map[string]answers{dir: here, top: atTop} { // whatever git reads was examined before
				examined, _, err := gitDirs(at)
				require.NoError(t, err)
				assert.Subset(t, reals(t, at, examined), said.dirs)
			}

			dirs, err := dirsAt(top)
			require.NoError(t, err)
			assert.Equal(t, tt.left, dirs == nil)
			if dirs != nil {
				assert.Equal(t, atTop.dirs, reals(t, top, dirs))
			}

			index, err := pathOfIndex(t.Context(), top)
			assert.Equal(t, tt.refused, err != nil)
			if err == nil {
				assert.Equal(t, filepath.Base(atTop.index), filepath.Base(index))
				assert.Equal(t, filepath.Dir(atTop.index), reals(t, top, []string{filepath.Dir(index)})[0])
			}
		})
	}
}

// TestHooksAsGitRunsThem compares what commitRuns reports with what git does: a hook that is missed here could
// change the repository between two looks at it.
func TestHooksAsGitRunsThem(t *testing.T) {
	const hook = "#!/bin/sh\n: >> \"$RAN\"\n"
	write := func(t *testing.T, path string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(hook), 0o755))
	}
	tests := map[string]struct {
		set  func(t *testing.T, p *project)
		runs bool // git runs a hook
		said bool // what commitRuns reports
	}{
		"none":    {},
		"samples": {set: func(t *testing.T, p *project) { write(t, p.dir+"/.git/hooks/pre-commit.sample") }},
		"no directory of hooks": {set: func(t *testing.T, p *project) {
			require.NoError(t, os.RemoveAll(p.dir+"/.git/hooks"))
		}},
		"a hook that a commit does not run": {set: func(t *testing.T, p *project) { write(t, p.dir+"/.git/hooks/pre-push") }, said: true},
		"directory is a link": {set: func(t *testing.T, p *project) {
			write(t, p.dir+"/scripts/pre-commit")
			require.NoError(t, os.RemoveAll(p.dir+"/.git/hooks"))
			require.NoError(t, os.Symlink("../scripts", p.dir+"/.git/hooks"))
		}, runs: true, said: true},
		"hook is a link": {set: func(t *testing.T, p *project) {
			write(t, p.dir+"/scripts/check")
			require.NoError(t, os.MkdirAll(p.dir+"/.git/hooks", 0o755))
			require.NoError(t, os.Symlink("../../scripts/check", p.dir+"/.git/hooks/pre-commit"))
		}, runs: true, said: true},
		"core.hooksPath": {set: func(t *testing.T, p *project) {
			write(t, p.dir+"/h/pre-commit")
			p.git("config", "core.hooksPath", "h")
		}, runs: true, said: true},
		"core.hooksPath is empty": {set: func(t *testing.T, p *project) { write(t, p.dir+"/pre-commit"); p.git("config", "core.hooksPath", "") }, said: true},
		"core.hooksPath in an included file": {set: func(t *testing.T, p *project) {
			write(t, p.dir+"/h/pre-commit")
			p.write(".git/more", "[core]\n\thooksPath = h\n")
			p.git("config", "include.path", "more")
		}, runs: true, said: true},
		"core.hooksPath of the environment": {set: func(t *testing.T, p *project) {
			write(t, p.dir+"/h/pre-commit")
			t.Setenv("GIT_CONFIG_COUNT", "1")
			t.Setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
			t.Setenv("GIT_CONFIG_VALUE_0", "h")
		}, runs: true, said: true},
		"core.hooksPath of the user": {set: func(t *testing.T, p *project) {
			write(t, p.dir+"/h/pre-commit")
			p.write("user", "[core]\n\thooksPath = h\n[user]\n\tname = u\n\temail = u@example.org\n")
			t.Setenv("GIT_CONFIG_GLOBAL", p.dir+"/user")
		}, runs: true, said: true},
		"core.hooksPath for one tree": {set: func(t *testing.T, p *project) {
			write(t, p.dir+"/h/pre-commit")
			p.git("config", "extensions.worktreeConfig", "true")
			p.git("config", "--worktree", "core.hooksPath", "h")
		}, runs: true, said: true},
	}
	for _, name := range []string{
		"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-index-change", "reference-transaction",
	} {
		tests[name] = tests["none"]
		tt := tests[name]
		tt.set, tt.runs, tt.said = func(t *testing.T, p *project) { write(t, filepath.Join(p.dir, ".git", "hooks", name)) }, true, true
		tests[name] = tt
	}
	made := newRepo(t)
	made.write("new", "")
	made.git("add", "new")
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := made.copy(t)
			if tt.set != nil {
				tt.set(t, p)
			}
			r := &Repo{Top: p.dir}
			all, err := repository{dir: p.dir}.settings(t.Context())
			require.NoError(t, err)
			said := r.commitRuns(all, false)
			assert.Equal(t, tt.said, said)

			ran := filepath.Join(t.TempDir(), "ran")
			t.Setenv("RAN", ran)
			_, ok := ask(t, p.dir, "commit", "-qm", "x")
			require.True(t, ok)
			assert.Equal(t, tt.runs, there(ran))
			if tt.runs {
				assert.True(t, said)
			}
		})
	}
}

// TestUserAsGitKnowsThem compares what namesUser reports with git's answers. Git asks the system, too,
// where this package does not.
func TestUserAsGitKnowsThem(t *testing.T) {
	const name, email = "user.name", "user.email"
	tests := map[string]struct {
		set     [][2]string // keys and values of the repository's settings
		env     []string
		certain bool
	}{
		"both":                    {set: [][2]string{{name, "A"}, {email, "a@example.org"}}, certain: true},
		"none":                    {},
		"only a name":             {set: [][2]string{{name, "A"}}},
		"only an address":         {set: [][2]string{{email, "a@example.org"}}},
		"empty name":              {set: [][2]string{{name, ""}, {email, "a@example.org"}}},
		"empty address":           {set: [][2]string{{name, "A"}, {email, ""}}},
		"a name of signs":         {set: [][2]string{{name, "<.,:;>"}, {email, "a@example.org"}}},
		"a name of digits":        {set: [][2]string{{name, "12"}, {email, "a@example.org"}}},
		"signs around a name":     {set: [][2]string{{name, "<A>"}, {email, "a@example.org"}}, certain: true},
		"line ends in a name":     {set: [][2]string{{name, "A\nB"}, {email, "a@example.org"}}, certain: true},
		"a name in Greek":         {set: [][2]string{{name, "Ω"}, {email, "a@example.org"}}, certain: true},
		"address without a name":  {set: [][2]string{{name, "A"}, {email, "a"}}, certain: true},
		"another author":          {set: [][2]string{{name, "A"}, {email, "a@example.org"}, {"author.name", "<>"}}},
		"another committer":       {set: [][2]string{{name, "A"}, {email, "a@example.org"}, {"committer.email", ""}}},
		"only what is configured": {set: [][2]string{{name, "A"}, {email, "a@example.org"}, {"user.useConfigOnly", "true"}}, certain: true},
		"empty GIT_AUTHOR_NAME":   {set: [][2]string{{name, "A"}, {email, "a@example.org"}}, env: []string{"GIT_AUTHOR_NAME="}},
		"GIT_COMMITTER_EMAIL":     {set: [][2]string{{name, "A"}, {email, "a@example.org"}}, env: []string{"GIT_COMMITTER_EMAIL=b@example.org"}},
		"no date":                 {set: [][2]string{{name, "A"}, {email, "a@example.org"}}, env: []string{"GIT_AUTHOR_DATE=never"}},
		"EMAIL":                   {set: [][2]string{{name, "A"}}, env: []string{"EMAIL=a@example.org"}},
	}
	made := newRepo(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := made.copy(t)
			settings := "[core]\n\trepositoryFormatVersion = 0\n"
			for _, s := range tt.set {
				section, key, _ := strings.Cut(s[0], ".")
				settings += "[" + section + "]\n\t" + key + " = " + strconv.Quote(s[1]) + "\n"
			}
			p.write(".git/config", settings)
			t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
			for _, v := range []string{"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"} {
				if value, is := os.LookupEnv(v); is {
					require.NoError(t, os.Unsetenv(v))
					t.Cleanup(func() { os.Setenv(v, value) })
				}
			}
			for _, v := range tt.env {
				key, value, _ := strings.Cut(v, "=")
				t.Setenv(key, value)
			}
			all, err := repository{dir: p.dir}.settings(t.Context())
			require.NoError(t, err)
			assert.Equal(t, tt.certain, namesUser(all))
			if namesUser(all) {
				for _, who := range []string{"GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"} {
					_, knows := ask(t, p.dir, "var", who)
					assert.True(t, knows, who)
				}
			}
		})
	}
}

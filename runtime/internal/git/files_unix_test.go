//go:build unix

package git

import (
	"errors"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/projectfile"
)

// blockers take the place of a file that git reads.
var blockers = map[string]struct {
	words string
	put   func(path string) error
}{
	"pipe": {"is a pipe", func(path string) error { return syscall.Mkfifo(path, 0o600) }},
	"link to a pipe": {"is a pipe", func(path string) error {
		return errors.Join(os.RemoveAll(path+".p"), syscall.Mkfifo(path+".p", 0o600), os.Symlink(path+".p", path))
	}},
	"socket": {"is a socket", func(path string) error {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Base(path), Net: "unix"})
		if err != nil {
			return err
		}
		l.SetUnlinkOnClose(false)
		return errors.Join(os.Rename(filepath.Base(path), path), l.Close()) // a socket's path is short
	}},
	"device": {"is a device", func(path string) error { return os.Symlink("/dev/zero", path) }},
	"8 GB":   {"has 8192 MB", func(path string) error { return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 8<<30)) }},
}

// refusedFile returns the path in the error for a file that git does not get to read.
func refusedFile(t *testing.T, err error, words string) string {
	t.Helper()
	refused, is := errors.AsType[*projectfile.RefusedError](err)
	require.True(t, is, "%v", err)
	assert.Contains(t, refused.Error(), words)
	return refused.Path
}

// Git starts in no directory where it would wait for a pipe or read without end.
func TestGitOpensOnlyFiles(t *testing.T) {
	t.Chdir(t.TempDir()) // for sockets
	names := []string{
		".git/HEAD", ".git/config", ".git/index", ".git/packed-refs", ".git/shallow", ".git/commondir", ".git/config.worktree",
		".git/info/exclude", ".git/info/attributes", ".git/info/sparse-checkout", ".git/objects/info/alternates",
		".git/refs/heads/main", ".git/modules/a/b/HEAD", ".git/modules/a/b/config", ".git/modules/a/b/index",
		".gitignore", ".gitattributes", ".gitmodules", "sub/.gitignore", "sub/HEAD",
	}
	p := newRepo(t)
	p.write("sub/f", "1")
	p.write(".git/modules/a/b/HEAD", "ref: refs/heads/main\n")
	aside := filepath.Join(p.dir, "aside")
	for kind, b := range blockers {
		for _, name := range names {
			base := filepath.Base(name)
			if onlyLink := base == "HEAD" || base == ".gitignore" || base == ".gitattributes"; onlyLink && (kind == "link to a pipe" || kind == "device") {
				continue // git does not follow it
			}
			t.Run(kind+" "+name, func(t *testing.T) {
				path := filepath.Join(p.dir, filepath.FromSlash(name))
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				moved := os.Rename(path, aside)
				require.NoError(t, b.put(path))
				_, err := Open(t.Context(), filepath.Join(p.dir, "sub"))
				assert.Equal(t, path, refusedFile(t, err, b.words))
				require.NoError(t, os.Remove(path))
				if moved == nil {
					require.NoError(t, os.Rename(aside, path))
				}
			})
		}
	}
	exclude := filepath.Join(p.dir, ".git", "info", "exclude")
	require.NoError(t, os.RemoveAll(exclude))
	require.NoError(t, os.Symlink(os.DevNull, exclude)) // which is read to its end at once
	r, err := Open(t.Context(), filepath.Join(p.dir, "sub"))
	require.NoError(t, err)
	assert.Equal(t, &Repo{Top: p.dir, Prefix: "sub/"}, r)
}

// A repository that borrows objects from another, a linked working tree and a submodule are
// examined, too; links that git does not follow are not.
func TestFilesOfOtherRepositories(t *testing.T) {
	p := newRepo(t)
	main := p.dir
	other := newRepo(t)
	p.git("worktree", "add", "-q", filepath.Join(other.dir, "ignored", "w"))
	list := filepath.Join(other.dir, ".git", "objects", "info", "alternates")
	p.write(".git/objects/info/alternates", strings.Repeat("# comment\n", 2*maxLinks)+filepath.Join(other.dir, ".git", "objects")+"\n")
	linked := filepath.Join(other.dir, "ignored", "w")
	for _, dir := range []string{main, linked} {
		r, err := Open(t.Context(), dir)
		require.NoError(t, err)
		assert.NotNil(t, r)
	}
	for _, pipe := range []string{list, filepath.Join(filepath.Dir(list), "commit-graph")} {
		require.NoError(t, syscall.Mkfifo(pipe, 0o600))
		for _, dir := range []string{main, linked} {
			_, err := Open(t.Context(), dir)
			assert.Equal(t, pipe, refusedFile(t, err, "is a pipe"))
		}
		require.NoError(t, os.Remove(pipe))
	}
	require.NoError(t, os.Remove(filepath.Join(main, ".gitignore")))
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(main, ".gitignore")))
	_, err := Open(t.Context(), main)
	require.NoError(t, err)
}

// A pipe that no list names ends git soon after it began to wait for it.
func TestGitDoesNotWaitForAPipe(t *testing.T) {
	for _, name := range []string{"deep/er/.gitignore", "nested/.git/HEAD"} {
		t.Run(name, func(t *testing.T) {
			p := newRepo(t)
			p.write("deep/er/f", "1")
			p.write("nested/f", "1")
			path := filepath.Join(p.dir, filepath.FromSlash(name))
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			mkfifo(t, path)
			began := time.Now()
			tree, err := OpenTree(t.Context(), p.dir, nothing)
			require.NoError(t, err)
			_, err = tree.Snapshot(t.Context())
			assert.Equal(t, path, refusedFile(t, err, "is a pipe"))
			assert.Less(t, time.Since(began), lookTimeout)
		})
	}
}

// So does a pipe in place of an object that a repository borrows.
func TestGitDoesNotWaitForABorrowedObject(t *testing.T) {
	p, other := newRepo(t), newRepo(t)
	tree := p.git("rev-parse", "HEAD^{tree}")
	object := "objects/" + tree[:2] + "/" + tree[2:]
	p.remove(".git/" + object)
	pipe := filepath.Join(other.dir, ".git", filepath.FromSlash(object))
	if err := os.Remove(pipe); err != nil {
		require.NoError(t, os.MkdirAll(filepath.Dir(pipe), 0o755))
	}
	mkfifo(t, pipe)
	p.write(".git/objects/info/alternates", strings.Repeat("# comment\n", 2*maxLinks)+filepath.Join(other.dir, ".git", "objects")+"\n")
	_, accepted, err := Risks(t.Context(), p.dir)
	require.NoError(t, err)
	began := time.Now()
	of, err := OpenTree(t.Context(), p.dir, nothing)
	if err == nil {
		of.Repo.Accepted = accepted
		_, err = of.Snapshot(t.Context())
	}
	assert.Equal(t, pipe, refusedFile(t, err, "is a pipe"))
	assert.Less(t, time.Since(began), lookTimeout)
}

// A hook may make a pipe, here to wait for a process of its own, and takes as long as it needs. A pipe
// that was there before the commit ends it.
func TestHooksMakePipes(t *testing.T) {
	slow := func(t *testing.T, hook string) *project {
		t.Parallel()
		p := newRepo(t)
		p.write("f", "1")
		p.git("add", "-A")
		p.write(".git/hooks/pre-commit", "#!/bin/sh\n"+hook+"\nsleep 2\n") // longer than patience
		require.NoError(t, os.Chmod(filepath.Join(p.dir, ".git/hooks/pre-commit"), 0o755))
		return p
	}
	t.Run("of the hook", func(t *testing.T) {
		p := slow(t, "mkfifo .git/own")
		_, err := (&Repo{Top: p.dir}).run(t.Context(), call{}, gitCommit, "--quiet", "-m", "second")
		require.NoError(t, err)
	})
	t.Run("from before the commit", func(t *testing.T) {
		p := slow(t, "true")
		path := filepath.Join(p.dir, ".git", "own")
		mkfifo(t, path)
		old := time.Now().Add(-time.Minute)
		require.NoError(t, os.Chtimes(path, old, old))
		_, err := (&Repo{Top: p.dir}).run(t.Context(), call{}, gitCommit, "--quiet", "-m", "second")
		assert.Equal(t, path, refusedFile(t, err, "is a pipe"))
	})
}

// A hook may leave a process that keeps git's standard output and error open.
func TestHooksLeaveProcesses(t *testing.T) {
	t.Parallel()
	p := newRepo(t)
	p.write("f", "1")
	p.git("add", "-A")
	p.write(".git/hooks/post-commit", "#!/bin/sh\nsleep 1000 &\necho $! > .git/left\n")
	require.NoError(t, os.Chmod(filepath.Join(p.dir, ".git/hooks/post-commit"), 0o755))
	_, err := (&Repo{Top: p.dir}).run(t.Context(), call{}, gitCommit, "--quiet", "-m", "second")
	left, parseErr := strconv.Atoi(strings.TrimSpace(p.read(".git/left")))
	require.NoError(t, parseErr)
	assert.NoError(t, syscall.Kill(left, syscall.SIGKILL))
	require.NoError(t, err)
	assert.Equal(t, "second", p.git("log", "-1", "--format=%s"))
}

// The class of each command's time limit is stated here a second time, so that a change is seen.
func TestTimeLimitsOfGitCommands(t *testing.T) {
	limits := map[subcommand]time.Duration{
		gitCheckRef: lookTimeout, gitConfig: lookTimeout, gitHeadName: lookTimeout, gitRevParse: lookTimeout, gitVar: lookTimeout, gitWriteBlank: lookTimeout,
		gitBase: treeTimeout, gitDiff: treeTimeout, gitIgnored: treeTimeout, gitListFiles: treeTimeout, gitListTree: treeTimeout, gitRevList: treeTimeout, gitStatus: treeTimeout,
		gitCommit: writeTimeout, gitCommitTree: writeTimeout, gitIndex: writeTimeout, gitReadTree: writeTimeout, gitRebase: writeTimeout,
		gitTag: writeTimeout, gitWorktree: writeTimeout,
	}
	assert.Equal(t, []time.Duration{30 * time.Second, 2 * time.Minute, 10 * time.Minute}, []time.Duration{lookTimeout, treeTimeout, writeTimeout})
	source, err := os.ReadFile("git.go")
	require.NoError(t, err)
	_, list, _ := strings.Cut(string(source), "type subcommand string\n")
	list, _, _ = strings.Cut(list, "\n)\n")
	var names []string
	for _, found := range regexp.MustCompile(`(?m)^\tgit\w+ +(?:subcommand)? *= "([a-z-]+)"`).FindAllStringSubmatch(list, -1) {
		names = append(names, found[1])
		sub := subcommand(found[1])
		limit, stated := limits[sub]
		require.True(t, stated, "%s: state its time limit in this test", sub)
		assert.Equal(t, limit, sub.timeout(), sub)
	}
	assert.Len(t, names, len(limits))
}

// The error for a command that does not end has its name, its directory and its time limit.
func TestEveryGitCommandHasATimeLimit(t *testing.T) {
	err := &TimeoutError{string(gitStatus), "/p", gitStatus.timeout()}
	assert.ErrorContains(t, err, "git status did not end within 2m0s in /p: ")
	p := newRepo(t)
	fakeGit(t, "exec sleep 1000")
	_, err2 := (&Repo{Top: p.dir}).run(t.Context(), call{limit: 50 * time.Millisecond}, gitRevParse)
	late, is := errors.AsType[*TimeoutError](err2)
	require.True(t, is, "%v", err2)
	assert.Equal(t, p.dir, late.Dir)
}

// Git reads files that the configuration of a repository names, wherever they are.
func TestFilesThatTheConfigurationNames(t *testing.T) {
	t.Chdir(t.TempDir()) // for sockets
	for kind, b := range blockers {
		for _, setting := range []string{
			"[include]\n\tpath = FILE\n", "[include] PATH=\"FILE\" # comment\n", "[includeIf \"gitdir:/\"]\n\tpath = FILE\n", "[include]\n\tpath = \\\n  FILE\n",
			"[include]\n\tpath = more\n", "[core]\n\texcludesFile = FILE\n", "[core]\n\tattributesFile = FILE ; comment\n", "[commit]\n\ttemplate = FILE\n",
			"[blame]\n\tignoreRevsFile = FILE\n", "[include]\n\tpath = ~/file\n", "[diff]\n\torderFile = FILE\n", "[gpg]\n\tformat = ssh\n[user]\n\tsigningKey = FILE\n",
			"[includeIf \"gitdir:/a=b]/\"] path = FILE\n",
		} {
			t.Run(kind+" "+setting, func(t *testing.T) {
				p := newRepo(t)
				home := t.TempDir()
				t.Setenv("HOME", home)
				file := filepath.Join(home, "file")
				require.NoError(t, b.put(file))
				config, err := os.ReadFile(filepath.Join(p.dir, ".git", "config"))
				require.NoError(t, err)
				p.write(".git/config", string(config)+strings.ReplaceAll(setting, "FILE", file))
				p.write(".git/more", "[include]\n\tpath = config\n\tpath = more\n\tpath = "+file+"\n")
				began := time.Now()
				_, err = Open(t.Context(), p.dir)
				assert.Equal(t, file, refusedFile(t, err, b.words))
				assert.Less(t, time.Since(began), lookTimeout)
			})
		}
	}
}

// Git itself reads the settings that name files, up to the first mistake.
func TestNamedFiles(t *testing.T) {
	const text = "[core]\n\texcludesFile = \"a\\tb\" c ; no\n[Include]path=\\\n  more\n[includeIf \"gitdir:~/x]\\\"=/\"]\n\tPath = ~nobody/f # no\n" +
		"[blame]\n\tignoreRevsFile\n[mergetool \"x\"]\n\tpath = tool\n[commit]\n\ttemplate = t\\\\u\n[core]\n\tattributesFile = \"x\n[commit]\n\ttemplate = after\n"
	assert.Equal(t, []namedFile{
		{key: "core.excludesfile", path: "a\tb c"},
		{key: "include.path", path: "more", included: true},
		{key: "includeif.gitdir:~/x]\"=/.path", path: "~nobody/f", included: true},
		{key: "commit.template", path: `t\u`},
	}, namedFiles(t.Context(), "git", []byte(text)))
}

// fakeGit puts a git into PATH that is a shell script.
func fakeGit(t *testing.T, script string) {
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
}

// No git is started for a text without settings that name files.
func TestMostSettingsNameNoFiles(t *testing.T) {
	fakeGit(t, `printf 'include.path\nasked\000'`)
	for text, want := range map[string][]namedFile{
		"[core]\n\tfilemode = true\n\thooksPath = .husky\n":                            nil,
		"[remote \"include\"]\n\tfetch = path\n[mergetool \"x\"]\n\tpath = template\n": nil,

		"[Include]\n\tPath = x\n":                {{key: "include.path", path: "asked", included: true}},
		"[includeIf \"gitdir:/\"]\n\tpath = x\n": {{key: "include.path", path: "asked", included: true}},
		"[CORE]\n\tattributesFile = x\n":         {{key: "include.path", path: "asked", included: true}},
	} {
		assert.Equal(t, want, namedFiles(t.Context(), "git", []byte(text)), text)
	}
}

// Listing the settings counts for the time limit of the command.
func TestListingSettingsHasATimeLimit(t *testing.T) {
	p := newProject(t)
	p.git("init", "-q")
	p.write(".git/config", "[include]\n\tpath = more\n")
	fakeGit(t, `case $* in config*) exec sleep 1000 ;; esac`)
	_, err := (&Repo{Top: p.dir}).run(t.Context(), call{limit: 50 * time.Millisecond}, gitStatus)
	late, is := errors.AsType[*TimeoutError](err)
	require.True(t, is, "%v", err)
	assert.Equal(t, "status", late.Command)
}

// A path may begin in the home of a user.
func TestNamedFilesInAHome(t *testing.T) {
	u, err := user.Current()
	require.NoError(t, err)
	t.Setenv("HOME", "/of/this/process")
	for path, want := range map[string][]string{
		"~/a/b":                    {"/of/this/process/a/b"},
		"~" + u.Username + "/a/b":  {filepath.Join(u.HomeDir, "a/b")},
		"~no-user-has-this-name/a": {"/r/.git/~no-user-has-this-name/a", "/r/~no-user-has-this-name/a"},
		"/abs":                     {"/abs"},
	} {
		assert.Equal(t, want, namedFile{path: path}.places("/r/.git"), path)
	}
}

// Settings that name files which git can read, directories or nothing are left to git.
func TestSettingsThatNameFiles(t *testing.T) {
	p := newRepo(t)
	home := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(home, "ignore"), []byte("x\n"), 0o600))
	config, err := os.ReadFile(filepath.Join(p.dir, ".git", "config"))
	require.NoError(t, err)
	tool := filepath.Join(home, "tool")
	require.NoError(t, os.WriteFile(tool, nil, 0o600))
	require.NoError(t, os.Truncate(tool, maxFile+1))
	p.write(".git/config", string(config)+"[mergetool \"x\"]\n\tpath = "+tool+"\n[core]\n\texcludesFile = "+home+"/ignore\n\thooksPath = "+home+"\n\tattributesFile = /dev/null\n[commit]\n\ttemplate = "+home+"/none\n[include]\n\tpath = none\n")
	_, err = Open(t.Context(), p.dir)
	require.NoError(t, err)
}

func TestListsOfBorrowedObjectsAreBounded(t *testing.T) {
	for name, list := range map[string]string{
		"long": strings.Repeat("# comment\n", 200_000), "itself": strings.Repeat(".\n", 5), "many": strings.Repeat("/x\n", maxStores),
	} {
		p := newRepo(t)
		p.write(".git/objects/info/alternates", list)
		_, err := OpenTree(t.Context(), p.dir, nothing)
		_, is := errors.AsType[*projectfile.RefusedError](err)
		assert.True(t, is, "%s: %v", name, err)
	}
}

//go:build unix

package git

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/projectfile"
	"example.org/ripple/internal/testkit"
)

// tooLong makes docs, a link to a directory whose path from the root is too long for the system.
const tooLong = `d=$(printf 'd%.0s' $(seq 200)); l=; for i in $(seq 20); do l=$l$d/; done; l=$l$(printf 'e%.0s' $(seq 50)); mkdir -p x/${l##*/}; for i in $(seq 19); do mkdir y; mv x y/$d; mv y x; done; mv x $d; ln -s $l docs; `

// Git writes no file outside of the repository, whatever in it names one, unless exactly that is approved: each row is a
// line of sh in a working tree, beside which the directory other has a repository. An empty want stands for what needs no
// approval.
func TestFilesOutsideOfARepositoryNeedApproval(t *testing.T) {
	tests := []struct{ name, make, want string }{
		{"a plain repository", ":", ""},
		{"a link to a log", "ln -sf ../../../out/rc .git/logs/HEAD", ".git/logs/HEAD: link = OUT/rc"},
		{"a link to a directory of logs", "rm -r .git/logs; ln -s ../../out .git/logs", ".git/logs: link = OUT"},
		{"a link to a branch's directory", "mkdir -p .git/refs/heads; mv .git/refs/heads ../out/; ln -s ../../../out/heads .git/refs/heads", ".git/refs/heads: link = OUT/heads"},
		{"the index", "mv .git/index ../out/; ln -s ../../out/index .git/index", ".git/index: link = OUT/index"},
		{"a file that does not exist", "ln -s ../../out/new .git/ORIG_HEAD", ".git/ORIG_HEAD: link = OUT/new"},
		{"a message", "rm -f .git/COMMIT_EDITMSG; ln -s ../../rc .git/COMMIT_EDITMSG", ".git/COMMIT_EDITMSG: link = OUT/../rc"},
		{"a link through a link", "ln -s ../.. .git/up; ln -s up/out/x .git/MERGE_MSG", ".git/MERGE_MSG: link = OUT/x"},
		{"objects", "mv .git/objects ../out/; ln -s ../../out/objects .git/objects", ".git/objects: link = OUT/objects"},
		{"an object directory", "rm -rf .git/objects/00; ln -s ../../../out .git/objects/00", ".git/objects/00: link = OUT"},
		{"a link inside", "mv .git/logs .git/l; ln -s l .git/logs", ".git/logs: link = PROJECT/.git/l"},
		{"an old HEAD", "rm .git/HEAD; ln -s refs/heads/main .git/HEAD", ""},
		{"a link to a file inside that does not exist", "ln -s none .git/ORIG_HEAD", ".git/ORIG_HEAD: link = PROJECT/.git/none"},
		{"a message to the file of settings", "rm -f .git/COMMIT_EDITMSG; ln -s config .git/COMMIT_EDITMSG", ".git/COMMIT_EDITMSG: link = PROJECT/.git/config"},
		{"a message to a missing file of settings", "rm -f .git/COMMIT_EDITMSG; ln -s commondir .git/COMMIT_EDITMSG", ".git/COMMIT_EDITMSG: link = PROJECT/.git/commondir"},
		{"the log of a branch", "mkdir -p .git/logs/refs/heads; rm -f .git/logs/refs/heads/main; ln -s ../../../info/attributes .git/logs/refs/heads/main", ".git/logs/refs/heads/main: link = PROJECT/.git/info/attributes"},
		{"links of git-annex", "mkdir -p .git/annex/a; ln -s a .git/annex/l; ln -s ../annex .git/annex/m", ""},
		{"git-annex in a linked working tree", "rm -rf .git a.txt .gitignore; git -C ../other worktree add -q --force ../project x; mkdir ../other/.git/annex; ln -s ../../annex ../other/.git/worktrees/project/annex", ""},
		{"a message in a linked working tree", "rm -rf .git a.txt .gitignore; git -C ../other worktree add -q --force ../project x; ln -s commondir ../other/.git/worktrees/project/COMMIT_EDITMSG", "/COMMIT_EDITMSG: link = OTHER/.git/worktrees/project/commondir"},
		{"a common directory inside", "mkdir .git/c; cp -r .git/HEAD .git/refs .git/config .git/objects .git/c; echo c > .git/commondir", ".git/commondir: commondir = PROJECT/.git/c"},
		{"a link to a hook", "mkdir -p .git/hooks; ln -s ../../../out/h .git/hooks/x", ""},
		{"another repository", "rm -rf .git; echo 'gitdir: ../other/.git' > .git", ".git: gitdir = OTHER/.git"},
		{"a link to another repository", "rm -rf .git; ln -s ../other/.git .git", ".git: gitdir = OTHER/.git"},
		{"the repository beside it", "mv .git ../out/g; echo 'gitdir: ../out/g' > .git", ".git: gitdir = OUT/g"},
		{"the repository in it", "mv .git g; echo 'gitdir: g' > .git", ""},
		{"a common directory elsewhere", "echo ../../other/.git > .git/commondir", ".git/commondir: commondir = OTHER/.git"},
		{"the repository's own commondir", "echo . > .git/commondir", ""},
		{"another's working tree", "git -C ../other worktree add -q ../linked; rm -rf .git; cp ../linked/.git .git", ".git: gitdir = OTHER/.git/worktrees/linked"},
		{"a linked working tree", "rm -rf .git a.txt .gitignore; git -C ../other worktree add -q --force ../project x", ""},
		{"a link to a link", "mkdir -p .git/modules/m; ln -s ../../../../rc .git/modules/m/HEAD; rm -r .git/logs; ln -s modules/m .git/logs", ".git/modules/m/HEAD: link = OUT/../rc"},
		{"a link in a directory of objects", "mkdir -p .git/objects/ab; ln -s ../../../../rc .git/objects/ab/main; rm -r .git/logs/refs/heads; ln -s ../../objects/ab .git/logs/refs/heads", ".git/objects/ab/main: link = OUT/../rc"},
		{"a link to the hooks", "mkdir -p .git/hooks/l; rm -r .git/logs; ln -s hooks/l .git/logs", ".git/logs: link = PROJECT/.git/hooks/l"},
		{"a repository in a directory of submodules", "mv .git g; mkdir -p g/modules/e; cp g/HEAD g/index g/modules/e; echo ../.. > g/modules/e/commondir; ln -s ../../../../rc g/modules/e/COMMIT_EDITMSG; echo 'gitdir: g/modules/e' > .git", "g/modules/e/COMMIT_EDITMSG: link = OUT/../rc"},
		{"a path through a link", "mv .git b; mkdir -p a/c; mv b a/b; ln -s a/c l; echo 'gitdir: l/../b' > .git; ln -s ../../../rc a/b/ORIG_HEAD", "a/b/ORIG_HEAD: link = OUT/../rc"},
		{"a link through a path that is too long", tooLong + "mkdir .git/zzz; ln -s ../../docs/../.git/zzz .git/logs/x", ".git/logs/x: link = PROJECT/.git/logs/../../docs/../.git/zzz"},
		{"a link to itself", "ln -s x .git/x", ".git/x: link = PROJECT/.git/x"},
		{"objects of another repository", "echo $PWD/../other/.git/objects > .git/objects/info/alternates", ".git/objects/info/alternates: alternate = OTHER/.git/objects"},
		{"its own objects again", "echo ../objects > .git/objects/info/alternates", ""},
		{"a server in remotes", "git config remote.o.promisor true; mkdir -p .git/remotes; echo 'URL: x:y' > .git/remotes/o", ".git/remotes/o: remote = \"URL: x:y\\n\""},
		{"a server in branches", "git config extensions.partialClone o; git config core.repositoryFormatVersion 1; mkdir -p .git/branches; echo x:y > .git/branches/o", ".git/branches/o: remote = \"x:y\\n\""},
		{"a remote of a repository that is not partial", "mkdir -p .git/remotes; echo 'URL: x:y' > .git/remotes/o", ""},
		{"a submodule", "rm -rf .git; mkdir -p ../.git; mv ../other/.git ../.git/sub; echo 'gitdir: ../.git/sub' > .git; git --git-dir=../.git/sub config core.worktree ../../project", ""},
	}
	made := newRepo(t) // of which each case has two copies
	made.git("branch", "x")
	kind := func(i int) string {
		_, after, _ := strings.Cut(tests[i].want, ": ")
		return testkit.FirstWord(after)
	}
	for _, tt := range testkit.SampleOf(t, 4, 18, tests, kind) {
		t.Run(tt.name, func(t *testing.T) {
			base, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			p, other := &project{t, filepath.Join(base, "project")}, &project{t, filepath.Join(base, "other")}
			require.NoError(t, os.Mkdir(filepath.Join(base, "out"), 0o755))
			for _, at := range []*project{p, other} {
				require.NoError(t, os.Mkdir(at.dir, 0o755))
				require.NoError(t, os.CopyFS(at.dir, os.DirFS(made.dir)))
			}
			cmd := exec.Command("sh", "-ec", tt.make)
			cmd.Dir = p.dir
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			want := strings.NewReplacer("PROJECT", base+"/project", "OUT/../", base+"/", "OUT", base+"/out", "OTHER", base+"/other").Replace(tt.want)

			top, list, err := Risks(t.Context(), p.dir)
			require.NoError(t, err)
			assert.Equal(t, p.dir, top)
			add := func(r *Repo) error {
				_, err := r.OpenWorktree(t.Context(), filepath.Join(base, "w"), "w", plainly)
				return err
			}
			if want == "" {
				assert.Empty(t, list)
				require.NoError(t, add(&Repo{Top: p.dir}))
				return
			}
			require.NotEmpty(t, list)
			assert.True(t, slices.ContainsFunc(list, func(s string) bool { return strings.HasSuffix(s, want) || s == p.dir+"/"+want }), "%v", list)
			err = add(&Repo{Top: p.dir})
			conflict, is := errors.AsType[*Conflict](err)
			require.True(t, is, "%v", err)
			assert.True(t, slices.ContainsFunc(list, func(s string) bool { return strings.HasSuffix(conflict.Why, s) }), conflict.Why)
			if !strings.Contains(tt.name, "object") { // git makes no file there
				require.NoError(t, add(&Repo{Top: p.dir, Accepted: list}))
			}
		})
	}
}

// A repository with the files of another directory is refused before git changes any there.
func TestARepositoryWithFilesElsewhere(t *testing.T) {
	p := newRepo(t)
	p.git("config", "core.worktree", t.TempDir())
	_, _, err := Risks(t.Context(), p.dir)
	require.ErrorContains(t, err, "is a repository whose files are in")
}

// What git and ripple could read differently, and what ripple cannot examine, is refused.
func TestPlacesThatCannotBeExamined(t *testing.T) {
	for name, make := range map[string]string{
		"a NUL in the file .git":          `mv .git g; printf 'gitdir: g\0x\n' > .git`,
		"a NUL in commondir":              `printf '.\0x\n' > .git/commondir`,
		"two lines in commondir":          `printf '.\nx\n' > .git/commondir`,
		"a commondir with many lines":     `{ printf ../c; yes '' | head -c 1100000; } > .git/commondir`,
		"a quoted path of objects":        `echo '"/x/.git/objects"' > .git/objects/info/alternates`,
		"objects through a link":          `mkdir -p o/.git/objects; ln -s o/.git lnk; echo ../../lnk/../.git/objects > .git/objects/info/alternates`,
		"objects through an inner link":   `mkdir -p .git/a/b/c/d/e .git/a/o/.git/objects o/.git/objects; ln -s ../a/b/c/d/e .git/objects/l; echo l/../../../../o/.git/objects > .git/objects/info/alternates`,
		"objects through a link's loop":   `ln -s x x; echo ../../x > .git/objects/info/alternates`,
		"objects through a long path":     tooLong + `echo ../../docs/../.git/objects > .git/objects/info/alternates`,
		"a pipe through a link":           `mkdir -p d/e; mkfifo d/pipe; ln -s d/e l; git config core.excludesFile l/../pipe`,
		"a pipe in a file through a link": `mkdir -p d/e; mkfifo d/pipe; ln -s d/e l; printf '[core]\n\texcludesFile = %s/d/pipe\n' "$PWD" > d/c; git config include.path ../l/../c`,
		"a NUL in a path of objects":      `printf '../../../x\0/../../..\n' > .git/objects/info/alternates`,
		"a directory without a listing":   `chmod 0311 .git/logs`,
	} {
		t.Run(name, func(t *testing.T) {
			if strings.Contains(name, "listing") && os.Geteuid() == 0 {
				t.Skip("root reads every directory")
			}
			p := newRepo(t)
			cmd := exec.Command("sh", "-ec", make)
			cmd.Dir = p.dir
			require.NoError(t, cmd.Run())
			t.Cleanup(func() { _ = os.Chmod(filepath.Join(p.dir, ".git/logs"), 0o755) })
			_, _, err := Risks(t.Context(), p.dir)
			refused, is := errors.AsType[*projectfile.RefusedError](err)
			require.True(t, is, "%v", err)
			assert.Contains(t, refused.Path, p.dir)
		})
	}
}

// The index that is a link is not followed by what ripple itself writes beside it.
func TestNothingIsWrittenBesideALinkedIndex(t *testing.T) {
	for name, do := range map[string]func(r *Repo) error{
		"stage": func(r *Repo) error { return r.Stage(t.Context(), Change{There: []string{"a.txt"}}) },
		"ready": func(r *Repo) error { return r.Ready(t.Context()) },
		"sweep": func(r *Repo) error { return r.Sweep(t.Context()) },
		"commit": func(r *Repo) error {
			_, err := r.Commit(t.Context(), Change{There: []string{"a.txt"}}, "", "x", 0, nil)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, out := newRepo(t), t.TempDir()
			index := filepath.Join(p.dir, ".git", "index")
			require.NoError(t, os.Rename(index, filepath.Join(out, "index")))
			require.NoError(t, os.Symlink(filepath.Join(out, "index"), index))
			before, err := os.Stat(out)
			require.NoError(t, err)
			r, err := Open(t.Context(), p.dir)
			require.NoError(t, err)
			_, is := errors.AsType[*Conflict](do(r))
			assert.True(t, is)
			after, err := os.Stat(out)
			require.NoError(t, err)
			assert.Equal(t, before.ModTime(), after.ModTime())
		})
	}
}

// A repository that is no longer one is an error: the repository around it is not used in its place.
func TestTheRepositoryAroundIsNotUsed(t *testing.T) {
	for _, name := range []string{"inner", "a:b/inner"} {
		t.Run(name, func(t *testing.T) {
			p := newRepo(t)
			inner := &project{t, filepath.Join(p.dir, name)}
			require.NoError(t, os.MkdirAll(inner.dir, 0o755))
			inner.git("init", "-q", "-b", "main")
			inner.write("a.txt", "a\n")
			inner.git("-c", "user.name=t", "-c", "user.email=t@x.y", "commit", "-q", "--allow-empty", "-m", "first")
			tree, err := OpenTree(t.Context(), inner.dir, nothing)
			require.NoError(t, err)
			_, err = tree.Snapshot(t.Context())
			require.NoError(t, err)
			head := p.git("rev-parse", "HEAD")
			require.NoError(t, os.Rename(filepath.Join(inner.dir, ".git", "HEAD"), filepath.Join(inner.dir, ".git", "OLD")))
			_, err = tree.Snapshot(t.Context())
			require.ErrorContains(t, err, "not a git repository")
			_, err = tree.Repo.Commit(t.Context(), Change{There: []string{"a.txt"}}, "", "x", 0, nil)
			require.ErrorContains(t, err, "not a git repository")
			assert.Equal(t, head, p.git("rev-parse", "HEAD"))
		})
	}
}

// Output with names of files is not given while git would read objects of another repository.
func TestNamesOfAnotherRepositoryAreNotShown(t *testing.T) {
	p, other := newRepo(t), newRepo(t)
	other.write("secret-name", "x")
	other.commit("secret")
	hidden := other.git("rev-parse", "HEAD")
	tree, err := OpenTree(t.Context(), p.dir, nothing)
	require.NoError(t, err)
	first := p.git("rev-parse", "HEAD")
	p.write(".git/objects/info/alternates", filepath.Join(other.dir, ".git", "objects")+"\n")
	p.write(".git/refs/heads/main", hidden+"\n")
	looks := map[string]func() error{
		"status":    func() error { _, err := tree.Snapshot(t.Context()); return err },
		"ls-tree":   func() error { _, err := tree.Repo.between(t.Context(), "", hidden); return err },
		"diff":      func() error { _, err := tree.Repo.between(t.Context(), first, hidden); return err },
		"Since":     func() error { _, err := tree.Repo.Since(t.Context(), first, hidden); return err },
		"Since all": func() error { _, err := tree.Repo.Since(t.Context(), "", hidden); return err },
	}
	for name, look := range looks {
		_, is := errors.AsType[*Conflict](look())
		assert.True(t, is, name)
	}
	_, list, err := Risks(t.Context(), p.dir)
	require.NoError(t, err)
	tree.Repo.Accepted = list
	for name, look := range looks {
		require.NoError(t, look(), name)
	}
}

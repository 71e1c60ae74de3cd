package loop

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/box"
	"example.org/ripple/runtime/loop/journal"
)

// inBox runs a loop with a box. Its agent is a function of the test and therefore outside.
func (r *rig) inBox(resume bool) Stop {
	r.t.Helper()
	return r.boxed(r.options(resume))
}

// boxed is inBox with options and additional writable directories.
func (r *rig) boxed(o Options, write ...string) Stop {
	r.t.Helper()
	home := r.t.TempDir()
	top, _ := box.Tree(r.dir, home)
	b, err := box.Open(box.Options{Policy: box.Policy{Dir: top, Home: home, Write: write}, Inside: []string{"box-inside"}, Enter: []string{"box-enter"}})
	if missing, is := errors.AsType[*box.Missing](err); is {
		r.t.Skip(missing)
	}
	require.NoError(r.t, err)
	r.t.Cleanup(b.Close)
	o.Box = b
	return r.runWith(o)
}

// A task in a directory that the box can write remains there: a link that the agent puts in its place, or in that of its directory,
// does not give the next turn a file that the box hides.
func TestATaskInAWritableDirectoryFollowsNoLink(t *testing.T) {
	for _, of := range []string{"file", "directory"} {
		t.Run(of, func(t *testing.T) {
			notes, hidden := t.TempDir(), t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(hidden, "task.md"), []byte("SECRET"), 0o600))
			require.NoError(t, os.Mkdir(filepath.Join(notes, "sub"), 0o700))
			task := filepath.Join(notes, "sub", "task.md")
			require.NoError(t, os.WriteFile(task, []byte("Do the work."), 0o600))
			r := gitRig(t)
			r.fake.script = script(func(d *doing) {
				path, target := task, filepath.Join(hidden, "task.md")
				if of == "directory" {
					path, target = filepath.Dir(task), hidden
				}
				if err := errors.Join(os.RemoveAll(path), os.Symlink(target, path)); err != nil {
					panic(err)
				}
				d.work()
				d.says("on it")
			})
			r.flags["max-turns"] = "3"
			o := r.options(false)
			o.PromptFile = task
			stop := r.boxed(o, notes)
			assert.Equal(t, ReasonPromptMissing, stop.Reason, stop.Message)
			require.Len(t, r.fake.requests, 1)
			assert.NotContains(t, stop.Message, "SECRET")
			t.Log(stop.Message)
		})
	}
}

// A filter of the user that an agent puts into a directory of PATH runs in the box.
func TestFiltersOfABoxedLoop(t *testing.T) {
	r := gitRig(t)
	r.fake.script = script(func(d *doing) {
		d.writes("bin/clean", "#!/bin/sh\necho \"${RIPPLE_IN_BOX-outside}\" >>'"+d.dir+"/.git/ran'\ncat\n")
		if err := os.Chmod(filepath.Join(d.dir, "bin", "clean"), 0o755); err != nil {
			panic(err)
		}
		d.writes(".gitattributes", "* filter=x\n")
		d.writes("a.txt", "b\n")
	})
	// Not in a file: those of the working tree are not the user's, and no box shows some directories for temporary files.
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "filter.x.clean")
	t.Setenv("GIT_CONFIG_VALUE_0", "clean")
	t.Setenv("PATH", filepath.Join(r.dir, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	r.flags["max-turns"], r.flags["commit"] = "1", "true"
	r.inBox(false)
	assert.NotEqual(t, "first", r.git("log", "-1", "--format=%s"))
	ran := strings.Fields(r.read(".git/ran"))
	slices.Sort(ran)
	assert.Equal(t, []string{"1"}, slices.Compact(ran))
}

// The changes of a turn are listed for review if it is interrupted, and if ripple is killed in it.
func TestReviewOfACutTurn(t *testing.T) {
	for _, how := range []string{"interrupted", "killed"} {
		t.Run(how, func(t *testing.T) {
			r := gitRig(t)
			r.write("s/package.json", "{}\n")
			r.commit("more")
			r.fake.script = script(func(d *doing) {
				d.writes("package.json", "evil\n")
				d.writes("s/package.json", "evil\n")
				r.git("update-index", "--assume-unchanged", "s/package.json")
				d.writes(".git/info/exclude", ".ralph\n.envrc\n")
				d.writes(".envrc", "evil\n")
				d.says("working")
				<-d.ctx.Done()
			}, works)
			r.onNotice = func(l *Loop, n Notice) {
				if n.Kind == NoticeEvent && len(r.fake.requests) == 1 {
					l.Interrupt()
					l.Interrupt()
				}
			}
			stop := r.inBox(false)
			require.Equal(t, ReasonInterrupted, stop.Reason, stop.Message)
			want := []string{".envrc", "package.json", "s/package.json"}
			if how == "interrupted" {
				assert.Equal(t, want, r.journal().Review)
				return
			}
			r.forgetCut()
			require.Empty(t, r.journal().Review)
			r.flags["max-turns"] = "1"
			r.inBox(true)
			assert.Equal(t, want, r.journal().Review)
		})
	}
}

// journal returns the end of the record.
func (r *rig) journal() journal.Run {
	r.t.Helper()
	end, err := journal.ReadRun(r.dir)
	require.NoError(r.t, err)
	return end
}

// If the repositories in the working tree cannot be listed, a note says so.
func TestRepositoriesThatCannotBeListed(t *testing.T) {
	r := gitRig(t)
	r.fake.script = script(func(d *doing) {
		r.git("init", "-q", "inner")
		r.git("-C", "inner", "-c", "user.name=t", "-c", "user.email=t@x.y", "commit", "-q", "--allow-empty", "-m", "x")
		r.git("add", "inner")
		r.write("inner/.git/HEAD", "broken\n")
		d.says("working")
	})
	r.flags["max-turns"] = "1"
	r.inBox(false)
	assert.True(t, slices.ContainsFunc(r.notices, func(n Notice) bool {
		return strings.HasPrefix(n.Text, "the repositories in the working tree could not be listed") && strings.Contains(n.Text, "inner")
	}), "%v", r.notices)
}

// A long list of files to review has repositories first, and says how many others there are.
func TestManyFilesToReview(t *testing.T) {
	r := gitRig(t)
	many := func(d *doing) {
		for i := range maxConfined + 20 {
			d.writes(fmt.Sprintf("a%03d/.envrc", i), fmt.Sprint(d.n))
		}
		r.git("init", "-q", "z")
		r.git("-C", "z", "-c", "user.name=t", "-c", "user.email=t@x.y", "commit", "-q", "--allow-empty", "-m", "x")
		d.says("working")
	}
	r.fake.script = script(many, many)
	r.flags["max-turns"] = "2"
	r.inBox(false)
	end := r.journal()
	assert.Len(t, end.Review, maxConfined)
	assert.Equal(t, "z/.git", end.Review[maxConfined-1])
	assert.Equal(t, 21, end.ReviewMore)
	assert.Equal(t, 21, end.Work.ReviewMore)
}

// A changed file is listed for review if the index has its old content with its new size and time.
func TestReviewOfAFileThatTheIndexHides(t *testing.T) {
	r := gitRig(t)
	r.write("s/package.json", "{}\n")
	r.commit("more")
	r.fake.script = script(func(d *doing) {
		d.writes("s/package.json", "evil\n")
		before := time.Now().Add(-time.Hour) // otherwise git does not trust the time
		require.NoError(t, os.Chtimes(filepath.Join(d.dir, "s", "package.json"), before, before))
		d.writes(".git/info/attributes", "package.json filter=x\n")
		r.git("-c", "filter.x.clean=git cat-file blob HEAD:s/package.json", "add", "s/package.json")
		require.NoError(t, os.Remove(filepath.Join(d.dir, ".git", "info", "attributes")))
		assert.Empty(t, r.git("status", "--porcelain"), "the attack does not work at all")
		d.says("working")
	})
	r.flags["max-turns"] = "1"
	r.inBox(false)
	assert.Equal(t, []string{"s/package.json"}, r.journal().Review)
}

// Changes in a submodule are listed for review although .gitmodules or the index of the submodule hides them.
func TestReviewOfASubmodule(t *testing.T) {
	for name, hide := range map[string]string{"ignored": "", "hidden": "--skip-worktree"} {
		t.Run(name, func(t *testing.T) {
			r := gitRig(t)
			lib := t.TempDir()
			r.git("init", "-q", lib)
			require.NoError(t, os.WriteFile(filepath.Join(lib, "package.json"), []byte("{}\n"), 0o644))
			r.git("-C", lib, "add", ".")
			r.git("-C", lib, "-c", "user.name=t", "-c", "user.email=t@x.y", "commit", "-qm", "lib")
			r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib, "s")
			r.git("config", "--file", ".gitmodules", "submodule.s.ignore", "dirty")
			r.commit("more")
			r.fake.script = script(func(d *doing) {
				d.writes("s/package.json", "evil\n")
				if hide != "" {
					r.git("-C", "s", "update-index", hide, "package.json")
				} else {
					d.writes("s/.envrc", "evil\n")
				}
				assert.Empty(t, r.git("status", "--porcelain"), "the attack does not work at all")
				d.says("working")
			})
			r.flags["max-turns"] = "1"
			r.inBox(false)
			want := []string{"s/package.json"}
			if hide == "" {
				want = []string{"s/.envrc", "s/package.json"}
			}
			assert.Equal(t, want, r.journal().Review)
		})
	}
}

// Files of hooks are listed for review, wherever they are in the working tree.
func TestReviewOfHooks(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no boxes there")
	}
	for name, test := range map[string]struct {
		setUp string
		want  []string
	}{
		"setting":             {"git config core.hooksPath scripts/hooks", []string{"scripts/hooks/more/new", "scripts/hooks/pre-commit"}},
		"absolute":            {"git config core.hooksPath $PWD/scripts/hooks", []string{"scripts/hooks/more/new", "scripts/hooks/pre-commit"}},
		"ignored":             {"git config core.hooksPath scripts/hooks; echo /scripts >.gitignore", []string{"scripts/hooks/more/new", "scripts/hooks/pre-commit"}},
		"link to a hook":      {"rm -rf .git/hooks; mkdir .git/hooks; ln -s ../../scripts/hooks/pre-commit .git/hooks/pre-commit", []string{"scripts/hooks/pre-commit"}},
		"other files of them": {"rm -rf .git/hooks", nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := gitRig(t)
			out, err := exec.Command("sh", "-ec", "cd '"+r.dir+"'; mkdir -p scripts/hooks; echo >scripts/hooks/pre-commit; "+test.setUp).CombinedOutput()
			require.NoError(t, err, string(out))
			r.commit("more")
			r.fake.script = script(func(d *doing) {
				d.writes("scripts/hooks/pre-commit", "evil\n")
				d.writes("scripts/hooks/more/new", "evil\n")
				d.says("working")
			})
			r.flags["max-turns"] = "1"
			r.inBox(false)
			assert.ElementsMatch(t, test.want, r.journal().Review)
		})
	}
}

// What an agent leaves in .git for git to continue is listed for review: the commands of a rebase, and what a commit obeys.
func TestReviewOfWhatGitKeeps(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no boxes there")
	}
	r := gitRig(t)
	r.fake.script = script(func(d *doing) {
		d.writes(".git/rebase-merge/git-rebase-todo", "exec touch x\n")
		d.writes(".git/MERGE_AUTOSTASH", "0123\n")
		d.says("working")
	})
	r.flags["max-turns"] = "1"
	r.inBox(false)
	assert.Equal(t, []string{".git/MERGE_AUTOSTASH", ".git/rebase-merge"}, r.journal().Review)
}

// Files to review above the project are named relative to it.
func TestReviewAboveTheProject(t *testing.T) {
	r := gitRig(t)
	top := r.dir
	r.dir = filepath.Join(top, "sub")
	r.write(".ralph/PROMPT.md", "Do the work.\n")
	r.fake.script = script(func(d *doing) {
		d.dir = top
		d.writes("package.json", "{}\n")
		d.writes("sub/package.json", "{}\n")
		require.NoError(t, os.Mkdir(filepath.Join(top, "objects"), 0o755))
		require.NoError(t, os.Rename(filepath.Join(top, ".git", "HEAD"), filepath.Join(top, ".git", "OLD")))
		d.says("working")
	})
	r.flags["max-turns"] = "1"
	r.inBox(false)
	list := r.journal().Review
	assert.Contains(t, list, "../.git/HEAD")
	assert.Contains(t, list, "../objects")
}

package git

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What git keeps in its directory to continue or to obey it needs approval, and so does what ripple does not know of git's namespace:
// each row is a line of sh in a working tree with the branches main and o, which conflict.
func TestWhatGitKeepsNeedsApproval(t *testing.T) {
	tests := []struct{ name, make, want string }{
		{"a plain repository", ":", ""},
		{"messages and names of commits", "for f in ORIG_HEAD FETCH_HEAD MERGE_MSG SQUASH_MSG TAG_EDITMSG COMMIT_EDITMSG MERGE_MODE AUTO_MERGE PULLREQ_EDITMSG; do touch .git/$f; done", ""},
		{"other programs", "for d in lfs hub annex branchless rr-cache svn fsmonitor--daemon jj; do mkdir .git/$d; done; touch .git/gc.pid .git/gitk.cache", ""},
		{"a merge that has ended, with rerere", "git config rerere.enabled true; git merge -q o || true; git merge --abort; touch .git/MERGE_RR", ""},
		{"a merge", "git merge -q o || true", "MERGE_HEAD: state = a merge is unfinished"},
		{"a merge with rerere", "git config rerere.enabled true; git merge -q o || true", "MERGE_RR: state = at a commit, git reads and may rewrite these files: "},
		{"a cherry-pick", "git cherry-pick o || true", "CHERRY_PICK_HEAD: state = a cherry-pick is unfinished"},
		{"a series", "mkdir .git/sequencer; touch .git/sequencer/todo", "sequencer: state = a series for git cherry-pick is unfinished"},
		{"a revert", "touch .git/REVERT_HEAD", "REVERT_HEAD: state = a revert is unfinished"},
		{"a rebase", "git rebase -q o || true", "rebase-merge: state = a rebase is unfinished"},
		{"a rebase with commands", "git rebase -q o || true; printf 'pick 1\\nexec touch x\\nx  make y\\n' > .git/rebase-merge/git-rebase-todo", "rebase-merge: state = a rebase is unfinished, and runs when it is continued: touch x; make y"},
		{"a rebase with a strategy", "git rebase -q o || true; echo x/../evil > .git/rebase-merge/strategy", "rebase-merge: state = a rebase is unfinished, with strategy x/../evil"},
		{"a rebase with many commands", "git rebase -q o || true; yes exec touch x | head -1000 > .git/rebase-merge/git-rebase-todo", "rebase-merge: state = a rebase is unfinished, and runs when it is continued: " + strings.Repeat("touch x; ", 44) + "touc… (SHA-256 "},
		{"a series with a strategy", "mkdir .git/sequencer; printf '[options]\\n\\tstrategy = x\\n' > .git/sequencer/opts", `sequencer: state = a series for git cherry-pick is unfinished, with opts [options]\n\tstrategy = x`},
		{"patches", "mkdir .git/rebase-apply; touch .git/rebase-apply/applying", "rebase-apply: state = a series of patches for git am is unfinished"},
		{"a bisect", "git bisect start; git bisect bad", "BISECT_*: state = a search with git bisect is unfinished"},
		{"a merge of notes", "touch .git/NOTES_MERGE_REF", "NOTES_MERGE_*: state = a merge of notes is unfinished"},
		{"changes for after a commit", "git rev-parse HEAD > .git/MERGE_AUTOSTASH", "MERGE_AUTOSTASH: state = after a commit, git applies these changes to the working tree: COMMIT"},
		{"files of rerere", "mkdir .git/rr-cache; printf '0123\\t../x\\0' > .git/MERGE_RR", `MERGE_RR: state = at a commit, git reads and may rewrite these files: 0123\t../x\x00`},
		{"a file of a newer git", "echo a > .git/COMMIT_AUTORUN", "COMMIT_AUTORUN: state = unknown to ripple: a"},
		{"a directory of a newer git", "mkdir .git/NEW", "NEW: state = unknown to ripple: not a regular file"},
		{"a link", "ln -s ../a.txt .git/NEW", "NEW: state = unknown to ripple: not a regular file"},
	}
	made := newRepo(t)
	made.git("checkout", "-q", "-b", "o")
	made.write("a.txt", "o\n")
	made.commit("o")
	made.git("checkout", "-q", "main")
	made.write("a.txt", "main\n")
	made.commit("main")
	made.write("b.txt", "b\n")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := made.copy(t)
			head := p.git("rev-parse", "HEAD")
			cmd := exec.Command("sh", "-ec", tt.make)
			cmd.Dir = p.dir
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			want := strings.ReplaceAll(tt.want, "COMMIT", head)
			if strings.HasPrefix(tt.want, "COMMIT_") {
				want = tt.want
			}
			_, list, err := Risks(t.Context(), p.dir)
			require.NoError(t, err)
			commit := func(r *Repo) error {
				head, err := r.Head(t.Context())
				require.NoError(t, err)
				_, err = r.Commit(t.Context(), Change{There: []string{"b.txt"}}, head, "x", 0, nil)
				return err
			}
			if want == "" {
				assert.Empty(t, list)
				require.NoError(t, commit(&Repo{Top: p.dir}))
				return
			}
			want = filepath.Join(p.dir, ".git") + "/" + want
			unquoted := slices.Clone(list)
			for i := range unquoted {
				unquoted[i] = strings.ReplaceAll(unquoted[i], `"`, "")
			}
			assert.True(t, slices.ContainsFunc(unquoted, func(s string) bool { return strings.HasPrefix(s, want) }), "%v", list)
			for _, do := range []func(*Repo) error{commit, func(r *Repo) error { return r.Ready(t.Context()) }} {
				_, is := errors.AsType[*Conflict](do(&Repo{Top: p.dir}))
				assert.True(t, is)
			}
			tree, err := OpenTree(t.Context(), p.dir, nothing)
			require.NoError(t, err)
			if tt.name != "a link" {
				_, err = tree.Snapshot(t.Context())
				require.NoError(t, err, "git status obeys none of them")
			}
			err = commit(&Repo{Top: p.dir, Accepted: list})
			if what, _, _ := tree.Repo.Unfinished(t.Context()); what == "" {
				require.NoError(t, err)
				return
			}
			_, is := errors.AsType[*Conflict](err)
			assert.True(t, is, "a commit would become part of it")
		})
	}
}

// Where the file system disregards case, as usual on macOS, git finds its files by other names.
func TestStatesByOtherNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"merge_autostash", "Merge_Rr", "merge_head", "Rebase-Merge", "bisect_log", "head", "config", "merge_msg"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	finds := func(name string) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.EqualFold(e.Name(), name) })
	}
	assert.ElementsMatch(t, []string{"MERGE_AUTOSTASH", "MERGE_RR", "MERGE_HEAD", "rebase-merge", "BISECT_LOG"}, namesOfStates(entries, finds))
}

// A commit neither copies a file that MERGE_RR names, nor changes the working tree as MERGE_AUTOSTASH says; and a rebase does not.
func TestNothingIsDoneThatGitKeeps(t *testing.T) {
	for name, do := range map[string]func(t *testing.T, p *project) error{
		"commit": func(t *testing.T, p *project) error {
			p.write("b.txt", "b\n")
			_, err := (&Repo{Top: p.dir}).Commit(t.Context(), Change{There: []string{"b.txt"}}, p.git("rev-parse", "HEAD"), "x", 0, nil)
			return err
		},
		"rebase": func(t *testing.T, p *project) error {
			return update(t, &Worktree{&Repo{Top: p.dir}, "o", "main"}, true)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newRepo(t)
			p.git("checkout", "-q", "-b", "o")
			p.write("c.txt", "c\n")
			p.commit("c")
			p.git("checkout", "-q", "main")
			p.write("d.txt", "d\n")
			p.commit("d")
			p.git("checkout", "-q", "o")
			p.write("a.txt", "brought\n")
			stash := p.git("stash", "create")
			p.git("checkout", "-q", "a.txt")
			before := p.read("a.txt")
			p.write(".git/MERGE_AUTOSTASH", stash+"\n")
			_, is := errors.AsType[*Conflict](do(t, p))
			assert.True(t, is)
			assert.Equal(t, before, p.read("a.txt"))
			require.NoError(t, os.Remove(filepath.Join(p.dir, ".git", "MERGE_AUTOSTASH")))
			require.NoError(t, do(t, p.copy(t)))
		})
	}
}

// The advice about a rebase that nobody has approved does not lead a user to run its commands unseen.
func TestAdviceOnARebaseNamesItsCommands(t *testing.T) {
	p := newRepo(t)
	p.write(".git/rebase-merge/git-rebase-todo", "exec touch x\n")
	err := (&Repo{Top: p.dir}).Ready(t.Context())
	conflict, is := errors.AsType[*Conflict](err)
	require.True(t, is)
	assert.Equal(t, "end it with `git rebase --abort`, or with `git rebase --continue` if you know what that does: a rebase is unfinished, and runs when it is continued: touch x", conflict.Next)
	_, list, err := Risks(t.Context(), p.dir)
	require.NoError(t, err)
	conflict, is = errors.AsType[*Conflict]((&Repo{Top: p.dir, Accepted: list}).Ready(t.Context()))
	require.True(t, is)
	assert.Equal(t, "end it with `git rebase --continue` or `git rebase --abort`", conflict.Next)
}

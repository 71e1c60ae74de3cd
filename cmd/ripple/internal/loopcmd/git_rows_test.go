package loopcmd

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/record"
)

// Of a run that runs, or was killed, the state after its last turn is shown; nothing is suggested.
func TestRowsWithoutASummary(t *testing.T) {
	name := func(s string) *string { return &s }
	tests := []struct {
		name, branch string
		c            record.Checkouts
		want         []string
	}{
		{"nothing is known", "agent/w", record.Checkouts{}, nil},
		{"on its branch", "agent/w", record.Checkouts{First: name("agent/w"), Last: name("agent/w")}, nil},
		{"on another branch", "agent/w", record.Checkouts{First: name("agent/w"), Last: name("own")}, []string{"moved: agent/w was left: own is checked out"}},
		{"on no branch", "agent/w", record.Checkouts{First: name("agent/w"), Last: name("")}, []string{"moved: agent/w was left: HEAD is detached"}},
		{"in the project", "", record.Checkouts{First: name("main"), Last: name("own")}, []string{"moved: main was left: own is checked out"}},
		{"how it began is unknown", "", record.Checkouts{Last: name("main")}, nil},
		{"how it began is unknown, on no branch now", "", record.Checkouts{Last: name("")}, nil},
		{"it began on no branch, as it is", "", record.Checkouts{First: name(""), Last: name("")}, nil},
		{"it began on no branch", "", record.Checkouts{First: name(""), Last: name("own")}, []string{"moved: a detached HEAD was left: own is checked out"}},
		{"without git", "", record.Checkouts{First: name("")}, nil},
		{"a commit on no branch", "", record.Checkouts{Unkept: []string{strings.Repeat("0123456789", 4)}}, []string{"left: commit 0123456789 was on no branch when its turn ended"}},
		{
			"the user's own checkout", "agent/w",
			record.Checkouts{Project: &record.Checkout{Branch: "main"}, Files: []string{"a", "b"}},
			[]string{"yours: your own checkout changed during turns; before, it had branch main; changed: a, b"},
		},
	}
	for _, tt := range tests {
		var rows []string
		for _, r := range checkoutsRows(tt.branch, tt.c) {
			rows = append(rows, r.label+": "+r.text)
		}
		assert.Equal(t, tt.want, rows, tt.name)
	}
}

// A branch that is merged has nothing to merge, although a turn left a commit on no branch; while another branch has commits of the
// run, only those are to merge.
func TestRowsOfAMergedBranch(t *testing.T) {
	commit := strings.Repeat("0123456789", 4)
	const merged, kept = "commits: none to merge: main has all commits of agent/w", "to keep: git branch agent/w-2 "
	for _, tt := range []struct {
		name string
		s    loop.Summary
		want []string // the first rows
	}{
		{"merged", loop.Summary{Merged: true}, []string{merged, "to remove: git worktree remove D"}},
		{"a turn left a commit", loop.Summary{Merged: true, Unkept: []record.Unkept{{Commit: commit, Name: "agent/w-2"}}}, []string{merged, "left: commit 0123456789 is on no branch", kept + commit}},
		{"not merged, a turn left a commit", loop.Summary{Unkept: []record.Unkept{{Commit: commit, Name: "agent/w-2"}}}, []string{"left: commit 0123456789 is on no branch", kept + commit}},
		{"main has copies", loop.Summary{Copied: 2}, []string{"commits: none to merge: main has copies of all commits of agent/w", "to remove: git worktree remove D"}},
		{"main has copies of some", loop.Summary{Copied: 2, Commits: 1, Files: 3, Added: 3}, []string{"commits: 1, and 2 of which main has copies; together: 3 files changed, 3 lines added, 0 removed", "to look: git diff main...agent/w", "to merge: git merge agent/w", "to remove: git worktree remove D", ": git branch -d agent/w"}},
		{"main has copies, and there are uncommitted files", loop.Summary{Copied: 2, Dirty: 1}, []string{"commits: none to merge: main has copies of all commits of agent/w", "dirty: 1 file not in a commit, and so not in a merge", "to keep: git -C D add -A && git -C D commit", "to look: git diff main...agent/w", "to merge: git merge agent/w", "to remove: git worktree remove D", ": git branch -d agent/w"}},
		{"an orphan branch has commits", loop.Summary{Others: []record.Other{{Branch: "own", Commits: 1}}, Unrelated: []string{"own"}}, []string{"branch: own has 1 commit of this run", "to look: git diff main own", "to merge: git merge --allow-unrelated-histories own"}},
		{"its log is missing", loop.Summary{Merged: true, Unlogged: true}, []string{merged, "log: git's log of HEAD in D is missing or was changed: there may be commits on no branch that ripple does not know"}},
		{"another branch has commits", loop.Summary{Merged: true, Others: []record.Other{{Branch: "own", Commits: 1}}}, []string{"branch: own has 1 commit of this run", "to look: git diff main...own", "to merge: git merge own"}},
	} {
		s := tt.s
		s.Git, s.Branch, s.Main, s.Dir = true, "agent/w", "main", "D"
		var rows []string
		for _, r := range gitRows(&s) {
			rows = append(rows, r.label+": "+r.text)
		}
		assert.Equal(t, tt.want, rows[:min(len(rows), len(tt.want))], tt.name)
		if tt.s.Unlogged || tt.s.Copied > 0 && tt.s.Commits+tt.s.Dirty == 0 {
			assert.Len(t, rows, len(tt.want), "git refuses to delete the branch")
		}
	}
}

// The agent's entries of the stash are on no branch.
func TestRowsOfAStash(t *testing.T) {
	for _, branch := range []string{"", "agent/w"} {
		rows := gitRows(&loop.Summary{Git: true, Branch: branch, Main: "main", Dir: "D", Stashed: []string{"b", "a"}})
		assert.Equal(t, []row{
			{"stashed", "stash@{0} was made during the run, and is on no branch"},
			{"to look", "git stash show -p 'stash@{0}'"},
			{"stashed", "stash@{1} was made during the run, and is on no branch"},
			{"to look", "git stash show -p 'stash@{1}'"},
		}, rows[1:5])
	}
}

// While a merge is open, git refuses commands that check out branches, and a commit of all files may have the marks of conflicts.
func TestRowsOfAnOpenMerge(t *testing.T) {
	s := loop.Summary{Git: true, Commits: 1, Files: 1, Added: 1, Dirty: 1, Open: "git merge"}
	const changed = "1: 1 file changed, 1 line added, 0 removed"
	assert.Equal(t, []row{
		{"commits", changed},
		{"dirty", "1 file not in a commit"},
		{"open", "git merge is unfinished: first end it with `git merge --continue` or discard it with `git merge --abort`"},
	}, gitRows(&s))
	s.Branch, s.Main, s.Dir = "agent/w", "main", "D"
	assert.Equal(t, []row{
		{"commits", changed},
		{"dirty", "1 file not in a commit, and so not in a merge"},
		{"open", "git merge is unfinished in D: first end it with `git -C D merge --continue` or discard it with `git -C D merge --abort`"},
		{"to look", "git diff main...agent/w"},
		{"to merge", "git merge agent/w"},
	}, gitRows(&s))
}

// In the user's own checkout, too, a branch without a commit in common needs another command.
func TestRowsOfAnOrphanBranch(t *testing.T) {
	last := func(s loop.Summary) row {
		s.Git, s.Unrelated = true, []string{"own"}
		rows := gitRows(&s)
		return rows[len(rows)-1]
	}
	m := record.Moved{From: record.Checkout{Branch: "main"}, To: record.Checkout{Branch: "own", Commit: "0123"}, Ahead: 1}
	assert.Equal(t, row{"to merge", "git switch main && git merge --allow-unrelated-histories own"}, last(loop.Summary{Moved: &m}))
	assert.Equal(t, row{"to merge", "git merge --allow-unrelated-histories own"}, last(loop.Summary{Others: []record.Other{{Branch: "own", Commits: 1}}}))
}

// A working tree is not to be removed while another one is in its directory.
func TestRowsOfANestedWorkingTree(t *testing.T) {
	s := loop.Summary{Git: true, Branch: "agent/w", Main: "main", Dir: "D"}
	s.Nested = []record.Nested{{Dir: "D/in", Checkout: record.Checkout{Branch: "own"}}, {Dir: "D/vendor", Submodule: true}, {Dir: "D/lib", Repository: true}}
	s.Ignored = []string{"deps", "x.db"}
	assert.Equal(t, []row{
		{"commits", "none"},
		{"nested", "D/in is another working tree, with branch own; git may remove it with D"},
		{"nested", "D/vendor is a submodule with files: git removes D only with --force, and commits with it that only this copy of the submodule has"},
		{"nested", "D/lib is a repository of its own: no commit of agent/w has its files or commits, and git may remove it with D"},
		{"ignored", "deps, x.db (ignored by git, and only in this worktree): in no commit, and git removes such files with D without a question"},
	}, gitRows(&s))

	s.Nested, s.Ignored, s.Uncompared = nil, nil, true
	rows := gitRows(&s)
	assert.Equal(t, row{"ignored", "D has many files that git ignores and that your checkout has with the same sizes: not all of their contents were compared, and git removes them with D without a question"}, rows[1])
	assert.Equal(t, row{"to remove", "git worktree remove D"}, rows[2])

	s.Unsearched = true
	assert.Equal(t, []row{
		{"commits", "none"},
		{"ignored", "D could not be searched to its end: it may have other repositories and files that git ignores, which git removes with it without a question"},
	}, gitRows(&s))
}

// A terminal gets words wrapped, and each command in one line, so that it can be copied.
func TestCommandsAreNotWrapped(t *testing.T) {
	var out bytes.Buffer
	a := &app{ui.NewApp(strings.NewReader(""), &out, &out, func(error) {})}
	a.ErrTerminal = true
	commit := strings.Repeat("0123456789", 4)
	name := strings.Repeat("a-long-name-", 10)
	a.summarise(&loop.Summary{
		Git: true, Branch: "agent/w", Dir: ".ralph/agent/w-worktree", Main: "main", Dirty: 1,
		Unkept:  []record.Unkept{{Commit: commit, Name: name}},
		Project: &record.Project{Files: []string{name, name, name}},
	})
	assert.Contains(t, out.String(), "  to keep    git branch "+name+" "+commit+"\n")
	assert.Contains(t, out.String(), "  to keep    git -C .ralph/agent/w-worktree add -A && git -C .ralph/agent/w-worktree commit\n")
	assert.NotContains(t, out.String(), name+", "+name)
}

package loop

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/loop/record"
)

// shells returns turns that each run a shell command in the agent's working tree.
func shells(t testing.TB, commands ...string) (turns []func(*doing)) {
	for _, command := range commands {
		turns = append(turns, func(d *doing) {
			(&project{t, d.dir}).sh(command)
			d.says("working")
		})
	}
	return turns
}

// Parts of commands for [shells], which start few processes: they are part of most turns.
const (
	// Two commits with the same contents, parent and time would be one.
	commits = "echo $$ $((n += 1)) >> work.txt; git add work.txt; git commit -qm work; "
	// The user's checkout, if the agent works in the working tree of side.
	users = `cd "${PWD%/.ralph/side-worktree}"; `
)

var commitNames = regexp.MustCompile(`[0-9a-f]{10}`)

const side = "side"

// Each turn is compared with the one before: which branch its tree has, which commits it left on
// no branch, and what became of the user's own checkout.
func TestTurnsNoteCheckouts(t *testing.T) {
	tests := []struct {
		name     string
		worktree string
		turns    []string
		notes    []string // that are about checkouts, without the names of commits
		lines    []string // the checkouts in the lines turn_ended
	}{
		{"the branch is kept", side, []string{commits, commits}, nil, []string{"", ""}},
		{
			"the branch is left and comes back", side,
			[]string{"git checkout -q -b own; " + commits, commits, "git checkout -q side"},
			[]string{"turn 1 left branch side: branch own is checked out now, and commits go there", "turn 3 left branch own: branch side is checked out now, and commits go there"},
			[]string{"branch own", "", "branch side"},
		},
		{
			"a commit without a branch", side,
			[]string{"git checkout -q --detach; " + commits, "git checkout -q side"},
			[]string{
				"turn 1 left branch side: commit N (detached HEAD) is checked out now, and commits go there",
				"turn 2 left commit N (detached HEAD): branch side is checked out now, and commits go there",
				"turn 2 left commit N, which is on no branch now",
			},
			[]string{"commit N (detached HEAD)", "branch side"},
		},
		{
			"within a turn", side,
			[]string{"git checkout -q --detach; " + commits + "git checkout -q side"},
			[]string{"turn 1 left commit N, which is on no branch now"},
			[]string{""},
		},
		{
			"the branch is left and deleted later", side,
			[]string{commits, "git checkout -q -b own main; " + commits, "git branch -q -D side", "true"},
			[]string{"turn 2 left branch side: branch own is checked out now, and commits go there", "commit N, which an earlier turn left, is on no branch after turn 3"},
			[]string{"", "branch own", "", ""},
		},
		{
			"the branch is left and reset later", side,
			[]string{commits, "git checkout -q -b own main; " + commits, "git branch -q -f side main"},
			[]string{"turn 2 left branch side: branch own is checked out now, and commits go there", "commit N, which an earlier turn left, is on no branch after turn 3"},
			[]string{"", "branch own", ""},
		},
		{
			"the branch is left, and amended after its return", side,
			[]string{commits, "git checkout -q -b own main", "git checkout -q side", "git commit -q --amend -m other"},
			[]string{"turn 2 left branch side: branch own is checked out now, and commits go there", "turn 3 left branch own: branch side is checked out now, and commits go there"},
			[]string{"", "branch own", "branch side", ""},
		},
		{
			"a tag that kept a commit is deleted", side,
			[]string{"git checkout -q --detach; " + commits + "git tag kept; git checkout -q side", "git tag -d kept"},
			[]string{"commit N, which an earlier turn left, is on no branch after turn 2"},
			[]string{"", ""},
		},
		{
			"a reset within a turn", side,
			[]string{commits + "git reset -q --hard HEAD~1"},
			[]string{"turn 1 left commit N, which is on no branch now"},
			[]string{""},
		},
		{
			"a reset within a turn, and the changes are committed again", side,
			[]string{commits + "git reset -q --soft HEAD~1; git commit -qm again"},
			nil,
			[]string{""},
		},
		{
			"a reset within a turn to a commit of another branch", side,
			[]string{"git checkout -q -b own; " + commits + "git reset -q --hard main; git checkout -q side"},
			[]string{"turn 1 left commit N, which is on no branch now"},
			[]string{""},
		},
		{
			"a rebase within a turn drops a commit", side,
			[]string{commits + "echo 2 > two; git add two; git commit -qm two; git rebase -q --onto HEAD~2 HEAD~1"},
			[]string{"turn 1 left commit N, which is on no branch now"},
			[]string{""},
		},
		{
			"update-ref within a turn", side,
			[]string{commits + "git update-ref refs/heads/side HEAD~1"},
			[]string{"turn 1 left commit N, which is on no branch now"},
			[]string{""},
		},
		{
			"symbolic-ref within a turn", side,
			[]string{"git checkout -q --detach; " + commits + commits + "git symbolic-ref HEAD refs/heads/side"},
			[]string{"turn 1 left commit N, which is on no branch now"},
			[]string{""},
		},
		{
			"amended within a turn", side,
			[]string{commits + "git commit -q --amend -m more; git checkout -q -b own; " + commits + "git commit -q --amend -m other; git checkout -q side"},
			nil,
			[]string{""},
		},
		{
			"rebased within a turn", side,
			[]string{commits + "git checkout -q -b own main; echo 2 > two; git add two; git commit -qm two; git checkout -q side; git rebase -q own"},
			nil,
			[]string{""},
		},
		{
			"the branch is reset", side, []string{commits, "git reset -q --hard HEAD~1"}, []string{"turn 2 left commit N, which is on no branch now"}, []string{"", ""},
		},
		{
			"the branch is reset and goes on", side,
			[]string{commits, commits, "git reset -q --hard HEAD~2; " + commits},
			[]string{"turn 3 left commit N, which is on no branch now"},
			[]string{"", "", ""},
		},
		{
			"the branch is reset, and another commit follows", side,
			[]string{commits, "git reset -q --hard main; echo b > b; git add b; git commit -qm b"},
			[]string{"turn 2 left commit N, which is on no branch now"},
			[]string{"", ""},
		},
		{
			"the commit is amended with other contents", side,
			[]string{"echo 1 > one; git add one; git commit -q --date=@1600000000 -m one", "echo 2 > one; git commit -q -a --amend -m two"},
			nil,
			[]string{"", ""},
		},
		{
			"the commit is replaced", side, []string{commits, "git commit -q --amend -m other"}, nil, []string{"", ""},
		},
		{
			"a tag keeps the commit", side, []string{"git checkout -q --detach; " + commits + "git tag kept; git checkout -q side"}, nil, []string{""},
		},
		{
			"the user's own checkout", side,
			[]string{users + "git checkout -q -b theirs; echo b > a.txt", ""},
			[]string{"your own checkout changed during turn 1: branch main was left, and branch theirs is checked out; changed: a.txt"},
			[]string{"; branch main was left, and branch theirs is checked out; changed: a.txt", ""},
		},
		{
			"the user's own checkout is reset", side, // the draft keeps side from being rebased on main
			[]string{"echo draft > draft; " + users + commits, users + "git reset -q --hard HEAD~1"},
			[]string{
				"your own checkout changed during turn 1: work.txt",
				"your own checkout left commit N during turn 2, and it is on no branch now",
			},
			[]string{"; work.txt", "; work.txt"},
		},
		{
			"the user's own checkout is reset to a commit that side has", side,
			[]string{users + commits, users + "git reset -q --hard HEAD~1"},
			[]string{"your own checkout changed during turn 1: work.txt"},
			[]string{"; work.txt", "; work.txt"},
		},
		{
			"the user's own checkout is amended", side,
			[]string{users + commits, users + "git commit -q --amend -m other"},
			[]string{"your own checkout changed during turn 1: work.txt"},
			[]string{"; work.txt", ""},
		},
		{
			"files of the user are noted once", side,
			[]string{users + "echo b > a.txt", users + "echo c > a.txt", users + "echo c > c.txt; echo d > a.txt"},
			[]string{"your own checkout changed during turn 1: a.txt", "your own checkout changed during turn 3: c.txt"},
			[]string{"; a.txt", "; a.txt", "; a.txt, c.txt"},
		},
		{
			"a branch of the user's checkout is left and deleted later", side,
			[]string{users + "git checkout -q -b theirs; " + commits + "git checkout -q main", users + "git branch -q -D theirs"},
			[]string{"commit N, which an earlier turn left, is on no branch after turn 2"},
			[]string{"", ""},
		},
		{
			"no working tree of its own, and the branch is left and deleted later", "",
			[]string{"git checkout -q -b own; " + commits, "git checkout -q main", "git branch -q -D own"},
			[]string{
				"turn 1 left branch main: branch own is checked out now, and commits go there",
				"turn 2 left branch own: branch main is checked out now, and commits go there",
				"commit N, which an earlier turn left, is on no branch after turn 3",
			},
			[]string{"branch own", "branch main", ""},
		},
		{
			"no working tree of its own", "",
			[]string{"git checkout -q -b own; " + commits, ""},
			[]string{"turn 1 left branch main: branch own is checked out now, and commits go there"},
			[]string{"branch own", ""},
		},
	}
	for _, tt := range testkit.SampleOf(t, 2, 6, tests, func(i int) string { return fmt.Sprint(tests[i].worktree, tests[i].notes == nil) }) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := gitRig(t)
			r.fake.script = shells(t, tt.turns...)
			r.flags = map[string]string{"max-turns": string(rune('0' + len(tt.turns))), "worktree": tt.worktree}
			r.run()
			var notes, lines []string
			for _, n := range r.notes() {
				if strings.Contains(n, " left") || strings.Contains(n, "your own checkout") {
					notes = append(notes, commitNames.ReplaceAllString(n, "N"))
				}
			}
			for _, v := range r.lines() {
				if v.Type == record.TurnEnded {
					text := ""
					if v.Checkout != nil {
						text = v.Checkout.String()
					}
					if v.Project != nil {
						text += "; " + v.Project.String()
					}
					lines = append(lines, commitNames.ReplaceAllString(text, "N"))
				}
			}
			assert.Equal(t, tt.notes, notes)
			assert.Equal(t, tt.lines, lines)
		})
	}
}

// A run that finds another branch in its working tree stops with a command that brings all commits
// to its branch; until then its summary says where they are. Followed twice, the command changes nothing more.
func TestResumeOnAnotherBranch(t *testing.T) {
	const onNoBranch = "git checkout -q --detach; "
	tests := []struct{ name, turn, then, has, want string }{ // then: the user's command of git in the working tree
		{"a branch", "git checkout -q -b own; ", "", "own", "git -C D switch side && git -C D merge own"},
		{"a commit without a branch", onNoBranch, "", "N", "git -C D switch -c side-2 && git -C D switch side && git -C D merge side-2"},
		{"a commit that its branch has", onNoBranch, "branch -f side", "N", "git -C D switch side"},
		{"a commit of another branch", onNoBranch, "branch side-2", "N", "git -C D switch side && git -C D merge N"},
		{"the branch was renamed", "git branch -m own; ", "", "own", "git -C D switch -c side"},
		{"the branch is gone", "git checkout -q --detach; git branch -qD side; ", "", "N", "git -C D switch -c side"},
		{"a strange name", `git checkout -q -b "it's;b"; `, "", "it's;b", `git -C D switch side && git -C D merge 'it'\''s;b'`},
	}
	for _, tt := range testkit.SampleOf(t, 1, 3, tests, func(i int) string { return testkit.FirstWord(tests[i].name) }) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := gitRig(t)
			r.fake.script = shells(t, tt.turn+"echo work > work.txt", "true")
			r.flags = map[string]string{"max-turns": "1", "worktree": "side", "commit": "true"}
			r.run()
			before := r.summary()
			require.NotNil(t, before.Moved)

			dir := r.dir + "/.ralph/side-worktree"
			if tt.then != "" {
				r.sh("git -C " + dir + " " + tt.then)
			}
			r.flags["max-turns"] = "2"
			stop := r.resume()
			require.Equal(t, ReasonConflict, stop.Reason, stop.Message)
			why := regexp.MustCompile(`[0-9a-f]{40}`).ReplaceAllString(stop.Message, "N")
			assert.Equal(t, dir+" has "+tt.has+" checked out instead of side.", why)
			after := r.summary()
			before.Elapsed = after.Elapsed
			if tt.then == "" {
				assert.Equal(t, before, after, "the summary stays complete")
			}

			_, command, _ := strings.Cut(stop.Fix, "`")
			command, _, _ = strings.Cut(command, "`")
			assert.Equal(t, tt.want, regexp.MustCompile(`\b[0-9a-f]{40}`).ReplaceAllString(strings.ReplaceAll(command, dir, "D"), "N"))
			r.sh(command)
			once := r.git("for-each-ref") + r.git("-C", dir, "symbolic-ref", "HEAD")
			r.sh("(" + command + ") || true")
			assert.Equal(t, once, r.git("for-each-ref")+r.git("-C", dir, "symbolic-ref", "HEAD"))
			stop = r.resume()
			assert.Equal(t, ReasonMaxTurns, stop.Reason, stop.Message)
			assert.Equal(t, "ripple: turn 1\nfirst", r.git("log", "--format=%s", "side"))
		})
	}
}

// A new run still knows the commits that turns of earlier ones left: git would remove the log that has them with the
// working tree. A run without a working tree does not name them.
func TestANewRunKnowsCommitsOnNoBranch(t *testing.T) {
	const onNoBranch, onBranch = "git checkout -q --detach; " + commits + "git checkout -q side", "git checkout -q -b own; " + commits + "git checkout -q side"
	tests := []struct {
		name, first, between, last string
		runs                       []string // the working trees of the runs
	}{
		{"the next run", onNoBranch, "true", "true", []string{side, side}},
		{"two runs without a working tree in between", onNoBranch, "true", "true", []string{side, "", "", side}},
		{"the next run deletes the branch", onBranch, "true", "git branch -q -D own", []string{side, side}},
		{"the branch is deleted after a run without a working tree", onBranch, "true", "git branch -q -D own", []string{side, "", side}},
	}
	for _, tt := range testkit.SampleOf(t, 1, 2, tests, func(i int) string { return tests[i].first }) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := gitRig(t)
			var left string
			r.flags = map[string]string{"max-turns": "1"}
			for n, worktree := range tt.runs {
				turn := tt.between
				switch n {
				case 0:
					turn = tt.first
				case len(tt.runs) - 1:
					turn = tt.last
				}
				r.fake.script = append(r.fake.script, shells(t, turn)...)
				r.flags["worktree"] = worktree
				r.run()
				if n == 0 {
					left = r.git("-C", ".ralph/side-worktree", "rev-parse", "HEAD@{1}")
				}
				if worktree == "" {
					assert.Empty(t, r.summary().Unkept)
				}
			}
			require.Len(t, r.summary().Unkept, 1)
			assert.Equal(t, left, r.summary().Unkept[0].Commit)
			r.git("branch", "kept", left)
			r.fake.script = append(r.fake.script, shells(t, "true")...)
			r.run()
			assert.Empty(t, r.summary().Unkept)
		})
	}
}

// A turn makes further working trees. In an ignored directory, git would remove them with the agent's.
func TestNestedWorkingTrees(t *testing.T) {
	tests := []struct {
		name, worktree, turn string
		nested               []string
		unkept               int
	}{
		{"with a branch", side, "git worktree add -q -b own in; cd in; " + commits, []string{".ralph/side-worktree/in: branch own"}, 0},
		{"without a branch", side, "git worktree add -q --detach in; cd in; " + commits, []string{".ralph/side-worktree/in: commit N (detached HEAD)"}, 1},
		{"without a commit of its own", side, "git worktree add -q --detach in", []string{".ralph/side-worktree/in: commit N (detached HEAD)"}, 0},
		{"a repository of its own", side, "git init -q in", []string{".ralph/side-worktree/in: repository"}, 0},
		{"a bare repository", side, "git init -q --bare deps/in", []string{".ralph/side-worktree/deps/in: repository"}, 0},
		{"a repository that is not ignored", side, "git init -q other", []string{".ralph/side-worktree/other: repository"}, 0},
		{"beside it", side, "git worktree add -q -b own ../beside", nil, 0},
		{"in the user's checkout", "", "git worktree add -q -b own in", nil, 0},
	}
	for _, tt := range testkit.SampleOf(t, 1, 4, tests, func(i int) string { return testkit.FirstWord(tests[i].name) }) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := gitRig(t)
			r.write(".git/info/exclude", ".ralph\nin\n")
			r.fake.script = shells(t, tt.turn)
			r.flags = map[string]string{"max-turns": "1", "worktree": tt.worktree}
			stop := r.run()
			require.Equal(t, ReasonMaxTurns, stop.Reason, stop.Message)
			sum := r.summary()
			assert.Len(t, sum.Unkept, tt.unkept)
			var nested []string
			for _, n := range sum.Nested {
				what := "repository"
				if !n.Repository {
					what = commitNames.ReplaceAllString(n.Checkout.String(), "N")
				}
				nested = append(nested, n.Dir+": "+what)
			}
			assert.Equal(t, tt.nested, nested)
		})
	}
}

// A branch without a commit in common cannot be merged as others are.
func TestTurnMakesAnOrphanBranch(t *testing.T) {
	for _, tt := range []struct{ worktree, back string }{{side, ""}, {side, "git checkout -q side"}, {"", ""}, {"", "git checkout -q main"}} {
		r := gitRig(t)
		r.fake.script = shells(t, "git checkout -q --orphan own; "+commits+tt.back)
		r.flags = map[string]string{"max-turns": "1", "worktree": tt.worktree}
		stop := r.run()
		require.Equal(t, ReasonMaxTurns, stop.Reason, stop.Message)
		assert.Equal(t, []string{"own"}, r.summary().Unrelated, tt)
	}
}

// A turn leaves a merge or a cherry-pick open: the summary names the command that ends it.
func TestTurnLeavesAMergeOpen(t *testing.T) {
	const other = "git checkout -q -b other; echo o > a.txt; git commit -q -a -m o; git checkout -q -b own HEAD~1; "
	tests := []struct{ name, worktree, turn, want string }{
		{"a merge", "", other + "git merge -q --no-ff --no-commit other", "git merge"},
		{"a merge in a worktree", side, other + "git merge -q --no-ff --no-commit other", "git merge"},
		{"a cherry-pick", side, other + "echo p > a.txt; git commit -q -a -m p; git cherry-pick other > /dev/null || true", "git cherry-pick"},
		{"a merge that is complete", side, other + "git merge -q --no-ff -m m other", ""},
	}
	for _, tt := range testkit.SampleOf(t, 1, 3, tests, func(i int) string { return tests[i].want }) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := gitRig(t)
			r.fake.script = shells(t, tt.turn)
			r.flags = map[string]string{"max-turns": "1", "worktree": tt.worktree}
			stop := r.run()
			require.Equal(t, ReasonMaxTurns, stop.Reason, stop.Message)
			assert.Equal(t, tt.want, r.summary().Open)
		})
	}
}

// The stash of a turn is in no commit of a branch.
func TestTurnsStash(t *testing.T) {
	const stash = "echo $$ $((n += 1)) >> a.txt; git stash -q; "
	tests := []struct {
		name, worktree, before, turn string
		want                         int
	}{
		{"in the worktree", side, "", stash + stash, 2},
		{"in the project", "", "", stash, 1},
		{"the user had others", side, stash + stash, stash, 1},
		{"the user had the only one", side, stash, "true", 0},
		{"one of the user's is dropped", side, stash + stash, "git stash drop -q", 0},
	}
	for _, tt := range testkit.SampleOf(t, 1, 3, tests, func(i int) string { return tests[i].worktree }) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := gitRig(t)
			r.sh(tt.before + "true")
			r.fake.script = shells(t, tt.turn)
			r.flags = map[string]string{"max-turns": "1", "worktree": tt.worktree}
			stop := r.run()
			require.Equal(t, ReasonMaxTurns, stop.Reason, stop.Message)
			assert.Len(t, r.summary().Stashed, tt.want)
		})
	}
}

// Commits of a run count whatever their times are: clocks can be set back.
func TestCommitsWithOldTimes(t *testing.T) {
	const old = "export GIT_COMMITTER_DATE=2020-01-01T00:00:00; "
	tests := []struct {
		name, worktree, turn string
		ahead                int
		others               []record.Other
	}{
		{"on another branch", side, old + "git checkout -q -b own; " + commits + commits, 2, nil},
		{"on no branch", side, old + "git checkout -q --detach; " + commits, 1, nil},
		{"on another branch that was left", side, old + "git checkout -q -b own; " + commits + "git checkout -q side", 0, []record.Other{{Branch: "own", Commits: 1}}},
		{"in the project", "", old + "git checkout -q -b own; " + commits, 1, nil},
		{"the branch was there before", side, "git checkout -q old", 0, nil},
	}
	for _, tt := range testkit.SampleOf(t, 1, 3, tests, func(i int) int { return tests[i].ahead }) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := gitRig(t)
			r.sh(old + "git checkout -q -b old; echo o > o; git add o; git commit -qm o; git checkout -q main")
			r.fake.script = shells(t, tt.turn)
			r.flags = map[string]string{"max-turns": "1", "worktree": tt.worktree, "commit": "true"}
			stop := r.run()
			require.Equal(t, ReasonMaxTurns, stop.Reason, stop.Message)
			s := r.summary()
			ahead := 0
			if s.Moved != nil {
				ahead = s.Moved.Ahead
			}
			assert.Equal(t, tt.ahead, ahead)
			assert.Equal(t, tt.others, s.Others)
		})
	}
}

// Without git's log of HEAD, nobody knows which commits a turn left.
func TestLogOfHEADIsMissing(t *testing.T) {
	tests := []struct {
		name, config, turn string
		unlogged           bool
	}{
		{"it is kept", "true", commits, false},
		{"git keeps none", "false", "git checkout -q --detach; " + commits + "git checkout -q side", true},
		{"it is removed", "true", `rm "$(git rev-parse --git-path logs/HEAD)"; ` + commits, true},
		{"it is expired", "true", commits + "git reset -q --hard HEAD~1; git reflog expire --expire=now --all", true},
	}
	for _, tt := range testkit.SampleOf(t, 1, 2, tests, func(i int) bool { return tests[i].unlogged }) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := gitRig(t)
			r.git("config", "core.logAllRefUpdates", tt.config)
			r.fake.script = shells(t, tt.turn)
			r.flags = map[string]string{"max-turns": "1", "worktree": side}
			stop := r.run()
			require.Equal(t, ReasonMaxTurns, stop.Reason, stop.Message)
			assert.Equal(t, tt.unlogged, r.summary().Unlogged)
		})
	}
}

// git removes ignored files with a working tree without a question.
func TestIgnoredFilesOfTheWorktree(t *testing.T) {
	r := gitRig(t)
	r.write(".git/info/exclude", ".ralph\n*.db\ndeps\nin\n")
	r.write("deps/there", "1")
	r.write("deps/other", "1")
	r.write("same.db", "1")
	r.fake.script = shells(t, "mkdir deps only; printf 1 > deps/there; printf 2 > deps/other; echo 1 > deps/more; printf 1 > same.db; echo 1 > only/x.db; git init -q in; echo > in/file; "+commits)
	r.flags = map[string]string{"max-turns": "1", "worktree": side}
	stop := r.run()
	require.Equal(t, ReasonMaxTurns, stop.Reason, stop.Message)
	assert.Equal(t, []string{"deps/more", "deps/other", "only"}, r.summary().Ignored)
	assert.False(t, r.summary().Unsearched)

	r = gitRig(t)
	r.fake.script = shells(t, "git update-index --assume-unchanged a.txt; echo b > a.txt; "+commits+"git update-index --skip-worktree work.txt")
	r.flags = map[string]string{"max-turns": "1", "worktree": side}
	require.Equal(t, ReasonMaxTurns, r.run().Reason)
	assert.Equal(t, []string{"a.txt"}, r.summary().Ignored, "git removes these changes, too")

	r = gitRig(t)
	r.write(".git/info/exclude", ".ralph\n*.db\n")
	r.fake.script = shells(t, "echo > x.db; "+commits)
	r.flags = map[string]string{"max-turns": "1"}
	require.Equal(t, ReasonMaxTurns, r.run().Reason)
	assert.Empty(t, r.summary().Ignored, "nothing is removed")
}

// A directory that is not a working tree is not taken for one: git would use the project's.
func TestDirectoryInPlaceOfAWorkingTree(t *testing.T) {
	r := gitRig(t)
	r.write(".ralph/side-worktree/a.txt", "")
	r.flags = map[string]string{"worktree": "side"}
	stop := r.run()
	assert.Equal(t, ReasonConflict, stop.Reason)
	assert.Equal(t, r.dir+"/.ralph/side-worktree is not a working tree of git.", stop.Message)
}

// A turn that was killed had left a commit: the next process knows it from the tree before the turn.
func TestKilledTurnLeftACommit(t *testing.T) {
	r := gitRig(t)
	r.flags = map[string]string{"worktree": "side", "commit": "true"}
	var loop *Loop
	r.onNotice = func(l *Loop, _ Notice) { loop = l }
	r.fake.script = script(shells(t, "git checkout -q --detach; echo work > work.txt")[0], func(d *doing) {
		(&project{t, d.dir}).sh("git checkout -q -b other main")
		loop.Interrupt()
		loop.Interrupt()
		loop.Interrupt()
		<-d.ctx.Done()
	})
	require.Equal(t, ReasonInterrupted, r.run().Reason)
	left := r.summary().Unkept
	require.Len(t, left, 1)
	assert.Equal(t, "ripple: turn 1", r.git("log", "-1", "--format=%s", left[0].Commit))

	r.forgetCut()
	r.onNotice, r.flags["max-turns"] = nil, "2"
	r.fake.script[1] = shells(t, commits)[0]
	stop := r.resume()
	require.Equal(t, ReasonMaxTurns, stop.Reason, stop.Message)
	assert.Equal(t, left, r.summary().Unkept)
	assert.Equal(t, "work", r.git("log", "-1", "--format=%s", "other"), "it goes on where the turn was")
}

// A run that was killed goes on as if it had not been: on the branch that its last turn checked out, unless somebody
// has checked out another one since.
func TestKilledRunOnAnotherBranch(t *testing.T) {
	tests := []struct{ name, turn, since, reason string }{
		{"a branch", "git checkout -q -b own; ", "true", ReasonMaxTurns},
		{"no branch", "git checkout -q --detach; ", "true", ReasonMaxTurns},
		{"another one since", "git checkout -q -b own; ", "git checkout -q -b theirs", ReasonConflict},
		{"a branch since, and it left none", "git checkout -q --detach; ", "git checkout -q -b theirs", ReasonConflict},
	}
	for _, tt := range testkit.SampleOf(t, 1, 2, tests, func(i int) string { return tests[i].reason }) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := gitRig(t)
			r.fake.script = shells(t, tt.turn+commits, commits)
			r.flags = map[string]string{"max-turns": "1", "worktree": side}
			require.Equal(t, ReasonMaxTurns, r.run().Reason)
			r.forget(record.Stopped)
			(&project{t, r.dir + "/.ralph/side-worktree"}).sh(tt.since)
			r.flags["max-turns"] = "2"
			stop := r.resume()
			require.Equal(t, tt.reason, stop.Reason, stop.Message)
			want := map[string]string{ReasonMaxTurns: "2", ReasonConflict: "1"}[tt.reason]
			assert.Equal(t, want, r.git("-C", ".ralph/side-worktree", "rev-list", "--count", "HEAD", "--not", "main"))
		})
	}
}

// An attempt that was killed may have left a commit on no branch of which only git's log of HEAD knows: the next
// process reads what was added to it since the turn began.
func TestKilledAttemptCameBack(t *testing.T) {
	const own = "git checkout -q --detach; " + commits
	const again, stops = "the turn is taken again", "the next process stops before it"
	tests := []struct {
		name, worktree, killed, next string
	}{
		{"the agent's working tree", side, own + "git checkout -q side", again},
		{"the agent's working tree", side, own + "git checkout -q side", stops},
		{"the user's checkout", side, users + own + "git checkout -q main", again},
		{"the user's checkout", side, users + own + "git checkout -q main", stops},
		{"no working tree", "", own + "git checkout -q main", again},
		{"no working tree", "", own + "git checkout -q main", stops},
		{"the branch is reset", side, "git reset -q --hard main", again},
		{"the branch is reset", side, "git reset -q --hard main", stops},
	}
	for _, tt := range testkit.SampleOf(t, 1, 3, tests, func(i int) string { return tests[i].worktree + tests[i].next }) {
		t.Run(tt.name+", "+tt.next, func(t *testing.T) {
			t.Parallel()
			r := gitRig(t)
			r.flags = map[string]string{"worktree": tt.worktree, "commit": "true", "max-turns": "2"}
			var began, baseline string
			turns := shells(t, "echo work > work.txt", tt.killed, "true")
			r.fake.script = script(turns[0], func(d *doing) {
				began, baseline = r.read(".ralph/events.jsonl"), r.read(".ralph/.turn_snapshot")
				turns[1](d)
			}, turns[2])
			r.run()
			lost := r.summary().Unkept
			require.Len(t, lost, 1)

			r.write(".ralph/events.jsonl", began)
			r.write(".ralph/.turn_snapshot", baseline)
			if tt.next == stops {
				r.flags["max-turns"] = "1"
			}
			r.notices = nil
			stop := r.resume()
			require.Equal(t, ReasonMaxTurns, stop.Reason, stop.Message)
			assert.Equal(t, lost, r.summary().Unkept)
		})
	}
}

// Records of versions that did not note checkouts make no claim about them.
func TestRecordsWithoutCheckouts(t *testing.T) {
	r := gitRig(t)
	r.sh("git checkout -q -b other")
	r.fake.script = shells(t, commits)
	r.flags = map[string]string{"max-turns": "1"}
	r.run()
	text := regexp.MustCompile(`"checkouts":\{[^}]*\},`).ReplaceAllString(r.read(".ralph/events.jsonl"), "")
	require.NotContains(t, text, "checkouts")
	r.write(".ralph/events.jsonl", text)
	r.sh("git checkout -q main")
	r.flags["max-turns"] = "2"
	r.resume()
	s := r.summary()
	assert.Nil(t, s.Moved)
	assert.Empty(t, s.Unkept)
	assert.True(t, s.Git)
}

// A branch that the check of a hat checks out belongs to the turn.
func TestCheckOfAHatLeavesTheBranch(t *testing.T) {
	yml := strings.Replace(builderAndReviewer, "instructions: Build it.", "verify: [git checkout -q -b checked]", 1)
	r := newRoles(t, yml, publishes("built"), promises("passed"))
	p := newRepo(t)
	p.write(".ralph/PROMPT.md", "Do the work.\n")
	p.write(".git/info/exclude", ".ralph\nripple.yml\n")
	p.write("ripple.yml", r.read("ripple.yml"))
	r.project, r.fake.dir = p, p.dir
	r.run()
	require.NotNil(t, r.summary().Moved)
	assert.Equal(t, "checked", r.summary().Moved.To.Branch)
	for _, v := range r.lines() {
		if v.Type == record.TurnEnded && v.Turn == 1 {
			assert.Equal(t, "checked", v.Checkout.Branch)
		}
	}
}

// Whichever hat leaves the branch, the summary says where the commits of all hats are; a resumed run says how they come back to
// the branch, and the hat whose turn it was goes on there.
func TestHatsLeaveTheBranch(t *testing.T) {
	type row struct {
		name, worktree  string
		build, review   string
		moved           string // from and to, as in the summary
		keep            string // the branch that it suggests for that
		ahead           int
		others          []record.Other
		unkept, resumes int  // commits on no branch; commits of the branch after a resumed run
		resumed         bool // between the two hats
	}
	var tests []row
	for _, tt := range []row{
		{"a commit without a branch", side, "git checkout -q --detach", "true", "branch side -> commit N (detached HEAD)", "side-2", 2, nil, 0, 2, false},
		{"and the next hat goes back", side, "git checkout -q --detach", "git checkout -q side", "", "", 0, nil, 1, 2, false},
		{"a branch of its own", side, "git checkout -q -b own", "true", "branch side -> branch own", "", 2, nil, 0, 2, false},
		{"each its own", side, "git checkout -q -b own", "git checkout -q -b theirs side", "branch side -> branch theirs", "", 1, []record.Other{{Branch: "own", Commits: 1}}, 0, 2, false},
		{"no working tree", "", "git checkout -q -b own", "true", "branch main -> branch own", "", 2, nil, 0, 2, false},
	} {
		tests = append(tests, tt)
		tt.resumed = true
		tests = append(tests, tt)
	}
	for _, tt := range testkit.SampleOf(t, 1, 4, tests, func(i int) string { return fmt.Sprint(tests[i].worktree, tests[i].resumed) }) {
		t.Run(fmt.Sprintf("%s, resumed=%t", tt.name, tt.resumed), func(t *testing.T) {
			t.Parallel()
			r := gitRig(t)
			r.write(".git/info/exclude", ".ralph\nripple.yml\n")
			r.write("ripple.yml", builderAndReviewer)
			turns := shells(t, tt.build, tt.review)
			r.fake.script = script(
				func(d *doing) { turns[0](d); publishes("built")(d) },
				func(d *doing) { turns[1](d); d.writes("review.txt", "good"); promises("passed")(d) },
			)
			r.flags = map[string]string{"worktree": tt.worktree, "commit": "true"}
			if !tt.resumed {
				stop := r.run()
				require.True(t, stop.Done(), stop.Message)
				sum, moved, keep, ahead := r.summary(), "", "", 0
				if m := sum.Moved; m != nil {
					moved, keep, ahead = commitNames.ReplaceAllString(m.From.String()+" -> "+m.To.String(), "N"), m.Name, m.Ahead
				}
				assert.Equal(t, []any{tt.moved, tt.keep, tt.ahead, tt.others}, []any{moved, keep, ahead, sum.Others})
				assert.Len(t, sum.Unkept, tt.unkept)
				assert.Equal(t, []string{"builder go", "reviewer built"}, r.turns())
				return
			}

			r.flags["max-turns"] = "1"
			require.Equal(t, ReasonMaxTurns, r.run().Reason)
			r.flags["max-turns"] = "2"
			stop := r.resume()
			branch := "own" // without a working tree of its own, the run goes on there
			if tt.worktree != "" {
				require.Equal(t, ReasonConflict, stop.Reason, stop.Message)
				_, command, _ := strings.Cut(stop.Fix, "`")
				command, _, _ = strings.Cut(command, "`")
				r.sh(command)
				r.fake.script[1] = func(d *doing) { d.writes("review.txt", "good"); promises("passed")(d) }
				branch, stop = tt.worktree, r.resume()
			}
			require.True(t, stop.Done(), stop.Message)
			assert.Equal(t, []string{"builder go", "reviewer built"}, r.turns())
			assert.Equal(t, strconv.Itoa(tt.resumes), r.git("rev-list", "--count", branch, "--not", "main"))
		})
	}
}

func TestWithoutGitNothingIsCheckedOut(t *testing.T) {
	r := newRig(t, works)
	r.flags = map[string]string{"max-turns": "1"}
	r.run()
	assert.NotContains(t, r.read(".ralph/events.jsonl"), "branch")
	assert.Nil(t, r.summary().Moved)
}

// A commit that a turn only checked out was committed by nobody in it.
func TestCheckedOutIsNotCommitted(t *testing.T) {
	for name, turn := range map[string]string{"an older commit": "git checkout -q --detach HEAD~1", "the branch is reset": "git reset -q --hard HEAD~1", "the same commit": "git checkout -q -b own", "no commit": "git switch -q --orphan own"} {
		t.Run(name, func(t *testing.T) {
			r := gitRig(t)
			r.fake.script = shells(t, commits, turn)
			r.flags = map[string]string{"max-turns": "2", "commit": "true"}
			r.run()
			var turns []int
			for _, n := range r.notices {
				if n.Kind == NoticeCommitted {
					turns = append(turns, n.Turn)
				}
			}
			assert.Equal(t, []int{1}, turns)
		})
	}
}

// A ripple that did not record branches wrote the trees before a turn that was killed: the branch is unknown, and not a detached
// HEAD. No note says that something was left, and no commit is lost.
func TestABaselineWithoutABranch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, worktree, first, second string
		moved                         string
		unkept                        int
	}{
		{"in the project", "", commits, commits, "", 0},
		{"in a working tree", side, commits, commits, "", 0},
		{"nothing was done", side, "true", "true", "", 0},
		{"the user's checkout", side, users + "echo b > a.txt; ", commits, "", 0},
		{"left in a working tree", side, "git checkout -q -b own; " + commits, "", "branch side -> branch own", 0},
		{"a commit on no branch, checked out", side, "git checkout -q --detach; " + commits, "", "branch side -> commit COMMIT (detached HEAD)", 0},
		{"the branch is left and gone", side, "git checkout -q --detach main; git branch -q -D side; ", "", "branch side -> commit COMMIT (detached HEAD)", 1},
		{"the branch is gone, for another one", side, "git checkout -q -b own main; git branch -q -D side; ", "", "branch side -> branch own", 1},
		{"the branch is gone, in the project", "", "git checkout -q -b own HEAD~; git branch -q -D main; ", commits, "branch main -> branch own", 1},
	}
	for _, tt := range testkit.SampleOf(t, 1, 4, tests, func(i int) string { return fmt.Sprint(tests[i].worktree, tests[i].unkept) }) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := gitRig(t)
			r.flags = map[string]string{"max-turns": "2", "worktree": tt.worktree}
			var killed, baseline string
			turns := shells(t, commits, tt.first, tt.second)
			r.fake.script = script(turns[0], func(d *doing) {
				killed, baseline = r.read(".ralph/events.jsonl"), r.read(".ralph/.turn_snapshot")
				turns[1](d)
			}, turns[2])
			r.run()
			r.write(".ralph/events.jsonl", killed)
			r.write(".ralph/.turn_snapshot", withoutBranches(t, baseline))
			r.notices = nil
			stop := r.resume()
			require.Equal(t, ReasonMaxTurns, stop.Reason, stop.Message)
			for _, n := range r.notes() {
				assert.NotRegexp(t, `detached|left (branch|commit [0-9a-f]+ \()`, n)
			}
			sum := r.summary()
			moved := ""
			if sum.Moved != nil {
				moved = commitNames.ReplaceAllString(sum.Moved.From.String()+" -> "+sum.Moved.To.String(), "COMMIT")
			}
			assert.Equal(t, tt.moved, moved)
			assert.Len(t, sum.Unkept, tt.unkept)
			if sum.Project != nil {
				assert.Nil(t, sum.Project.Moved)
			}
		})
	}
}

// withoutBranches returns the content of the file with the trees before a turn as it was when branches were not recorded.
func withoutBranches(t *testing.T, baseline string) string {
	var tree map[string]any
	require.NoError(t, json.Unmarshal([]byte(baseline), &tree))
	require.Contains(t, tree, "branch")
	delete(tree, "branch")
	if project, has := tree["project"].(map[string]any); has {
		require.Contains(t, project, "branch")
		delete(project, "branch")
	}
	old, err := json.Marshal(tree)
	require.NoError(t, err)
	return string(old)
}

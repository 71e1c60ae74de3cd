package loop

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/record"
)

// A run ends with a summary.
func (r *rig) summary() *Summary {
	r.t.Helper()
	last := r.notices[len(r.notices)-1]
	require.Equal(r.t, NoticeStopped, last.Kind)
	return last.Summary
}

func TestSummary(t *testing.T) {
	t.Parallel()
	turn := func(d *doing) {
		d.writes("a.txt", "one\ntwo\n"+string(rune('a'+d.n))+"\n")
		d.event(event.Event{Type: event.Usage, Tokens: &event.Tokens{Input: 5, Output: 1}})
		d.event(event.Event{Type: event.Usage, Tokens: &event.Tokens{Input: 10, Output: 2, CostUSD: 0.5}})
		d.says("working")
	}
	r := repoRig(t, turn)
	r.flags = map[string]string{"commit": "true", "max-turns": "2"}
	r.run()
	s := r.summary()
	s.Elapsed = 0
	want := Summary{Turns: 2, CostUSD: 1, Tokens: event.Tokens{Input: 20, Output: 4}, Commits: 2, Files: 1, Added: 3, Removed: 1, Dirty: 1, Git: true}
	assert.Equal(t, want, *s, "mine.txt is not committed")

	r.flags["max-turns"] = "3"
	r.resume()
	assert.Equal(t, 3, r.summary().Commits, "a resumed run is one run")
	r.flags = map[string]string{"max-turns": "1", "worktree": "side", "commit": "true"}
	r.run()
	s = r.summary()
	assert.Equal(t, []any{1, 1, "side", ".ralph/side-worktree", "main"}, []any{s.Turns, s.Commits, s.Branch, s.Dir, s.Main})
	r.flags = map[string]string{"worktree": "-bad"}
	r.run()
	assert.Nil(t, r.summary(), "no turn, no summary")
}

// The first commit has no parent to compare with.
func TestSummaryOfAFirstCommit(t *testing.T) {
	r := newRig(t, works)
	r.project = newRepo(t)
	r.write(".ralph/PROMPT.md", "Do the work.\n")
	r.sh("rm -rf .git; git init -q; git config user.name a; git config user.email a@b")
	r.flags = map[string]string{"commit": "true", "max-turns": "2"}
	r.run()
	s := r.summary()
	assert.Equal(t, []any{true, 2}, []any{s.Git, s.Commits})
	assert.Positive(t, s.Files)
}

// A resumed loop whose checks run again ends in order, also for the same reason as before.
func TestAResumedVerificationEndsInOrder(t *testing.T) {
	t.Parallel()
	r := gitRig(t)
	r.fake.script = []func(*doing){claims}
	r.flags = map[string]string{"verify": "true"}
	require.True(t, new(r.run()).Done())
	require.True(t, new(r.resume()).Done())
	before := len(r.lines())
	r.write("other.txt", "of the user")
	stop := r.resume()
	require.True(t, stop.Done(), stop.Message)
	lines := r.lines()
	assert.Equal(t, []string{record.Verified, record.Stopped}, []string{lines[len(lines)-2].Type, lines[len(lines)-1].Type})
	assert.Len(t, lines, before+2)
	require.True(t, new(r.resume()).Done())
	assert.Len(t, r.lines(), before+2, "nothing happened")
	r.notices = nil
	r.run()
	assert.NotContains(t, strings.Join(r.notes(), "\n"), "interrupted")
}

// A rebase between turns would lose what a merge commit changes itself.
func TestAMergeIsKeptBetweenTurns(t *testing.T) {
	t.Parallel()
	const merges = "git checkout -q -b other; " + commits + "git checkout -q side; git merge -q --no-commit --no-ff other; echo fix > fix; git add fix; git commit -qm merge; "
	r := gitRig(t)
	r.fake.script = shells(t, merges+users+commits, "cat fix")
	r.flags = map[string]string{"max-turns": "2", "worktree": side}
	stop := r.run()
	require.Equal(t, ReasonMaxTurns, stop.Reason, stop.Message)
	assert.Equal(t, "fix", r.git("show", side+":fix"))
	assert.Contains(t, strings.Join(r.notes(), "\n"), "side has merge commits, so it is not rebased on main")
	assert.False(t, r.summary().Merged)
}

// An interrupted run could have been resumed.
func TestANewRunAfterAKill(t *testing.T) {
	said := func(r *rig) (notes []string) {
		for _, n := range r.notices {
			if n.Kind == NoticeNote {
				notes = append(notes, n.Text)
			}
		}
		r.notices = nil
		return notes
	}
	r := newRig(t, works)
	r.flags = map[string]string{"max-turns": "1"}
	r.run()
	r.run()
	assert.Empty(t, said(r), "it had ended in order")
	r.write(".ralph/events.jsonl", r.read(".ralph/events.jsonl")+`{"turn":2,"seq":99,"type":"turn_started"}`+"\n"+`{"turn":2,"seq":100,"type":"text","text":"a"}`+"\n{\"tu")
	r.run()
	assert.Equal(t, []string{"the previous run was interrupted in or after turn 2; this is a new run"}, said(r))
}

// many returns a command that makes numbered commits, all in one process of git.
func many(first, last int) string {
	var mails strings.Builder
	for i := first; i <= last; i++ {
		fmt.Fprintf(&mails, `From %040d Mon Sep 17 00:00:00 2001
From: t <t@example.org>
Date: Thu, 1 Jan 2026 00:00:00 +0000
Subject: work %[1]d

---
diff --git a/many-%[1]d b/many-%[1]d
new file mode 100644
--- /dev/null
+++ b/many-%[1]d
@@ -0,0 +1 @@
+work
`, i)
	}
	return "git am -q <<'END'\n" + mails.String() + "END\n"
}

// A branch is merged if the branch that it follows has commits that turns made on it. Commits of the user
// are not those of a turn, although the working tree is rebased on them.
func TestSummaryOfAMergedBranch(t *testing.T) {
	const (
		moves, merges = users + commits, users + "git merge -q side"
		drops         = "git reset -q --hard HEAD~1; "
		own           = "echo $$ $((n += 1)) >> own; git add own; git commit -qm own; "
	)
	tests := []struct {
		name  string
		turns []string
		want  bool
	}{
		{"merged", []string{commits + merges}, true},
		{"merged in the next turn", []string{commits, merges}, true},
		{"merged after ripple's commit", []string{"echo work > mine", merges}, true},
		{"merged, and the next turn does nothing", []string{commits + merges, "true"}, true},
		{"merged, and main moved", []string{commits + merges, moves, "true"}, true},
		{"rebased, then merged", []string{own + moves, merges}, true},
		{"merged, and the next commit is dropped", []string{commits + merges, commits, drops}, true},
		{"merged, and the next commit is dropped in the same turn", []string{commits + merges, commits + drops}, true},
		{"merged, and both are dropped", []string{commits + merges, commits, drops + drops}, true},
		{"the last commit is dropped, the other one merged", []string{commits + commits, drops + merges}, true},
		{"the last commit is dropped, the other one rebased and merged", []string{own + own, drops + moves, merges}, true},
		{"the last commit is on another branch, the other one merged", []string{commits + commits, "git branch kept; " + drops + merges}, true},
		{"the first of many is merged, the others are dropped", []string{many(1, 60), "git reset -q --hard HEAD~59; " + merges}, true},
		{"the first of many is rebased and merged, the others are dropped", []string{many(1, 60) + moves, "git reset -q --hard HEAD~59; " + merges}, true},
		{"many are made in two turns, and the first is merged", []string{many(1, 30), many(31, 60), "git reset -q --hard HEAD~59; " + merges}, true},
		{"amended, then merged", []string{commits, "git commit -q --amend -m other; " + merges}, true},
		{"merged, then amended", []string{commits + merges, "git commit -q --amend -m other"}, false},
		{"merged, amended and taken back", []string{commits + merges, "git commit -q --amend -m other", "git reset -q --hard main"}, true},
		{"the earlier commit is merged, the last one not", []string{commits, commits, users + "git merge -q side~1"}, false},
		{"a commit is dropped and removed by git", []string{commits, drops, "git reflog expire --expire=now --all; git gc -q --prune=now"}, false},
		{"nothing is committed", []string{"true"}, false},
		{"main moved", []string{moves, "true"}, false},
		{"main moved, and the agent takes it over", []string{"echo draft > draft; " + moves, "rm draft; git merge -q main"}, false},
		{"main moved, and the agent takes it over in the same turn", []string{own + moves + "git merge -q --no-edit main; git reset -q --hard main"}, false},
		{"main moved, and the agent merges both in the same turn", []string{own + moves + "git merge -q --no-edit main; " + merges}, true},
		{"main moved, and the commit was dropped", []string{commits, "git reset -q --hard HEAD~1; " + moves, "true"}, false},
		{"not merged", []string{commits}, false},
	}
	for _, tt := range testkit.SampleOf(t, 2, 6, tests, func(i int) string { return fmt.Sprint(tests[i].want, len(tests[i].turns)) }) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := gitRig(t)
			r.fake.script = shells(t, tt.turns...)
			r.flags = map[string]string{"max-turns": strconv.Itoa(len(tt.turns)), "worktree": side}
			if strings.Contains(tt.name, "ripple's commit") {
				r.flags["commit"] = "true"
			}
			stop := r.run()
			require.Equal(t, ReasonMaxTurns, stop.Reason, stop.Message)
			assert.Equal(t, tt.want, r.summary().Merged)
		})
	}
}

// Between two turns the user rewrites or merges the commits of a loop. It is the same work: it is merged, or counted once.
func TestSummaryOfCommitsThatTheUserRewrote(t *testing.T) {
	const (
		// As if made long ago: a commit that is rewritten in the second in which it was made looks new.
		one, two = "echo 1 > one; git add one; git commit -q --date=@1600000000 -m one; ", "echo 2 > two; git add two; git commit -q --date=@1600000001 -m two; "
		moves    = "echo 0 > zero; git add zero; git commit -q -m zero; "
		squashes = "git merge -q --squash side > /dev/null; git commit -q -m squashed; "
		merges   = "git merge -q side; "
		inTree   = "cd .ralph/side-worktree; "
		back     = "cd ../..; "
	)
	tests := []struct {
		name, made, user, last string // what the first turn, the user after it, and the last turn do
		merged                 bool
		commits, copied        int
	}{
		{"rebased", one, moves + inTree + "git rebase -q main", "true", false, 1, 0},
		{"left, taken up again and rebased by ripple", one + "git checkout -q -b own main; ", moves + inTree + "git checkout -q side", "true", false, 1, 0},
		{"left, taken up again and amended", one + "git checkout -q -b own main; ", inTree + "git checkout -q side; git commit -q --amend -m other", "true", false, 1, 0},
		{"rebased and merged", one + two, moves + inTree + "git rebase -q main; " + back + merges, "true", true, 0, 0},
		{"rebased and merged, and main moved", one, moves + inTree + "git rebase -q main; " + back + merges + "echo 1 > main; git add main; git commit -qm main", "true", true, 0, 0},
		{"amended", one, inTree + "git commit -q --amend -m other", "true", false, 1, 0},
		{"amended and merged", one, inTree + "git commit -q --amend -m other; " + back + merges, "true", true, 0, 0},
		{"other contents, amended and merged", one, inTree + "echo 1 >> one; git commit -q -a --amend -m other; " + back + merges, "true", true, 0, 0},
		{"amended, and the first version is merged", one, merges + inTree + "git commit -q --amend -m other", "true", true, 0, 0},
		{"cherry-picked", one + two, moves + "git cherry-pick main..side > /dev/null", "true", true, 0, 0},
		{"cherry-picked in the last turn", one + two, "true", users + moves + "git cherry-pick main..side > /dev/null", false, 0, 2},
		{"cherry-picked, and rebased by the user", one, moves + "git cherry-pick side > /dev/null; " + inTree + "git rebase -q main", "true", true, 0, 0},
		{"one of two is cherry-picked", one + two, moves + "git cherry-pick side~1 > /dev/null", "true", false, 1, 0},
		{"one of two is cherry-picked in the last turn", one + two, "true", users + moves + "git cherry-pick side~1 > /dev/null", false, 1, 1},
		{"squash-merged", one, squashes, "true", true, 0, 0},
		{"squash-merged, and rebased by the user", one, squashes + inTree + "git rebase -q main", "true", true, 0, 0},
		{"two are squash-merged", one + two, squashes, "true", true, 0, 0},
		{"two are squash-merged in the last turn", one + two, "true", users + squashes, false, 2, 0},
		{"squash-merged in the last turn", one, "true", users + squashes, false, 0, 1},
		{"cherry-picked and reverted in the last turn", one, "true", users + moves + "git cherry-pick side > /dev/null; git revert --no-edit HEAD > /dev/null", false, 1, 0},
		{"dropped, and a commit of the user is merged", one, inTree + "git reset -q --hard main; " + moves + back + merges, "true", false, 0, 0},
		{"dropped, and main has other contents", one, "echo other > one; git add one; git commit -q -m other; " + inTree + "git reset -q --hard main", "true", false, 0, 0},
	}
	for _, tt := range testkit.SampleOf(t, 2, 4, tests, func(i int) [2]bool { return [2]bool{tests[i].merged, tests[i].copied > 0} }) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := gitRig(t)
			r.fake.script = shells(t, tt.made, tt.last)
			r.flags = map[string]string{"max-turns": "1", "worktree": side}
			stop := r.run()
			require.Equal(t, ReasonMaxTurns, stop.Reason, stop.Message)
			r.sh(tt.user)
			r.flags["max-turns"] = "2"
			stop = r.resume()
			require.Equal(t, ReasonMaxTurns, stop.Reason, stop.Message)
			s := r.summary()
			assert.Equal(t, []any{tt.merged, tt.commits, tt.copied}, []any{s.Merged, s.Commits, s.Copied})
			assert.Empty(t, s.Unkept)
		})
	}
}

// While a rebase is unfinished, HEAD is a commit of the followed branch, and the summary counts the commits of the branch.
func TestSummaryOfAnUnfinishedRebase(t *testing.T) {
	r := gitRig(t)
	const changes = "echo b >> a.txt; git commit -q -a -m "
	r.fake.script = shells(t, changes+"one; echo c > c; git add c; git commit -q -m two; "+users+"echo z > a.txt; git commit -q -a -m user", "true")
	r.flags = map[string]string{"max-turns": "2", "worktree": side}
	stop := r.run()
	require.Equal(t, ReasonConflict, stop.Reason, stop.Message)
	s := r.summary()
	assert.True(t, s.Rebase)
	assert.False(t, s.Merged)
	assert.Equal(t, 2, s.Commits)
}

// The user takes over the commits of turns, and then takes their changes back. git drops the commits when it rebases the
// branch: the summary says where they are.
func TestSummaryOfCommitsThatTheUserReverted(t *testing.T) {
	const one, two = "echo 1 > one; git add one; git commit -q -m one; ", "echo 2 > two; git add two; git commit -q -m two; "
	tests := []struct{ name, made, user string }{
		{"one commit", one, "echo 0 > zero; git add zero; git commit -q -m zero; git cherry-pick side > /dev/null; git revert --no-edit HEAD > /dev/null"},
		{"the first of two", one + two, "echo 0 > zero; git add zero; git commit -q -m zero; git cherry-pick side~1 > /dev/null; git revert --no-edit HEAD > /dev/null"},
		{"other white space", "printf 'if x:\\n y\\n' > one; git add one; git commit -q -m one; ", "printf 'if x:\\n  y\\n' > one; git add one; git commit -q -m other"},
	}
	for _, tt := range testkit.FewerOf(t, 1, testkit.Sample(t, 2, tests)) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := gitRig(t)
			r.fake.script = shells(t, tt.made, "true")
			r.flags = map[string]string{"max-turns": "1", "worktree": side}
			stop := r.run()
			require.Equal(t, ReasonMaxTurns, stop.Reason, stop.Message)
			before, err := exec.Command("git", "-C", r.dir, "rev-parse", "side").Output()
			require.NoError(t, err)
			r.sh(tt.user)
			r.flags["max-turns"] = "2"
			stop = r.resume()
			require.Equal(t, ReasonMaxTurns, stop.Reason, stop.Message)
			s := r.summary()
			assert.False(t, s.Merged)
			require.Len(t, s.Unkept, 1)
			assert.Equal(t, strings.TrimSpace(string(before)), s.Unkept[0].Commit)
		})
	}
}

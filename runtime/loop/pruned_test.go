package loop

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/loop/record"
)

// A turn may replace the commit with which it began, and have git remove the old one at once. The loop
// knows and reports what the turn changed.
func TestATurnWhoseFirstCommitIsPruned(t *testing.T) {
	const prune = "; git reflog expire --expire=now --expire-unreachable=now --all; git gc -q --prune=now"
	const made = "git add -A; git commit -qm work"
	tests := []struct {
		name    string
		flag    string
		turns   []string
		changed [][]string // those that the removed commit changed are among them
		commits int
	}{
		{"the only commit is amended", "", []string{"echo 1 > work.txt; git add -A; git commit -q --amend -m other" + prune}, [][]string{{".gitignore", "a.txt", "work.txt"}}, 1},
		{"only its message is amended", "", []string{"git commit -q --amend -m other" + prune}, [][]string{nil}, 1},
		{"the commit of the turn before is amended", "", []string{"echo 1 > one.txt; " + made, "echo 2 > two.txt; git add -A; git commit -q --amend -m other" + prune}, [][]string{{"one.txt"}, {"one.txt", "two.txt"}}, 1},
		{"and a commit follows", "", []string{"echo 1 > one.txt; " + made, "git commit -q --amend -m other; echo 2 > two.txt; " + made + prune}, [][]string{{"one.txt"}, {"one.txt", "two.txt"}}, 2},
		{"ripple commits", "commit", []string{"echo 1 > one.txt", "git commit -q --amend -m other; echo 2 > two.txt" + prune}, [][]string{{"one.txt"}, {"two.txt"}}, 2},
		{"in a working tree of its own", "worktree", []string{"echo 1 > one.txt; " + made, "echo 2 > two.txt; git add -A; git commit -q --amend -m other" + prune}, [][]string{{"one.txt"}, {"one.txt", "two.txt"}}, 1},
	}
	for _, test := range testkit.SampleOf(t, 1, 3, tests, func(i int) string { return tests[i].flag }) {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := gitRig(t)
			r.fake.script = shells(t, test.turns...)
			r.flags = map[string]string{"max-turns": string(rune('0' + len(test.turns)))}
			if test.flag != "" {
				r.flags[test.flag] = map[string]string{"commit": "true", "worktree": side}[test.flag]
			}
			stop := r.run()
			assert.Equal(t, ReasonMaxTurns, stop.Reason)
			var ends []record.Line
			for _, l := range r.lines() {
				if l.Type == record.TurnEnded {
					ends = append(ends, l)
				}
			}
			require.Len(t, ends, len(test.turns))
			for i, l := range ends {
				assert.Equal(t, test.changed[i], l.Changed)
				assert.Equal(t, test.changed[i] != nil, *l.Progress)
			}
			for _, n := range r.notices {
				assert.NotContains(t, n.Text, "git did not say")
				assert.NotContains(t, n.Text, "bad object")
				if n.Summary != nil {
					assert.True(t, n.Summary.Git, "the summary has the numbers of git")
					assert.Equal(t, test.commits, n.Summary.Commits)
				}
			}
		})
	}
}

package loop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/loop/record"
)

// Each row is a repository in which no turn can be committed. The run ends before the first turn,
// and its files report it.
func TestRunsThatCannotStart(t *testing.T) {
	conflict := `git checkout -qb o; echo o > a.txt; git commit -qam o; git checkout -q main; echo m > a.txt; git commit -qam m; `
	tests := []struct {
		name, before string
		flags        map[string]string
		reason       string
		status       string
		why, next    string
	}{
		{"no repository", "rm -rf .git", map[string]string{"commit": "true"}, "repository_missing", "error", "not in a git repository", "git init"},
		{"a repository of another user", "", map[string]string{"commit": "true"}, "repository_missing", "error", "belongs to another user", "safe.directory"},
		{"a merge", conflict + "git merge -q o || true", map[string]string{"commit": "true"}, "conflict", "halted", "A merge is unfinished", "`git merge --abort`"},
		{"a cherry-pick", conflict + "git cherry-pick o || true", map[string]string{"commit": "true"}, "conflict", "halted", "A cherry-pick is unfinished", "`git cherry-pick --abort`"},
		{"a revert", conflict + "git revert HEAD~1 || true", map[string]string{"commit": "true"}, "conflict", "halted", "A revert is unfinished", "`git revert --abort`"},
		{"a rebase", conflict + "git rebase -q o || true", map[string]string{"commit": "true"}, "conflict", "halted", "A rebase is unfinished", "`git rebase --abort`"},
		{"patches", conflict + "git format-patch -1 --stdout o > p; git am -q p || true", map[string]string{"commit": "true"}, "conflict", "halted", "patches for git am is unfinished", "`git am --abort`"},
		{"nobody", "git config --unset user.name; git config user.useConfigOnly true", map[string]string{"commit": "true"}, "conflict", "halted", "Git does not know who commits: no name and address are set.", "git config user.name"},
		{"nobody, with a worktree", "git config --unset user.name; git config user.useConfigOnly true", map[string]string{"commit": "true", "worktree": "side"}, "conflict", "halted", "Git does not know who commits", "git config user.name"},
		{"a key of a program without approval", "git config commit.gpgsign true; git config gpg.openpgp.program true", map[string]string{"commit": "true"}, "conflict", "halted", "gpg.openpgp.program = true", "can be approved at the next start"},
		{"no key", "git config commit.gpgsign true; git config gpg.program false", map[string]string{"commit": "true"}, "conflict", "halted", "Commits must be signed in this repository", "commit.gpgSign"},
		{"the project's own branch", "", map[string]string{"worktree": "main"}, "branch", "error", "is checked out in the project itself", "another branch"},
		{"no first commit", "rm -rf .git; git init -q", map[string]string{"worktree": "side"}, "repository_missing", "error", "no commit yet", "make a first commit"},
	}
	for _, tt := range testkit.FewerOf(t, 4, tests) {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, works)
			r.project = newRepo(t)
			r.write(".ralph/PROMPT.md", "Do the work.\n")
			if tt.before != "" {
				r.sh(tt.before)
			}
			t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			if strings.Contains(tt.why, "another user") {
				t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1") // git's own tests use it
			}
			r.flags = tt.flags
			r.flags["max-turns"] = "1"
			for again := range 2 { // the second time resumes it
				o := r.options(again == 1)
				if tt.name == "no key" {
					_, accepted, err := GitRisks(t.Context(), r.dir)
					assert.NoError(t, err)
					o.GitAccepted = accepted
				}
				stop := r.runWith(o)
				assert.Equal(t, tt.reason, stop.Reason, stop.Message)
				assert.Contains(t, stop.Message, tt.why)
				assert.Contains(t, stop.Fix, tt.next)
				s := r.status()
				assert.Equal(t, []any{tt.status, stop.Reason}, []any{s.Status, s.ExitReason})
				last := r.lines()[len(r.lines())-1]
				assert.Equal(t, []any{record.Stopped, stop.Reason}, []any{last.Type, last.Reason})
			}
			assert.Empty(t, r.fake.requests, "no turn was paid for")
			assert.NoDirExists(t, filepath.Join(r.dir, layout.Worktree("side")))
		})
	}
}

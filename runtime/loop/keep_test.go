package loop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/loop/record"
)

// repoRig is a rig whose project is a git repository.
func repoRig(t testing.TB, turns ...func(*doing)) *rig {
	r := newRig(t, turns...)
	p := newRepo(t)
	p.write(".ralph/PROMPT.md", "Do the work.\n")
	p.write("mine.txt", "the user's own, not committed")
	r.project, r.fake.dir = p, p.dir
	return r
}

func TestVerifyDecidesWhetherDoneIsBelieved(t *testing.T) {
	t.Parallel()
	passes := func(d *doing) { claims(d); d.writes("passes", "") }
	tests := []struct {
		name   string
		turns  []func(*doing)
		verify string
		reason string
		taken  int
	}{
		{"it passes", script(claims, passes), "test -f passes", "project_complete", 2},
		{"at the third claim", script(claims, claims, claims, passes), "test -f passes", "project_complete", 4},
		{"never", script(claims), "test -f passes", "unverified", 4},
		{"all of them", script(passes), "true\ntest -f nothing", "unverified", 4},
		{"no check without a claim", script(works), "touch checked; false", "max_turns", 6},
		{"a claim that is not repeated", script(claims, claims, works), "false", "max_turns", 6},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := repoRig(t, tt.turns...)
			r.flags = map[string]string{"verify": tt.verify, "max-turns": "6"}
			stop := r.run()
			assert.Equal(t, tt.reason, stop.Reason, stop.Message)
			assert.Equal(t, tt.taken, r.status().LoopCount)
			assert.Equal(t, stop.Done(), stop.Verified)
			assert.NoFileExists(t, filepath.Join(r.dir, "checked"))
			if stop.Done() {
				assert.Contains(t, stop.Message, "verified by 1 command")
			}
			if tt.name == "at the third claim" {
				assert.Contains(t, r.fake.requests[2].Context, "Not done yet, the check failed: `test -f passes`: exit code 1")
			}
		})
	}
}

func TestVerifyIsRepeatedWhenItChangesTheTree(t *testing.T) {
	r := repoRig(t, claims)
	r.flags["verify"] = "test -f generated || { touch generated; echo x >> runs; }\necho x >> .ralph/logs/runs"
	assert.True(t, r.run().Verified)
	assert.Equal(t, 2, strings.Count(r.read(".ralph/logs/runs"), "x"), "after the last change")
}

func TestVerifyAgainAfterUnverified(t *testing.T) {
	r := repoRig(t, claims)
	r.flags["verify"] = "test -f ok"
	r.flags["verify-attempts"] = "1"
	assert.Equal(t, "unverified", r.run().Reason)
	r.write("ok", "")
	assert.True(t, r.resume().Verified)
}

// After a failed check the agent may have nothing more to change, while the user mends what the check needs: the turn after that is
// checked, too, although there was no progress for as many turns as the circuit breaker allows.
func TestTheClaimAfterAMendedCheckIsChecked(t *testing.T) {
	r := repoRig(t, claims, func(d *doing) { d.says("done\n" + complete) })
	r.flags = map[string]string{"verify": "test -f .ralph/logs/ok", "verify-attempts": "2"}
	assert.Equal(t, ReasonUnverified, r.run().Reason)
	r.write(".ralph/logs/ok", "")
	stop := r.resume()
	assert.Equal(t, ReasonProjectComplete, stop.Reason, stop.Message)
	assert.True(t, stop.Verified)
}

// A resumed loop repeats no check that confirmed the same files, and runs all others.
func TestVerifyWithOtherChecksOnResume(t *testing.T) {
	t.Parallel()
	const first = "echo x >> .ralph/logs/runs"
	for _, tt := range []struct {
		name   string
		verify string // of the resumed loop
		killed bool   // before its stop was recorded
		reason string
		runs   int // of the first check
	}{
		{"the same", first, false, ReasonProjectComplete, 1},
		{"the same, killed", first, true, ReasonProjectComplete, 1},
		{"another", "false", false, ReasonUnverified, 1},
		{"another, killed", "false", true, ReasonUnverified, 1},
		{"one more", first + "\nfalse", false, ReasonUnverified, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := repoRig(t, claims)
			r.flags = map[string]string{"verify": first, "verify-attempts": "1"}
			require.True(t, r.run().Verified)
			if tt.killed {
				r.forget(record.Stopped)
			}
			r.flags["verify"] = tt.verify
			stop := r.resume()
			assert.Equal(t, tt.reason, stop.Reason, stop.Message)
			assert.Equal(t, stop.Done(), stop.Verified)
			assert.Equal(t, tt.runs, strings.Count(r.read(".ralph/logs/runs"), "x"))
			assert.Len(t, r.fake.requests, 2, "no turn is taken")
		})
	}
}

func TestCommitEachTurnThatMadeProgress(t *testing.T) {
	turn := func(d *doing) {
		if d.n != 2 {
			d.writes("src/new file.txt", strings.Repeat("x", d.n))
		}
		d.says(ofBlock("STATUS: IN_PROGRESS", "RECOMMENDATION: continue with the parser"))
	}
	r := repoRig(t, turn)
	r.write(".ralph/@fix_plan.md", "- [x] Read\n- [ ] Write the parser\n")
	r.git("add", "mine.txt")
	r.flags = map[string]string{"commit": "true", "tag": "true", "max-turns": "3"}
	r.run()
	assert.Equal(t, "ripple: turn 3\nripple: turn 1\nfirst", r.git("log", "--format=%s"))
	assert.Equal(t, "src/new file.txt", r.git("show", "--format=", "--name-only", "HEAD"), "nothing of the user's, nothing of the loop's")
	assert.Equal(t, "Task: Write the parser\n\nNext: continue with the parser", r.git("log", "-1", "--format=%b"))
	for _, n := range r.notices {
		if n.Kind == NoticeCommitted {
			assert.Regexp(t, `^[0-9a-f]{10} ripple/`, n.Text, "a hash for people")
		}
	}
	assert.Equal(t, "A  mine.txt\n?? .ralph/", r.git("status", "--porcelain"), "the staged file is still staged")
	tags := strings.Fields(r.git("tag", "--sort=refname"))
	require.Len(t, tags, 2)
	assert.Regexp(t, `^ripple/\d{8}T\d{6}Z/turn-1$`, tags[0])
	assert.Equal(t, r.git("rev-parse", "HEAD"), r.git("rev-parse", tags[1]))
}

func TestCommitsOfTheAgentItselfAreProgress(t *testing.T) {
	r := repoRig(t, nil)
	r.fake.script = script(func(d *doing) { d.work(); r.git("add", "work.txt"); r.git("commit", "-qm", "by the agent") }, claims, claims)
	r.flags = map[string]string{"commit": "true", "tag": "true", "max-turns": "1"}
	r.run()
	assert.Equal(t, "by the agent", r.git("log", "-1", "--format=%s"))
	assert.Equal(t, r.git("rev-parse", "HEAD"), r.git("rev-parse", r.git("tag")))
	assert.Equal(t, r.git("rev-parse", "HEAD~"), strings.TrimSpace(r.read(".ralph/.loop_start_sha")))
}

func TestARefusedCommitStopsTheLoop(t *testing.T) {
	t.Parallel()
	r := repoRig(t, works)
	r.write(".git/hooks/pre-commit", "#!/bin/sh\necho not on a Sunday >&2\nexit 1\n")
	require.NoError(t, os.Chmod(filepath.Join(r.dir, ".git/hooks/pre-commit"), 0o755))
	r.flags["commit"] = "true"
	stop := r.run()
	assert.Equal(t, "conflict", stop.Reason)
	assert.Contains(t, stop.Message, "not on a Sunday")
	assert.Equal(t, "xxx", r.read("work.txt"), "the work is there")
	r.remove(".git/hooks/pre-commit")
	r.flags["max-turns"] = "1"
	assert.Equal(t, "max_turns", r.resume().Reason)
	assert.Equal(t, "ripple: turn 3", r.git("log", "-1", "--format=%s"), "made up for")
}

func TestGitIsAskedForOnlyWhereItIs(t *testing.T) {
	r := newRig(t, works)
	r.flags["commit"] = "true"
	stop := r.run()
	assert.Equal(t, "repository_missing", stop.Reason)
	assert.Contains(t, stop.Message, "not in a git repository")
}

func TestWorktreeIsWhereTheAgentWorks(t *testing.T) {
	t.Parallel()
	r := repoRig(t, works, works)
	r.flags = map[string]string{"worktree": "side", "commit": "true", "max-turns": "1"}
	assert.Equal(t, "max_turns", r.run().Reason)
	dir := filepath.Join(r.dir, ".ralph/side-worktree")
	assert.Equal(t, dir, r.fake.requests[0].Dir)
	assert.Equal(t, "ripple: turn 1", r.git("log", "-1", "--format=%s", "side"))
	assert.Equal(t, "first", r.git("log", "-1", "--format=%s", "main"))
	assert.NoFileExists(t, filepath.Join(r.dir, "work.txt"))

	r.write("b.txt", "on main")
	r.git("add", "b.txt")
	r.git("commit", "-qm", "second")
	r.flags["max-turns"] = "2"
	assert.Equal(t, "max_turns", r.resume().Reason)
	assert.FileExists(t, filepath.Join(dir, "b.txt"), "rebased before the turn")

	r.write("work.txt", "the user writes it too")
	r.git("add", "work.txt")
	r.git("commit", "-qm", "third")
	r.flags["max-turns"] = "3"
	stop := r.resume()
	assert.Equal(t, "conflict", stop.Reason, stop.Message)
	assert.Contains(t, stop.Fix, "git rebase --continue")
	assert.Len(t, r.fake.requests, 2)
}

func TestUntrackedWorkIsProgressAndOldChangesAreNot(t *testing.T) {
	r := repoRig(t, func(d *doing) { d.writes("new/"+strings.Repeat("n", d.n), "x") })
	r.flags["max-turns"] = "5"
	assert.Equal(t, "max_turns", r.run().Reason)
	r = repoRig(t, idles)
	assert.Equal(t, "circuit_open", r.run().Reason)
}

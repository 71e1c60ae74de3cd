package loop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// Each row is an agent's action on the loop's own files in its second turn. The run continues
// normally, and can be resumed.
func TestTheLoopsDirectoryIsWrittenBack(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, did, lost string }{
		{"all of it removed", "rm -rf .ralph", ""},
		{"git clean", "git clean -fdxq", ""},
		{"git stash", "git stash push -qua", ""},
		{"git stash and back", "git stash push -qua; git stash pop -q", ""},
		{"its content removed", "rm -rf .ralph/* .ralph/.[a-z]*", ""},
		{"the events removed", "rm .ralph/events.jsonl", ""},
		{"the events emptied", ": > .ralph/events.jsonl", "events"},
		{"the lock removed", "rm .ralph/loop.lock", ""},
		{"by another's directory", "mv .ralph elsewhere; mkdir .ralph; echo x > .ralph/events.jsonl", ""},
	}
	for _, tt := range testkit.SampleOf(t, 2, 4, tests, func(i int) string { return tests[i].lost }) {
		t.Run(tt.name, func(t *testing.T) {
			r := repoRig(t, nil)
			r.write(".ralph/@fix_plan.md", "- [ ] one\n")
			r.fake.script = script(works, func(d *doing) { r.sh(tt.did); d.work(); d.says("working") }, works, claims)
			r.flags = map[string]string{"max-turns": "3", "commit": "true"}
			stop := r.run()
			require.Equal(t, "max_turns", stop.Reason, stop.Message)
			assert.Equal(t, "Do the work.\n", r.read(".ralph/PROMPT.md"))
			assert.Equal(t, "- [ ] one\n", r.read(".ralph/@fix_plan.md"))
			assert.Equal(t, 3, r.status().LoopCount)
			assert.Equal(t, "ripple: turn 3\nripple: turn 2\nripple: turn 1\nfirst", r.git("log", "--format=%s"))
			var ends int
			for _, l := range r.lines() {
				if l.Type == record.TurnEnded {
					ends++
				}
			}
			if tt.lost == "" {
				assert.Equal(t, 3, ends, "the events are all there")
			}
			said := strings.Join(r.notes(), "\n")
			assert.Equal(t, 1, strings.Count(said, "was removed or emptied while the loop ran"), said)
			r.flags["max-turns"] = "9"
			assert.Equal(t, "plan_complete", func() string { r.write(".ralph/@fix_plan.md", "- [x] one\n"); return r.resume().Reason }())
			assert.Equal(t, 3, r.status().LoopCount, "it knows where it was")
		})
	}
}

// A loop that started where the lock was removed keeps its lock.
func TestALockThatSomebodyElseTookMeanwhile(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.fake.script = script(func(d *doing) {
		require.NoError(t, os.Remove(filepath.Join(d.dir, ".ralph/loop.lock")))
		unlock, err := journal.NewStore(d.dir, nil).Lock(noon)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, unlock()) }) // a lock that nothing refers to is collected, and open again
	})
	stop := r.run()
	assert.Equal(t, "locked", stop.Reason, stop.Message)
}

func TestTheProjectIsGone(t *testing.T) {
	r := newRig(t, nil)
	r.fake.script = script(func(d *doing) { require.NoError(t, os.RemoveAll(r.dir)) })
	stop := r.run()
	assert.Equal(t, "error", stop.Reason)
	assert.Contains(t, stop.Message, "The project's directory, with the loop's record, was renamed or removed")
	assert.Equal(t, "put the project's directory back", stop.Fix)
	assert.NoDirExists(t, r.dir)
}

// A directory that was only renamed has the record: when it is back, the loop continues, and commits what the interrupted turn did.
func TestTheProjectIsRenamed(t *testing.T) {
	t.Parallel()
	r := repoRig(t)
	away := r.dir + "-away"
	r.fake.script = script(func(d *doing) { d.work(); require.NoError(t, os.Rename(r.dir, away)) }, claims)
	r.flags["commit"] = "true"
	stop := r.run()
	assert.Equal(t, "error", stop.Reason, stop.Message)
	assert.False(t, stop.RecordLost)
	require.NoError(t, os.Rename(away, r.dir))
	lines := r.lines()
	assert.Equal(t, record.Stopped, lines[len(lines)-1].Type)
	stop = r.resume()
	assert.True(t, stop.Done(), stop.Message)
	assert.Contains(t, r.git("show", "--stat", "--format=", "HEAD"), "work.txt")
}

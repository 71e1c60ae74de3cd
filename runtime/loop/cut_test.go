package loop

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// gitRig is a rig in a repository of its own.
func gitRig(t *testing.T) *rig {
	r := newRig(t)
	p := newRepo(t)
	p.write(".git/info/exclude", ".ralph\n")
	p.write(".ralph/PROMPT.md", "Do the work.\n")
	r.project, r.fake.dir = p, p.dir
	return r
}

// forgetCut makes the record that of a loop that was killed in its last attempt.
func (r *rig) forgetCut() { r.forget(record.TurnCut) }

// forget makes the record that of a loop that was killed before it wrote the last line of a type.
func (r *rig) forget(kind string) {
	r.t.Helper()
	whole := r.read(".ralph/events.jsonl")
	at := strings.LastIndex(whole, `"type":"`+kind+`"`)
	require.Positive(r.t, at)
	r.write(".ralph/events.jsonl", whole[:strings.LastIndexByte(whole[:at], '\n')+1])
}

// A turn that checks the last box and is then cut off does not complete the loop: it is repeated,
// and its work is committed.
func TestCutOffAfterTheLastBox(t *testing.T) {
	t.Parallel()
	all := map[string]map[string]string{
		"plain":    {},
		"commit":   {"commit": "true", "verify": "test -f made.txt"},
		"worktree": {"commit": "true", "worktree": "side", "verify": "test -f made.txt"},
	}
	tests := []struct{ how, name string }{
		{"stopped", "plain"}, {"killed", "plain"}, {"stopped", "commit"}, {"killed", "commit"}, {"stopped", "worktree"}, {"killed", "worktree"},
	}
	for _, tt := range testkit.SampleOf(t, 2, 4, tests, func(i int) string { return tests[i].name }) {
		how, name := tt.how, tt.name
		t.Run(how+", "+name, func(t *testing.T) {
			r := gitRig(t)
			r.flags = all[name]
			r.write(".ralph/@fix_plan.md", "- [ ] one\n")
			turn := func(d *doing) { // the plan is the project's, even in a worktree
				d.dir = r.dir
				d.writes(".ralph/@fix_plan.md", "- [x] one\n")
				d.dir = d.r.Dir
				d.writes("made.txt", "made\n")
				d.says("ticked")
			}
			r.fake.script = script(func(d *doing) { turn(d); <-d.ctx.Done() }, turn)
			r.onNotice = func(l *Loop, n Notice) {
				if n.Kind == NoticeEvent && len(r.fake.requests) == 1 {
					l.Interrupt()
					l.Interrupt()
				}
			}
			stop := r.run()
			require.Equal(t, ReasonInterrupted, stop.Reason, stop.Message)
			if how == "killed" {
				r.forgetCut()
			}

			stop = r.resume()
			require.Equal(t, ReasonPlanComplete, stop.Reason, stop.Message)
			assert.Len(t, r.fake.requests, 2, "it was taken again")
			assert.Equal(t, 1, r.status().LoopCount)
			branch := map[string]string{"plain": "main", "commit": "main", "worktree": "side"}[name]
			if name == "plain" {
				assert.Equal(t, "?? made.txt", r.git("status", "--porcelain"))
				return
			}
			assert.Empty(t, r.git("status", "--porcelain"))
			assert.Equal(t, "ripple: turn 1\nfirst", r.git("log", "--format=%s", branch))
			assert.Equal(t, "made.txt", r.git("show", "--format=", "--name-only", branch))
			assert.Contains(t, stop.Message, "verified by 1 command")
		})
	}
}

// The cost of each attempt at a turn is counted and recorded.
func TestCutTurnsArePaidFor(t *testing.T) {
	for _, how := range []string{"stopped", "killed"} {
		t.Run(how, func(t *testing.T) {
			r := newRig(t, func(d *doing) {
				d.event(event.Event{Type: event.Usage, Tokens: &event.Tokens{Input: 3, Output: 1, CostUSD: 1}})
				d.event(event.Event{Type: event.Usage, Tokens: &event.Tokens{Input: 10, Output: 2, CostUSD: 3.5}})
				d.says("expensive")
				<-d.ctx.Done()
			})
			r.flags["max-cost"] = "5"
			r.onNotice = func(l *Loop, n Notice) {
				if n.Kind == NoticeEvent && n.Event.Type == event.Text {
					l.Interrupt()
					l.Interrupt()
				}
			}
			for i := range 2 {
				stop := r.runWith(r.options(i > 0))
				require.Equal(t, ReasonInterrupted, stop.Reason, stop.Message)
				if how == "killed" {
					r.forgetCut()
				}
			}
			stop := r.resume()
			assert.Equal(t, ReasonMaxCost, stop.Reason, stop.Message)
			assert.Contains(t, stop.Message, "$7.00")
			assert.Contains(t, stop.Message, "turn 1 was interrupted and is repeated")
			assert.Len(t, r.fake.requests, 2)
			run, err := journal.ReadRun(r.dir)
			require.NoError(t, err)
			assert.Equal(t, []any{7.0, int64(20), int64(4)}, []any{run.CostUSD, run.Tokens.Input, run.Tokens.Output})
			types := map[string]int{}
			for i, v := range r.lines() {
				types[v.Type]++
				assert.EqualValues(t, i+1, v.Seq)
			}
			assert.Equal(t, []int{1, 2, 2, 2}, []int{types[record.RunStarted], types[record.TurnStarted], types[record.TurnCut], types["text"]})
		})
	}
}

// A turn after which the loop itself fails is complete: it counts, its cost is added, and its
// files are committed when the loop continues.
func TestAnErrorAfterTheTurn(t *testing.T) {
	t.Parallel()
	r := gitRig(t)
	r.flags = map[string]string{"commit": "true"}
	r.fake.script = script(func(d *doing) {
		d.work()
		d.event(event.Event{Type: event.Usage, Tokens: &event.Tokens{Input: 1, Output: 1, CostUSD: 3.5}})
		d.says("done\n" + complete)
		require.NoError(t, os.Rename(r.dir+"/.git", r.dir+"/hidden"))
	}, claims)
	stop := r.run()
	require.Equal(t, ReasonError, stop.Reason, stop.Message)
	assert.Equal(t, 1, r.status().LoopCount)
	run, err := journal.ReadRun(r.dir)
	require.NoError(t, err)
	assert.Equal(t, 3.5, run.CostUSD)

	require.NoError(t, os.Rename(r.dir+"/hidden", r.dir+"/.git"))
	stop = r.resume()
	assert.Equal(t, ReasonProjectComplete, stop.Reason, stop.Message)
	assert.Len(t, r.fake.requests, 2)
	assert.Equal(t, "ripple: turn 2\nripple: turn 1\nfirst", r.git("log", "--format=%s"))
	assert.Empty(t, r.git("status", "--porcelain"))
}

// Records of versions without a line for an interrupted attempt.
func TestRecordsWithoutCutTurns(t *testing.T) {
	for name, taken := range map[string]int{"killed_without_turn_cut": 1, "stopped_without_turn_cut": 2} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, works)
			data, err := os.ReadFile("testdata/" + name + ".jsonl")
			require.NoError(t, err)
			r.write(".ralph/events.jsonl", string(data))
			r.write(".ralph/@fix_plan.md", "- [x] one\n")
			stop := r.resume()
			assert.Equal(t, ReasonPlanComplete, stop.Reason, stop.Message)
			require.Len(t, r.fake.requests, 1, "the turn that was cut off is taken again")
			assert.Equal(t, taken, r.fake.requests[0].Turn)
			assert.True(t, strings.HasPrefix(r.read(".ralph/events.jsonl"), string(data)), "nothing is taken out")
			assert.Equal(t, taken, r.status().LoopCount)
		})
	}
}

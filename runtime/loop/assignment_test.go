package loop

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/loop/record"
)

// cutRig is a rig for turns with attempts that are interrupted.
type cutRig struct {
	*rig
	killed           bool   // the interrupted attempts are killed; otherwise the loop is stopped
	events, baseline string // the files as they are when an attempt begins
}

func newCutRig(t *testing.T, killed bool) *cutRig {
	r := &cutRig{rig: gitRig(t), killed: killed}
	r.write(".ralph/@fix_plan.md", "- [ ] one\n- [ ] two\n- [ ] three\n")
	r.onNotice = func(l *Loop, n Notice) {
		if n.Kind == NoticeEvent && n.Event.Text == "waiting" {
			l.Interrupt()
			l.Interrupt()
		}
	}
	return r
}

// cut returns an attempt that is interrupted after it has done something.
func (r *cutRig) cut(what func(*doing)) func(*doing) {
	return func(d *doing) {
		r.events, r.baseline = r.read(".ralph/events.jsonl"), r.read(".ralph/.turn_snapshot")
		what(d)
		d.says("waiting")
		<-d.ctx.Done()
	}
}

// runCut runs or resumes the loop until an attempt is interrupted.
func (r *cutRig) runCut(resume bool) {
	r.t.Helper()
	stop := r.runWith(r.options(resume))
	require.Equal(r.t, ReasonInterrupted, stop.Reason, stop.Message)
	if r.killed {
		r.write(".ralph/events.jsonl", r.events)
		r.write(".ralph/.turn_snapshot", r.baseline)
		r.notices = nil
	}
}

// last returns the state after the last turn.
func (r *cutRig) last() (s record.State) {
	for _, l := range r.lines() {
		if l.Type == record.TurnEnded {
			s = *l.State
		}
	}
	return s
}

// notesAbout returns the notes with a text.
func (r *cutRig) notesAbout(text string) (list []string) {
	for _, note := range r.notes() {
		if strings.Contains(note, text) {
			list = append(list, note)
		}
	}
	return list
}

// rewrites returns a turn that works and writes the prompt and the plan, unless they are "". They are the project's, even with a worktree.
func (r *cutRig) rewrites(prompt, plan string) func(*doing) {
	return func(d *doing) {
		d.work()
		if prompt != "" {
			r.write(".ralph/PROMPT.md", prompt)
		}
		if plan != "" {
			r.write(".ralph/@fix_plan.md", plan)
		}
	}
}

const (
	oneOpen   = "- [ ] one\n"
	oneTicked = "- [x] one\n"
	changed1  = "changed while turn 1 ran"
)

// Changes of the prompt and the plan in an interrupted attempt are reported and counted as if the turn had not been interrupted.
func TestCutAttemptChangesTheAssignment(t *testing.T) {
	t.Parallel()
	type test struct {
		how, where string
		cuts       int
	}
	var tests []test
	for _, where := range []string{"the project", "a worktree", "hats"} {
		tests = append(tests, test{"not", where, 0})
		for _, how := range []string{"killed", "stopped"} {
			tests = append(tests, test{how, where, 1}, test{how, where, 2})
		}
	}
	for _, tt := range testkit.SampleOf(t, 2, 8, tests, func(i int) string { return tests[i].how + tests[i].where }) {
		t.Run(strings.Join([]string{tt.how, tt.where, strings.Repeat("again", tt.cuts)}, ", "), func(t *testing.T) {
			t.Parallel()
			r := newCutRig(t, tt.how == "killed")
			switch tt.where {
			case "a worktree":
				r.flags = map[string]string{"worktree": "side", "commit": "true"}
			case "hats":
				r.write("ripple.yml", builderAndReviewer)
			}
			r.flags["max-turns"] = "1"
			for _, what := range script(r.rewrites("MINE\n", oneOpen), idles)[:tt.cuts] {
				r.fake.script = append(r.fake.script, r.cut(what))
			}
			r.fake.script = append(r.fake.script, func(d *doing) {
				if tt.cuts == 0 {
					r.rewrites("MINE\n", oneOpen)(d)
				}
				r.rewrites("", oneTicked)(d)
			})
			for i := range tt.cuts {
				r.runCut(i > 0)
			}
			stop := r.runWith(r.options(tt.cuts > 0))

			if tt.where == "hats" {
				require.Equal(t, ReasonMaxTurns, stop.Reason, stop.Message)
			} else {
				require.Equal(t, ReasonPlanComplete, stop.Reason, stop.Message)
				assert.Contains(t, stop.Message, "is ticked, 2 others removed without being ticked, after 1 turn")
			}
			assert.Equal(t, 2, r.last().Removed)
			assert.Equal(t, changed1, r.last().Prompt)
			assert.Equal(t, 1, r.last().PromptTurn)
			assert.Contains(t, r.notes(), "turn 1 removed 2 tasks from the plan; 0 of 1 are open")
			require.NotEmpty(t, r.notesAbout(".ralph/PROMPT.md was "+changed1+", by you or by the agent"))
			if tt.cuts > 0 {
				assert.True(t, strings.HasPrefix(r.fake.requests[tt.cuts].Prompt, "MINE\n"), "the prompt as it is now")
				assert.Contains(t, r.notesAbout(changed1)[0], "the repeated turn gets it as it is now")
			}
			if tt.how == "stopped" {
				assert.Len(t, r.notesAbout(changed1), 1, "once")
				assert.Contains(t, r.notes(), "turn 1 removed 2 tasks from the plan; 1 of 1 are open")
			}
		})
	}
}

// Users may edit the prompt and the plan before they resume a loop that they stopped. That is not a change of the turn.
func TestUsersEditAfterAStop(t *testing.T) {
	t.Parallel()
	three := "- [x] one\n- [x] two\n- [x] three\n"
	tests := []struct {
		name, cut, plan, last string
		removed               int
	}{
		{"nothing", "", "", three, 0},
		{"a task is added", "", "- [ ] one\n- [ ] two\n- [ ] three\n- [ ] four\n", three + "- [x] four\n", 0},
		{"an added task is removed by the agent", "", "- [ ] one\n- [ ] two\n- [ ] three\n- [ ] four\n", three, 1},
		{"tasks are removed", "", oneOpen, oneTicked, 0},
		{"tasks are removed by both", "- [ ] one\n- [ ] two\n", oneOpen, oneTicked, 1},
		{"removed tasks are restored", oneOpen, "- [ ] one\n- [ ] two\n- [ ] three\n", three, 0},
		{"the agent restores them", oneOpen, "", three, 0},
		{"tasks that the agent added are removed", three + "- [ ] four\n", oneOpen, oneTicked, 0},
	}
	for _, tt := range testkit.FewerOf(t, 3, tests) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newCutRig(t, false)
			r.fake.script = script(r.cut(r.rewrites("", tt.cut)), r.rewrites("", tt.last))
			r.runCut(false)
			r.write(".ralph/PROMPT.md", "Do it better.\n")
			if tt.plan != "" {
				r.write(".ralph/@fix_plan.md", tt.plan)
			}
			stop := r.resume()
			require.Equal(t, ReasonPlanComplete, stop.Reason, stop.Message)
			assert.Equal(t, tt.removed, r.last().Removed)
			assert.Empty(t, r.notesAbout("PROMPT.md"))
			assert.Empty(t, r.last().Prompt)
		})
	}
}

// After a kill, the repeated turn may have another prompt, and older versions recorded none.
func TestKilledAttemptWithoutThePromptBefore(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*cutRig, *Options){
		"another file": func(r *cutRig, o *Options) {
			r.write("task.md", "Another task.\n")
			o.PromptFile = r.dir + "/task.md"
		},
		"no file": func(_ *cutRig, o *Options) { o.Prompt = "Another task." },
		"an older record": func(r *cutRig, _ *Options) {
			known := r.json(".ralph/.turn_snapshot")
			require.Contains(t, known, "assignment")
			delete(known, "assignment")
			data, err := json.Marshal(known)
			require.NoError(t, err)
			r.write(".ralph/.turn_snapshot", string(data))
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newCutRig(t, true)
			r.fake.script = script(r.cut(r.rewrites("MINE\n", "")), r.rewrites("", "- [x] one\n- [x] two\n- [x] three\n"))
			r.runCut(false)
			o := r.options(true)
			change(r, &o)
			stop := r.runWith(o)
			require.Equal(t, ReasonPlanComplete, stop.Reason, stop.Message)
			assert.Empty(t, r.notesAbout("PROMPT.md"))
			assert.Empty(t, r.notesAbout("task.md"))
			assert.Empty(t, r.last().Prompt)
			assert.Zero(t, r.last().Removed)
		})
	}
}

// A reset between a kill and the next run does not hide what the attempt changed.
func TestResetAfterAKilledAttempt(t *testing.T) {
	t.Parallel()
	r := newCutRig(t, true)
	r.fake.script = script(r.cut(r.rewrites("MINE\n", oneOpen)), r.rewrites("", oneTicked))
	r.runCut(false)
	require.NoError(t, Reset(r.dir, ResetSession, New(r.options(true)).now()))
	stop := r.resume()
	require.Equal(t, ReasonPlanComplete, stop.Reason, stop.Message)
	assert.Equal(t, 2, r.last().Removed)
	assert.Equal(t, changed1, r.last().Prompt)
}

// Tasks that a rebase of the worktree takes out of its plan are not removed by the turn.
func TestRebaseChangesThePlan(t *testing.T) {
	t.Parallel()
	r := newCutRig(t, false)
	r.git("add", "-f", ".ralph/@fix_plan.md")
	r.git("commit", "-qm", "plan")
	r.flags = map[string]string{"worktree": "side", "commit": "true", "max-turns": "2"}
	r.fake.script = script(func(d *doing) {
		d.work()
		r.write(".ralph/@fix_plan.md", oneOpen)
		r.git("commit", "-qam", "fewer tasks")
	}, works)
	r.run()
	assert.Equal(t, oneOpen, r.read(".ralph/side-worktree/.ralph/@fix_plan.md"), "it was rebased")
	assert.Empty(t, r.notesAbout("removed"))
	assert.Contains(t, r.fake.requests[1].Context, "1 of 1")
}

// The record of the tree before a turn may have been changed by a program that may write .ralph: nothing in it becomes an option of git
// or the name of a file elsewhere.
func TestOptionsInTheRecordOfATurn(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"", "review", "project"} {
		r := newCutRig(t, true)
		r.flags = map[string]string{}
		r.fake.script = script(r.cut(func(*doing) {}), func(d *doing) { d.writes("a", "x"); r.sh("git add -A; git commit -qm x") })
		r.runCut(false)
		known := r.json(".ralph/.turn_snapshot")
		written := filepath.Join(t.TempDir(), "written")
		if part == "" {
			require.NotEmpty(t, known["head"])
			known["head"] = "--output=" + written
		} else {
			known[part] = map[string]any{"files": map[string]any{"../x": "absent"}}
		}
		data, err := json.Marshal(known)
		require.NoError(t, err)
		r.write(".ralph/.turn_snapshot", string(data))
		r.flags["max-turns"] = "1"
		r.runWith(r.options(true))
		assert.NoFileExists(t, written)
		assert.FileExists(t, filepath.Join(r.dir, ".ralph/.turn_snapshot.corrupt"), part)
	}
}

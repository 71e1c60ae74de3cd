package loop

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/journal"
)

// files returns the content of each file of a project, by its path.
func (r *rig) files() map[string]string {
	all := map[string]string{}
	require.NoError(r.t, filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			all[path] = string(data)
			return err
		}
		return err
	}))
	return all
}

// shown requires the request of a turn to be the one that NextTurn showed before it.
func (r *rig) shown(want, got Request) {
	r.t.Helper()
	assert.Equal(r.t, got.Turn, want.Turn)
	assert.Equal(r.t, got.Prompt, want.Prompt)
	assert.Equal(r.t, got.Context, want.Context)
	assert.Equal(r.t, got.SessionID, want.SessionID)
	assert.Equal(r.t, got.Dir, want.Dir)
	assert.Equal(r.t, got.AllowedTools, want.AllowedTools)
}

// NextTurn shows the turn that the loop takes next, and changes nothing.
func TestNextTurnIsTheOneThatIsTaken(t *testing.T) {
	numbered := func(d *doing) {
		works(d)
		d.out.SessionID = fmt.Sprintf("s-%d", d.n)
	}
	for name, tt := range map[string]struct {
		first, second func(*doing)
		yml           string
		flags         map[string]string
		sessions      []string
	}{
		"its session continues":         {numbered, numbered, "", nil, []string{"", "s-1", "s-2"}},
		"a full session does not":       {numbered, func(d *doing) { d.work(); d.fails(event.ContextFull, "it is full") }, "", nil, []string{"", "s-1", ""}},
		"nor one that is not wanted":    {numbered, numbered, "", map[string]string{"continue-session": "false"}, []string{"", "", ""}},
		"nor an invalid session ID":     {func(d *doing) { works(d); d.out.SessionID = "--yolo" }, works, "", nil, []string{"", "", ""}},
		"each hat has a session":        {func(d *doing) { numbered(d); publishes("built")(d) }, func(d *doing) { numbered(d); publishes("rejected")(d) }, builderAndReviewer, nil, nil},
		"in a working tree of its own":  {numbered, numbered, "", map[string]string{"worktree": "side"}, []string{"", "s-1", "s-2"}},
		"with a plan":                   {numbered, numbered, "", map[string]string{"plan": "project"}, []string{"", "s-1", "s-2"}},
		"with a plan beside the tree":   {numbered, numbered, "", map[string]string{"worktree": "side", "plan": "project"}, []string{"", "s-1", "s-2"}},
		"with a plan in the tree":       {numbered, numbered, "", map[string]string{"worktree": "side", "plan": "own"}, []string{"", "s-1", "s-2"}},
		"after a turn that did nothing": {func(d *doing) { d.out.SessionID = "s-1" }, numbered, "", nil, []string{"", "s-1", "s-2"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, tt.first, tt.second, numbered)
				if tt.flags["worktree"] != "" {
					r.project = newRepo(t)
					r.fake.dir = r.dir
					r.write(".ralph/PROMPT.md", "Do the work.\n")
				}
				if tt.yml != "" {
					r.write("ripple.yml", tt.yml)
				}
				maps.Copy(r.flags, tt.flags)
				plan := r.flags["plan"]
				delete(r.flags, "plan")
				if plan == "project" {
					r.write(".ralph/@fix_plan.md", "- [ ] one\n- [x] two\n")
				}
				var sessions []string
				for i, resume := range []bool{false, true, true} {
					if plan == "own" && resume { // the tree is there
						r.write(".ralph/side-worktree/.ralph/@fix_plan.md", "- [ ] one\n- [x] two\n")
					}
					r.flags["max-turns"] = fmt.Sprint(i + 1)
					before := r.files()
					_, want, resumed, err := NextTurn(t.Context(), r.options(resume))
					require.NoError(t, err)
					assert.Equal(t, resume, resumed)
					assert.Equal(t, before, r.files())
					r.runWith(r.options(resume))
					require.Len(t, r.fake.requests, i+1)
					r.shown(want, r.fake.requests[i])
					sessions = append(sessions, want.SessionID)
				}
				if tt.sessions != nil {
					assert.Equal(t, tt.sessions, sessions)
				}
			})
		})
	}
}

// A turn that was killed is taken again, with the session before it.
func TestNextTurnAfterAKill(t *testing.T) {
	var r *rig
	var left string
	r = newRig(t, func(d *doing) { works(d); d.out.SessionID = "s-1" }, func(d *doing) {
		left = r.read(".ralph/events.jsonl")
		works(d)
	}, works)
	r.flags["max-turns"] = "1"
	r.run()
	r.flags["max-turns"] = "2"
	r.resume()
	r.write(".ralph/events.jsonl", left)
	_, want, resumed, err := NextTurn(t.Context(), r.options(true))
	require.NoError(t, err)
	assert.True(t, resumed)
	assert.Equal(t, 2, want.Turn)
	assert.Equal(t, "s-1", want.SessionID)
	r.resume()
	r.shown(want, r.fake.requests[2])
}

// Answers and guidance after a stop are in the next turn, and so is a tool that they allow.
func TestNextTurnAfterAnAnswer(t *testing.T) {
	r := newRig(t, func(d *doing) {
		d.work()
		d.event(event.Event{Type: event.ToolUse, ID: "1", Name: "Bash", Tool: "bash", Input: []byte(`{"command":"make deploy"}`)})
		d.event(event.Event{Type: event.PermissionDenied, ID: "1", Name: "Bash", Tool: "bash", Detail: "no"})
	}, claims)
	r.flags["on-denial"] = "halt"
	require.Equal(t, ReasonPermissionDenied, r.run().Reason)
	require.NoError(t, r.answers("q1", event.Answer{Option: "allow"}))
	require.NoError(t, journal.Leave(r.dir, "mind the tests", time.Now()))
	before := r.files()
	_, want, resumed, err := NextTurn(t.Context(), r.options(true))
	require.NoError(t, err)
	assert.True(t, resumed)
	assert.Equal(t, before, r.files())
	assert.Equal(t, []string{"Bash(make deploy)"}, want.AllowedTools)
	assert.Contains(t, want.Prompt, "# Answers to your questions")
	assert.Contains(t, want.Prompt, "    mind the tests\n")
	r.resume()
	r.shown(want, r.fake.requests[1])
}

// Without a recorded run the first turn of a new one is shown, also if the time of a run is limited.
func TestNextTurnWithoutARun(t *testing.T) {
	r := newRig(t, works)
	r.flags["max-runtime"] = "8h"
	_, want, resumed, err := NextTurn(t.Context(), r.options(true))
	require.NoError(t, err)
	assert.False(t, resumed)
	assert.Equal(t, 1, want.Turn)
}

// A text that is not a session ID is reported once, and no session is recorded.
func TestAnAgentThatReportsNoSessionID(t *testing.T) {
	r := newRig(t, func(d *doing) { works(d); d.event(event.Event{Type: event.Session, ID: "--yolo"}) })
	r.flags["max-turns"] = "3"
	r.run()
	assert.Equal(t, []string{`the agent reported the session "--yolo", which is not a session ID (` + event.SessionIDForm + `): it is ignored`}, r.notes())
	for _, q := range r.fake.requests {
		assert.Empty(t, q.SessionID)
	}
}

// A run that would stop before a turn shows the stop, and not a turn that is never taken.
func TestNextTurnThatIsNotTaken(t *testing.T) {
	for name, tt := range map[string]struct {
		script []func(*doing)
		flags  map[string]string
		plan   string
		resume bool
		reason string
	}{
		"all turns are taken":       {script(works), map[string]string{"max-turns": "1"}, "", true, ReasonMaxTurns},
		"the money is spent":        {script(func(d *doing) { works(d); d.event(event.Event{Type: event.Finished, CostUSD: 2}) }), map[string]string{"max-cost": "1"}, "", true, ReasonMaxCost},
		"the time is over":          {script(func(d *doing) { works(d); time.Sleep(2 * time.Hour) }), map[string]string{"max-runtime": "1h"}, "", true, ReasonMaxRuntime},
		"the circuit is open":       {script(idles), nil, "", true, ReasonCircuitOpen},
		"an open circuit, again":    {script(idles), nil, "", false, ReasonCircuitOpen},
		"the plan is done":          {script(works), nil, "- [x] one\n", false, ReasonPlanComplete},
		"the plan is done, resumed": {script(func(d *doing) { works(d); d.writes(".ralph/@fix_plan.md", "- [x] one\n") }), map[string]string{"max-turns": "1"}, "- [ ] one\n", true, ReasonPlanComplete},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, tt.script...)
				maps.Copy(r.flags, tt.flags)
				if tt.plan != "" {
					r.write(".ralph/@fix_plan.md", tt.plan)
				}
				if tt.reason != ReasonPlanComplete || tt.resume {
					r.run()
				}
				before, taken := r.files(), len(r.fake.requests)
				_, _, _, err := NextTurn(t.Context(), r.options(tt.resume))
				stop, is := errors.AsType[*Stop](err)
				require.True(t, is, "%v", err)
				assert.Equal(t, tt.reason, stop.Reason, stop.Message)
				assert.Equal(t, before, r.files())

				got := r.runWith(r.options(tt.resume))
				assert.Len(t, r.fake.requests, taken, "no turn is taken")
				assert.Equal(t, got.Reason, stop.Reason)
				assert.Equal(t, got.Message, stop.Message)
				assert.Equal(t, got.Fix, stop.Fix)
			})
		})
	}
}

// The preview shows a turn if the run takes it.
func TestNextTurnThatIsTakenAllTheSame(t *testing.T) {
	for name, tt := range map[string]struct {
		script []func(*doing)
		flags  map[string]string
	}{
		"a higher limit":           {script(works), map[string]string{"max-turns": "2"}},
		"a circuit that is closed": {script(idles, idles, idles, works), map[string]string{"auto-reset-circuit": "true"}},
		"time is left":             {script(works), map[string]string{"max-turns": "2", "max-runtime": "1h"}},
		"a limit that is over":     {script(fails(event.Limited, 0), works), map[string]string{"max-wait": "1s"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, tt.script...)
				r.flags["max-turns"] = "1"
				if tt.flags["max-turns"] == "" {
					r.flags["max-turns"] = "4"
					if v := tt.flags["max-wait"]; v != "" {
						r.flags["max-wait"] = v
					}
				}
				r.run()
				taken := len(r.fake.requests)
				maps.Copy(r.flags, tt.flags)
				delete(r.flags, "max-wait")
				_, want, _, err := NextTurn(t.Context(), r.options(true))
				require.NoError(t, err)
				r.resume()
				require.Greater(t, len(r.fake.requests), taken)
				r.shown(want, r.fake.requests[taken])
			})
		})
	}
}

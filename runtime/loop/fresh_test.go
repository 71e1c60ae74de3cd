package loop

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/event"
)

// A new run starts with its own counts. Each row is a turn that is repeated as often as possible
// without ending the first run, and once more in the second.
func TestANewRunCountsFromZero(t *testing.T) {
	t.Parallel()
	denied := func(d *doing) { d.work(); d.event(event.Event{Type: event.PermissionDenied, Name: "Bash"}) }
	tests := []struct {
		name  string
		turn  func(*doing)
		times string
		flags map[string]string
	}{
		{"turns without progress", idles, "2", nil},
		{"turns without progress, with the circuit closed at the start", idles, "2", map[string]string{"auto-reset-circuit": "true"}},
		{"failures", func(d *doing) { d.work(); d.fails(event.Crashed, string(rune('a'+d.n))) }, "4", nil},
		{"the same error", func(d *doing) { d.work(); d.event(event.Event{Type: event.Error, Message: "out of paper"}) }, "4", nil},
		{"denials", denied, "1", map[string]string{"on-denial": "threshold"}},
		{"claims that failed", claims, "3", map[string]string{"verify": "false"}},
		{"blocked", func(d *doing) { d.work(); d.says(ofBlock("STATUS: BLOCKED")) }, "1", nil},
		{"tests", func(d *doing) {
			d.writes("tests/a_test.go", string(rune('a'+d.n)))
			d.says(ofBlock("STATUS: IN_PROGRESS", "WORK_TYPE: TESTING"))
		}, "2", nil},
		{"cost", func(d *doing) { d.work(); d.event(event.Event{Type: event.Finished, CostUSD: 0.9}) }, "1", map[string]string{"max-cost": "1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			runs := func(t *testing.T) {
				r := newRig(t, tt.turn)
				r.flags["max-turns"] = tt.times
				for name, v := range tt.flags {
					r.flags[name] = v
				}
				for range 2 {
					stop := r.run()
					assert.Equal(t, "max_turns", stop.Reason, stop.Message)
				}
				assert.Equal(t, "CLOSED", r.json(".ralph/.circuit_breaker_state")["state"])
			}
			if tt.flags["verify"] != "" { // it starts a process
				runs(t)
				return
			}
			synctest.Test(t, runs)
		})
	}
}

// Earlier usage of a session is not counted for a new run.
func TestANewRunKnowsTheUseOfTheSession(t *testing.T) {
	r := newRig(t, func(d *doing) {
		d.work()
		d.out.SessionID, d.out.SessionTokens = "s1", event.Tokens{Input: int64(100 * d.n)}
	})
	r.flags["max-turns"] = "2"
	r.run()
	r.run()
	assert.Equal(t, "s1", r.fake.requests[2].SessionID)
	assert.EqualValues(t, 200, r.fake.requests[2].PriorTokens.Input)
}

// A journal with a number of turns below zero is not continued, and neither is the preview of its next turn: the error
// names the line. A new run does not need it.
func TestResumeWithNegativeTurns(t *testing.T) {
	t.Parallel()
	const begun = `{"turn":-1,"seq":9,"time":"2026-01-01T00:00:01Z","type":"turn_started"}`
	ended := func(state string) string {
		return `{"turn":1,"seq":9,"time":"2026-01-01T00:00:09Z","type":"turn_ended","state":` + state + "}"
	}
	for _, tt := range []struct {
		name string
		last []string // lines after those of a run
		bad  int      // which of them is damaged, from 1; 0: none
	}{
		{"none", []string{ended(`{"run":"r","turn":1}`)}, 0},
		{"the turn of a state", []string{ended(`{"run":"r","turn":-5}`)}, 1},
		{"lost turns", []string{ended(`{"run":"r","turn":1,"lost":-1}`)}, 1},
		{"interrupted attempts", []string{ended(`{"run":"r","turn":1,"cut":-1}`)}, 1},
		{"the examined turn", []string{ended(`{"run":"r","turn":1,"examined":-1}`)}, 1},
		{"the committed turn", []string{ended(`{"run":"r","turn":1,"committed":-1}`)}, 1},
		{"a turn that was interrupted", []string{begun}, 1},
		{"an event of the agent", []string{ended(`{"run":"r","turn":1}`), `{"turn":-2,"seq":1,"time":"2026-01-01T00:00:01Z","type":"text","text":"x"}`}, 2},
		{"a state before the last one", []string{ended(`{"run":"r","turn":-5}`), ended(`{"run":"r","turn":1}`)}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, works)
			r.flags["max-turns"] = "1"
			r.run()
			journal := r.read(".ralph/events.jsonl")
			r.write(".ralph/events.jsonl", journal+strings.Join(tt.last, "\n")+"\n")
			r.flags["max-turns"] = "2"
			_, _, resumed, err := NextTurn(t.Context(), r.options(true))
			stop := r.resume()
			if tt.bad == 0 {
				require.NoError(t, err)
				assert.True(t, resumed)
				assert.Equal(t, ReasonMaxTurns, stop.Reason, stop.Message)
				return
			}
			want := fmt.Sprintf("%s:%d: damaged: a number of turns is negative; restore the file, or begin a new run",
				filepath.Join(r.dir, ".ralph/events.jsonl"), strings.Count(journal, "\n")+tt.bad)
			assert.EqualError(t, err, want)
			assert.Equal(t, []string{ReasonError, want + "."}, []string{stop.Reason, stop.Message})
			assert.Len(t, r.fake.requests, 1)
			r.flags["max-turns"] = "1"
			assert.Equal(t, ReasonMaxTurns, r.run().Reason)
		})
	}
}

// A turn that timed out after changing files does not count as failed.
func TestATurnThatRanOutOfTime(t *testing.T) {
	t.Parallel()
	for _, kind := range []event.Kind{event.Timeout, event.MaxTurns} {
		out := func(work bool) func(*doing) {
			return func(d *doing) {
				if work {
					d.work()
				}
				d.says(complete)
				d.fails(kind, "the turn took longer than 15m0s")
			}
		}
		tests := []struct {
			name, reason string
			flags        map[string]string
			turns        []func(*doing)
			taken        int
		}{
			{"with changes", "max_turns", map[string]string{"max-turns": "7"}, script(out(true)), 7},
			{"without", "circuit_open", nil, script(out(false)), 3},
			{"without, and no circuit", "max_failures", map[string]string{"max-failures": "2"}, script(out(false)), 2},
			{"changes forgive", "max_turns", map[string]string{"max-turns": "4", "max-failures": "2"}, script(failed, out(true), failed, out(true)), 4},
			{"its claim is cut off, too", "max_turns", map[string]string{"max-turns": "3"}, script(out(true)), 3},
		}
		for _, tt := range tests {
			t.Run(string(kind)+" "+tt.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newRig(t, tt.turns...)
					for name, v := range tt.flags {
						r.flags[name] = v
					}
					stop := r.run()
					assert.Equal(t, tt.reason, stop.Reason, stop.Message)
					assert.Len(t, r.fake.requests, tt.taken)
					if tt.name == "with changes" {
						assert.Zero(t, r.waits("after a failed turn"))
						assert.Contains(t, r.fake.requests[1].Context, "made progress; the turn was cut off (")
					}
				})
			})
		}
	}
}

// A run that ends before it is done reports the reason.
func TestWhyItIsNotDone(t *testing.T) {
	t.Parallel()
	says := func(lines ...string) func(*doing) {
		return func(d *doing) { d.work(); d.says(ofBlock(lines...)) }
	}
	tests := []struct {
		name  string
		turn  func(*doing)
		flags map[string]string
		plan  string
		want  string
	}{
		{"no claim", works, nil, "", "the agent did not say that the work is done"},
		{"tasks are open", works, nil, "- [x] a\n- [ ] b\n", "1 of 2 tasks are open"},
		{"the check failed", claims, map[string]string{"verify": "echo no paper; false"}, "", "the work is not done, the check failed: `echo no paper; false`: exit code 1: no paper"},
		{"a permission was denied", denied, nil, "", "the agent said that the work is done, which does not count in a turn that was denied a permission"},
		{"a permission was denied, with the plan complete", func(d *doing) { denied(d); d.writes(".ralph/@fix_plan.md", "- [x] a\n") }, nil, "", "in a turn that was denied a permission"},
		{"its tests fail", says("STATUS: COMPLETE", "TESTS_STATUS: FAILING", "EXIT_SIGNAL: true"), nil, "", "the agent said that the work is done, but also that its tests fail"},
		{"it was cut off", func(d *doing) { claims(d); d.fails(event.Timeout, "too long") }, nil, "", "which does not count in a failed turn (timeout)"},
		{"no EXIT_SIGNAL", says("STATUS: COMPLETE", "EXIT_SIGNAL: false"), nil, "", "which counts once 2 turns in a row say so and the last has EXIT_SIGNAL: true"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.turn)
			r.flags["max-turns"] = "2"
			for name, v := range tt.flags {
				r.flags[name] = v
			}
			if tt.plan != "" {
				r.write(".ralph/@fix_plan.md", tt.plan)
			}
			stop := r.run()
			assert.Equal(t, "max_turns", stop.Reason)
			assert.Contains(t, stop.Message, tt.want)
		})
	}
}

// No completion signal counts while the agent's tests fail.
func TestFailingTestsAreNeverDone(t *testing.T) {
	t.Parallel()
	for name, turn := range map[string]func(*doing){
		"EXIT_SIGNAL": func(d *doing) { d.says(ofBlock("STATUS: COMPLETE", "TESTS_STATUS: failing", "EXIT_SIGNAL: true")) },
		"promise":     func(d *doing) { d.says(ofBlock("TESTS_STATUS: FAILING") + "\nLOOP_COMPLETE") },
		"plan":        func(d *doing) { d.says(ofBlock("TESTS_STATUS: FAILING")); d.writes(".ralph/@fix_plan.md", "- [x] a\n") },
		"saturation": func(d *doing) {
			d.writes("tests/a_test.go", string(rune('a'+d.n)))
			d.says(ofBlock("TESTS_STATUS: FAILING", "WORK_TYPE: TESTING"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, func(d *doing) {
					if name != "saturation" {
						d.work()
					}
					turn(d)
				})
				r.flags["max-turns"] = "4"
				assert.Equal(t, "max_turns", r.run().Reason)
				assert.Contains(t, r.fake.requests[1].Context, "tests FAILING")
			})
		})
	}
}

package loop

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// An intended status block that ripple cannot read is reported once, to the user and to the
// agent.
func TestOddBlocks(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"a valid block", complete, ""},
		{"none", "I am at it.", ""},
		{"an unknown status", ofBlock("STATUS: DONE", "EXIT_SIGNAL: true"), "STATUS: DONE of its status block is ignored: it must be one of IN_PROGRESS, COMPLETE, BLOCKED"},
		{"an unknown signal", ofBlock("STATUS: COMPLETE", "EXIT_SIGNAL: yes"), "EXIT_SIGNAL: yes of its status block is ignored: it must be one of true, false"},
		{"unknown tests", ofBlock("TESTS_STATUS: GREEN"), "TESTS_STATUS: GREEN"},
		{"bold keys", ofBlock("**STATUS:** COMPLETE"), `the line "**STATUS: ** COMPLETE" of its status block is ignored: STATUS must be at its start`},
		{"a list", ofBlock("- STATUS: COMPLETE"), `the line "- STATUS: COMPLETE"`},
		{"a bold block", "**" + blockBegin + "**\nSTATUS: COMPLETE\n**" + blockEnd + "**\n", `its status block is ignored: ---RALPH_STATUS--- must be alone on its line, without "****"`},
		{"an indented block", "  " + strings.ReplaceAll(complete, "\n", "\n  "), "its status block is ignored: ---RALPH_STATUS--- must be alone on its line"},
		{"no end", blockBegin + "\nSTATUS: COMPLETE\n", "its status block is ignored: it has no line ---END_RALPH_STATUS---"},
		{"the template", ofBlock("STATUS: IN_PROGRESS | COMPLETE | BLOCKED", "EXIT_SIGNAL: false | true"), ""},
		{"words about it", "I shall write " + blockBegin + " at the end.", ""},
		{"an example", "It is:\n```\n" + complete + "```\nbut I am not done.", "its status block is ignored: it is in fenced code, and words follow it"},
		{"a bold promise", "**LOOP_COMPLETE**", `the last line "**LOOP_COMPLETE**" is not the promise: it must be LOOP_COMPLETE and nothing else`},
		{"a promise as code", "`LOOP_COMPLETE`", "the last line \"`LOOP_COMPLETE`\" is not the promise"},
		{"a promise with a period", "LOOP_COMPLETE.", "the last line \"LOOP_COMPLETE.\" is not the promise"},
		{"a promise in small letters", "loop_complete", "the last line \"loop_complete\" is not the promise"},
		{"a promise in fenced code", "```\nLOOP_COMPLETE\n```", "the LOOP_COMPLETE of its answer does not count: it is in fenced code"},
		{"a promise after other text", "Done. LOOP_COMPLETE", "LOOP_COMPLETE does not count at the end of other text"},
		{"a promise after a carriage return", "10%\rLOOP_COMPLETE\r", "LOOP_COMPLETE does not count at the end of other text"},
		{"text after a promise", "LOOP_COMPLETE\nso it is", "the LOOP_COMPLETE of its answer does not count: it must be the last line"},
		{"words about the promise", "I shall write LOOP_COMPLETE at the end.", ""},
		{"a promise and its opposite", ofBlock("STATUS: IN_PROGRESS", "EXIT_SIGNAL: false") + "LOOP_COMPLETE", "it said LOOP_COMPLETE and EXIT_SIGNAL: false in one answer"},
		{"an odd one before a good one", ofBlock("STATUS: DONE") + complete, ""},
	}
	for _, tt := range testkit.FewerOf(t, 5, tests) {
		t.Run(tt.name, func(t *testing.T) {
			e := &ended{said: &analysis{}}
			e.said.addText(tt.text)
			e.read("LOOP_COMPLETE")
			got := e.odd
			assert.Contains(t, got, tt.want)
			assert.Equal(t, tt.want == "", got == "", got)
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, func(d *doing) { d.work(); d.says(tt.text) })
				r.flags["max-turns"] = "3"
				r.run()
				if tt.want == "" {
					assert.Empty(t, r.notes())
					return
				}
				require.Len(t, r.notes(), 1, "once")
				assert.Contains(t, r.notes()[0], "turn 1: "+tt.want)
				assert.Contains(t, r.fake.requests[1].Context, strings.Fields(tt.want)[0], "the agent hears of it")
			})
		})
	}
	template := "Write:\n```\n" + ofBlock("STATUS: COMPLETE") + "```\n"
	assert.Empty(t, odd("As you say:\n"+template+"So I shall.", template, nil))
	prompt := "Write:\n" + blockBegin + "\nSTATUS: IN_PROGRESS | COMPLETE\n" + blockEnd + "\n"
	assert.Empty(t, odd("> "+prompt, prompt, nil))
}

// An agent may say that all is done while tasks are open, or do them without ticking them.
func TestADoneLoopNamesTheOpenTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, works, claims, claims)
		r.write(".ralph/@fix_plan.md", "- [x] a\n- [ ] b\n")
		assert.Equal(t, "The agent says that the project is complete after 3 turns, not verified; 1 of 2 tasks in .ralph/@fix_plan.md are open.", r.run().Message)
	})
}

// A promise while tasks are open does not end the loop: the user, in one line of each such turn, and the agent hear of it, and the
// end of the loop names it.
func TestAPromiseWithOpenTasks(t *testing.T) {
	t.Parallel()
	const open = "LOOP_COMPLETE does not count: 1 of 2 tasks in .ralph/@fix_plan.md are open"
	promises := func(d *doing) { d.says("done\nLOOP_COMPLETE") }
	for name, tt := range map[string]struct {
		turns []func(*doing)
		flags map[string]string
		stop  string
		turn  int // the first of those with the report; 0 for none
	}{
		"the circuit opens": {script(works, promises), nil, "The circuit breaker is open: no progress in 3 turns; the last turn: no change; " + open + "; the agent said last: “LOOP_COMPLETE”.", 2},
		"the last turn":     {script(promises, promises), map[string]string{"max-turns": "2"}, "; the agent said that the work is done, but 1 of 2 tasks are open.", 1},
		"another promise": {
			script(func(d *doing) { d.says("done\nTHE END") }),
			map[string]string{"completion-promise": "THE END", "max-turns": "1"},
			"but 1 of 2 tasks are open.",
			1,
		},
		"no promise": {script(idles), map[string]string{"max-turns": "1"}, "; 1 of 2 tasks are open.", 0},
		"failing tests": {
			script(func(d *doing) { d.says(ofBlock("TESTS_STATUS: FAILING") + "\nLOOP_COMPLETE") }), map[string]string{"max-turns": "1"}, "but also that its tests fail.", 0,
		},
		"the turn ticks the last task": {script(func(d *doing) { promises(d); d.writes(".ralph/@fix_plan.md", "- [x] a\n- [x] b\n") }), nil, "The agent says that the project is complete after 1 turn, not verified.", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, tt.turns...)
				for name, v := range tt.flags {
					r.flags[name] = v
				}
				r.write(".ralph/@fix_plan.md", "- [x] a\n- [ ] b\n")
				assert.Contains(t, r.run().Message, tt.stop)
				assert.Empty(t, r.notes())
				for _, n := range r.notices {
					if n.Kind == NoticeTurnEnded {
						assert.Equal(t, tt.turn > 0 && n.Turn >= tt.turn, strings.Contains(n.Text, "does not count: 1 of 2 tasks in .ralph/@fix_plan.md are open"), n.Text)
					}
				}
				if len(r.fake.requests) > 2 {
					assert.Contains(t, r.fake.requests[2].Context, "LOOP_COMPLETE does not count: 1 of 2 tasks in", "the agent hears of it")
				}
			})
		})
	}
}

// Removed boxes do not count as completed work.
func TestTasksTakenOutOfThePlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, works, func(d *doing) { d.work(); d.writes(".ralph/@fix_plan.md", "- [x] a\n") })
		r.write(".ralph/@fix_plan.md", "- [x] a\n- [ ] b\n- [ ] c\n")
		stop := r.run()
		assert.Equal(t, "plan_complete", stop.Reason)
		assert.Contains(t, stop.Message, "is ticked, 2 others removed without being ticked, after 2 turns")
		assert.Equal(t, []string{"turn 2 removed 2 tasks from the plan; 0 of 1 are open"}, r.notes())
		assert.Equal(t, "graceful_exit", r.status().LastAction)
	})
}

// The logs have no effect on a reader's terminal.
func TestLogsArePrintable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(d *doing) {
			d.work()
			d.says("a\x1b]52;c;ZXZpbA==\x07b\x1b[2J\tc\u009b2Jd\re\xff\n\x1b[1mbold\x1b[0m")
		})
		r.flags["max-turns"] = "1"
		r.run()
		live := r.read(".ralph/live.log")
		assert.Contains(t, live, "ab\tc")
		assert.Contains(t, live, "\nbold\n")
		assert.NotRegexp(t, `[\x00-\x08\x0b-\x1f\x7f-\x9f]`, strings.ReplaceAll(live, "\ufffd", ""))
		assert.NotContains(t, live, "ZXZpbA")
	})
}

func TestDollars(t *testing.T) {
	for usd, want := range map[float64]string{0: "$0.00", 0.00001: "less than $0.0001", 0.0042: "$0.0042", 0.0099999: "$0.0100", 0.01: "$0.01", 1234.5: "$1234.50"} {
		assert.Equal(t, want, FormatUSD(usd))
	}
}

package loop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// Each row is a whole run: the agent's turns, and the end of the run.
func TestReasonsForTheEndOfARun(t *testing.T) {
	t.Parallel()
	says := func(text string) func(*doing) { return func(d *doing) { d.work(); d.says(text) } }
	ticks := func(plan string) func(*doing) {
		return func(d *doing) { d.work(); d.writes(".ralph/@fix_plan.md", plan) }
	}
	ticksAnd := func(k event.Kind) func(*doing) {
		return func(d *doing) { ticks("- [x] a\n")(d); d.fails(k, "it broke off") }
	}
	inProgress := says(ofBlock("STATUS: COMPLETE", "EXIT_SIGNAL: false"))
	tests := []struct {
		name   string
		turns  []func(*doing)
		flags  map[string]string
		plan   string
		reason string
		taken  int
	}{
		{"two claims with EXIT_SIGNAL", script(works, claims, claims), nil, "", "project_complete", 3},
		{"one claim is not enough", script(claims, works), map[string]string{"max-turns": "4"}, "", "max_turns", 4},
		{"COMPLETE with EXIT_SIGNAL false continues", script(inProgress), map[string]string{"max-turns": "4"}, "", "max_turns", 4},
		{"prose does not complete the loop", script(says("I am done. The project is complete. All tests pass. Done!")), map[string]string{"max-turns": "4"}, "", "max_turns", 4},
		{"the promise", script(works, says("all of it\nLOOP_COMPLETE")), nil, "", "project_complete", 2},
		{"a promise of another kind", script(says("THE END\n")), map[string]string{"completion-promise": "THE END"}, "", "project_complete", 1},
		{"the promise with a task open", script(says("LOOP_COMPLETE")), map[string]string{"max-turns": "2"}, "- [ ] a\n", "max_turns", 2},
		{"the plan is completed", script(works, ticks("- [x] a\n- [x] b\n")), nil, "- [ ] a\n- [ ] b\n", "plan_complete", 2},
		{"the plan was complete before", script(works), nil, "- [x] a\n", "plan_complete", 0},
		{"only tests, three times", script(func(d *doing) {
			d.writes("tests/a_test.go", fmt.Sprint(d.n))
			d.says(ofBlock("STATUS: IN_PROGRESS", "WORK_TYPE: TESTING"))
		}), nil, "", "test_saturation", 3},
		{"tests and code", script(says(ofBlock("STATUS: IN_PROGRESS", "WORK_TYPE: TESTING"))), map[string]string{"max-turns": "5"}, "", "max_turns", 5},
		{"blocked twice", script(says(ofBlock("STATUS: BLOCKED", "RECOMMENDATION: which port?"))), nil, "", "blocked", 2},
		{"no progress", script(idles), nil, "", "circuit_open", 3},
		{"exit 0 with is_error is a failure all the same", script(func(d *doing) {
			d.work()
			d.event(event.Event{Type: event.Finished, IsError: true, Result: "overloaded"})
			d.says(complete)
			d.fails(event.ModelError, "overloaded")
		}), nil, "", "max_failures", 5},
		{"failures without progress open the circuit", script(failed), nil, "", "circuit_open", 3},
		{"as many failures as turns without progress", script(failed), map[string]string{"max-failures": "3"}, "", "max_failures", 3},
		{"as many failures as the same error", script(func(d *doing) {
			d.work()
			d.event(event.Event{Type: event.Error, Message: "out of paper"})
			failed(d)
		}), nil, "", "max_failures", 5},
		{"not logged in, in the turn that opens the circuit", script(idles, idles, func(d *doing) { d.fails(event.Auth, "no key") }), nil, "", "auth", 3},
		{"a wrong version, too", script(idles, idles, func(d *doing) { d.fails(event.Version, "too old") }), nil, "", "version", 3},
		{"a denial in mode halt, too", script(idles, idles, func(d *doing) {
			d.event(event.Event{Type: event.PermissionDenied, Name: "Bash"})
		}), map[string]string{"on-denial": "halt"}, "", "permission_denied", 3},
		{"a claim in the turn that opens the circuit is not asked for", script(idles, func(d *doing) { d.says(complete) }), nil, "", "circuit_open", 3},
		{"not logged in", script(func(d *doing) { d.fails(event.Auth, "no key") }), nil, "", "auth", 1},
		{"a wrong version", script(func(d *doing) { d.fails(event.Version, "too old") }), nil, "", "version", 1},
		{"the agent cannot be started", script(func(d *doing) { d.err = errors.New("it is not installed") }), nil, "", "agent_missing", 0},
		{"a denied turn never completes", script(denied), map[string]string{"max-turns": "4"}, "", "max_turns", 4},
		{"the plan of a denied turn never completes", script(func(d *doing) { denied(d); d.writes(".ralph/@fix_plan.md", "- [x] a\n") }), map[string]string{"max-turns": "2"}, "", "max_turns", 2},
		{"the plan of a failed turn, repeated", script(ticksAnd(event.Crashed)), map[string]string{"max-turns": "2"}, "- [ ] a\n", "max_turns", 2},
		{"the plan of a failed turn, which the next one leaves as it is", script(ticksAnd(event.Crashed), works), nil, "- [ ] a\n", "plan_complete", 2},
		{"the plan of a turn that the provider ended", script(ticksAnd(event.Overloaded), ticksAnd(event.Limited), works), nil, "- [ ] a\n", "plan_complete", 3},
		{"the plan of a turn that ran out of time", script(ticksAnd(event.Timeout), works), nil, "- [ ] a\n", "plan_complete", 2},
		{"the plan of a turn without a login", script(ticksAnd(event.Auth)), nil, "- [ ] a\n", "auth", 1},
		{"the plan of the last failed turn", script(ticksAnd(event.Crashed)), map[string]string{"max-failures": "1"}, "- [ ] a\n", "max_failures", 1},
		{"the promise, and a task that a failed turn ticks", script(says("LOOP_COMPLETE"), ticksAnd(event.Overloaded), func(d *doing) { d.fails(event.Auth, "no key") }), nil, "- [ ] a\n", "auth", 3},
		{"denials in mode halt", script(works, denied), map[string]string{"on-denial": "halt"}, "", "permission_denied", 2},
		{"denials in mode threshold", script(denied), map[string]string{"on-denial": "threshold"}, "", "circuit_open", 2},
		{"the cost", script(func(d *doing) { d.work(); d.event(event.Event{Type: event.Finished, CostUSD: 0.4}) }), map[string]string{"max-cost": "1"}, "", "max_cost", 3},
		{"the tokens", script(func(d *doing) {
			d.work()
			for n := range int64(3) { // usage of the turn so far
				d.event(event.Event{Type: event.Usage, Tokens: &event.Tokens{Input: 100 * n, Output: 10 * n, CacheRead: 5000}})
			}
		}), map[string]string{"max-tokens": "0.6k"}, "", "max_tokens", 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, tt.turns...)
				r.flags = tt.flags
				if tt.plan != "" {
					r.write(".ralph/@fix_plan.md", tt.plan)
				}
				stop := r.run()
				assert.Equal(t, tt.reason, stop.Reason, stop.Message)
				s := r.status()
				assert.Equal(t, tt.taken, s.LoopCount)
				assert.Equal(t, tt.reason, s.ExitReason)
				assert.False(t, stop.Verified)
				if stop.Done() {
					assert.Contains(t, stop.Message, "not verified")
					assert.Equal(t, "completed", s.Status)
				}
				last := r.lines()[len(r.lines())-1]
				assert.Equal(t, []any{record.Stopped, tt.reason}, []any{last.Type, last.Reason})
			})
		})
	}
}

func TestRuntimeIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(d *doing) { d.work(); time.Sleep(25 * time.Minute) })
		r.flags["max-runtime"] = "1h"
		assert.Equal(t, "max_runtime", r.run().Reason)
		assert.Len(t, r.fake.requests, 3)
		assert.Equal(t, "max_runtime", r.resume().Reason, "it counts on")
		assert.Len(t, r.fake.requests, 3)
	})
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, works)
		r.flags["max-runtime"], r.flags["calls"] = "30m", "1"
		start := time.Now()
		assert.Equal(t, "max_runtime", r.run().Reason)
		assert.Equal(t, 30*time.Minute, time.Since(start).Round(time.Minute), "waits count")
	})
}

func TestFailuresAreRepeatedLaterAndLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		start := time.Now()
		r := newRig(t, func(d *doing) {
			at = append(at, time.Since(start).Round(time.Second))
			d.work()
			d.fails(event.Crashed, "exit code 2")
		})
		r.flags["max-failures"] = "9"
		r.flags["calls"] = "1000"
		write := r.project
		write.write(".ralphrc", "CB_SAME_ERROR_THRESHOLD=100\n")
		assert.Equal(t, "max_failures", r.run().Reason)
		var gaps []time.Duration
		for i := 1; i < len(at); i++ {
			gaps = append(gaps, (at[i]-at[i-1])/time.Second)
		}
		assert.Equal(t, []time.Duration{1, 2, 4, 8, 16, 32, 60, 60}, gaps)
	})
}

func TestOneSuccessForgivesFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fails := func(d *doing) { d.work(); d.fails(event.Crashed, fmt.Sprintf("error %c", 'a'+d.n)) }
		r := newRig(t, fails, fails, fails, fails, works, fails, fails, fails, fails, claims, claims)
		assert.Equal(t, "project_complete", r.run().Reason)
	})
}

func TestProviderLimitIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limited := func(in time.Duration) func(*doing) {
			return func(d *doing) {
				e := event.Event{Type: event.RateLimited, Message: "usage limit"}
				if in > 0 {
					e.ResetsAt = time.Now().Add(in)
				}
				d.event(e)
				d.fails(event.Limited, "usage limit")
			}
		}
		r := newRig(t, works, limited(2*time.Hour), limited(0), limited(0), works, limited(0), claims, claims)
		start := time.Now()
		stop := r.run()
		assert.Equal(t, "project_complete", stop.Reason, stop.Message)
		assert.Equal(t, 2*time.Hour+(10+20+5)*time.Minute, time.Since(start).Round(time.Minute), "until it ends; otherwise with increasing waits, which a successful turn resets")
		b := r.json(".ralph/.circuit_breaker_state")
		assert.EqualValues(t, 0, b["consecutive_no_progress"], "it counts for nothing")
		assert.Equal(t, 2*time.Hour, r.waits("provider's limit").Round(time.Minute))
	})
}

func TestProviderLimitIsWaitedForSoLongOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(d *doing) {
			d.fails(event.Limited, "weekly limit")
			d.out.Failure.ResetsAt = time.Now().Add(7 * time.Hour)
		})
		start := time.Now()
		stop := r.run()
		assert.Equal(t, "provider_limit", stop.Reason)
		assert.Less(t, time.Since(start), time.Minute, "not to wait for what takes too long")

		r = newRig(t, func(d *doing) { d.fails(event.Limited, "no time given") })
		start = time.Now()
		assert.Equal(t, "provider_limit", r.run().Reason)
		assert.Less(t, time.Since(start), 6*time.Hour, "nor piece by piece")
	})
}

// A limit that ended before the turn did does not cause a wait of minutes.
func TestALimitThatEndsBeforeTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(d *doing) {
			d.event(event.Event{Type: event.RateLimited, ResetsAt: time.Now().Add(time.Second)})
			time.Sleep(2 * time.Second)
			d.fails(event.Limited, "usage limit")
		}, func(d *doing) {
			d.event(event.Event{Type: event.RateLimited, ResetsAt: time.Now().Add(-time.Hour)})
			d.fails(event.Limited, "a time of yesterday says nothing")
		}, claims, claims)
		start := time.Now()
		assert.Equal(t, "project_complete", r.run().Reason)
		assert.Equal(t, 10*time.Minute, time.Since(start).Round(time.Minute))
	})
}

func TestALimitThatTheAgentWaitedForIsNotALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(d *doing) {
			d.event(event.Event{Type: event.RateLimited, ResetsAt: time.Now().Add(time.Hour)})
			d.event(event.Event{Type: event.ToolResult, Content: "Error: 429 rate limit reached, try again at 5pm"})
			claims(d)
		})
		start := time.Now()
		assert.Equal(t, "project_complete", r.run().Reason)
		assert.Less(t, time.Since(start), time.Minute)
	})
}

func TestCallsAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(d *doing) { d.work(); time.Sleep(10 * time.Minute) })
		r.flags["calls"] = "2"
		r.flags["max-turns"] = "4"
		start := time.Now()
		assert.Equal(t, "max_turns", r.run().Reason)
		assert.Equal(t, 80*time.Minute, time.Since(start).Round(time.Minute), "two at 0 and 10, two at 60 and 70")
		s := r.status()
		assert.Equal(t, []int{2, 2}, []int{s.CallsMade, s.MaxCalls})

		r.flags["max-turns"] = "1"
		start = time.Now()
		r.run()
		assert.Equal(t, 50*time.Minute, time.Since(start).Round(time.Minute), "calls count across runs: 40 to wait, 10 to work")
	})
}

func TestAClockThatWentBackHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var skew time.Duration
		r := newRig(t, works)
		r.flags["calls"] = "1"
		r.flags["max-turns"] = "2"
		o := r.options(false)
		o.Now = func() time.Time { return time.Now().Add(skew) }
		r.onNotice = func(_ *Loop, n Notice) {
			if n.Kind == NoticeWaiting {
				skew = -100 * 24 * time.Hour
			}
		}
		start := time.Now()
		assert.Equal(t, "max_turns", r.runWith(o).Reason)
		assert.LessOrEqual(t, time.Since(start), 2*time.Hour+time.Minute)
	})
}

func TestSameErrorOpensTheCircuit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(d *doing) {
			d.work()
			d.says(fmt.Sprintf("Trying.\nError: cannot open /tmp/x%d at line %d\n", d.n, d.n))
			d.event(event.Event{Type: event.ToolResult, Content: fmt.Sprintf("Fatal: %c", 'a'+d.n), IsError: true})
		})
		stop := r.run()
		assert.Equal(t, "circuit_open", stop.Reason)
		assert.Contains(t, stop.Message, "the same error in 5 turns")
	})
}

func TestOpenCircuitCoolsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, idles, idles, idles, works, claims, claims)
		assert.Equal(t, "circuit_open", r.run().Reason)
		b := r.json(".ralph/.circuit_breaker_state")
		assert.Equal(t, "OPEN", b["state"])
		assert.Equal(t, "no progress in 3 turns", b["reason"])
		assert.Equal(t, "halted", r.status().Status)
		assert.Equal(t, "circuit_open", r.resume().Reason, "not yet")
		assert.Equal(t, "circuit_open", r.run().Reason, "a new run does not come around it")
		assert.Len(t, r.fake.requests, 3)
		time.Sleep(31 * time.Minute)
		assert.Equal(t, "project_complete", r.resume().Reason)
		b = r.json(".ralph/.circuit_breaker_state")
		assert.Equal(t, "CLOSED", b["state"])
		assert.EqualValues(t, 1, b["total_opens"])
		assert.Contains(t, r.fake.requests[3].Context, "HALF_OPEN")
	})
}

func TestManualReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, idles, idles, idles, claims, claims)
		assert.Equal(t, "circuit_open", r.run().Reason)
		require.NoError(t, Reset(r.dir, ResetCircuit, time.Now()))
		assert.EqualValues(t, 0, r.json(".ralph/.circuit_breaker_state")["total_opens"])
		assert.Equal(t, "project_complete", r.resume().Reason)
		assert.Equal(t, 5, r.status().LoopCount)
	})
}

func TestManualResetForgivesTheReasonOfTheStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fails := func(d *doing) { d.work(); d.fails(event.Crashed, "exit code 1") }
		r := newRig(t, fails, fails, fails, fails, fails, claims, claims)
		assert.Equal(t, "max_failures", r.run().Reason)
		require.NoError(t, Reset(r.dir, ResetSession, time.Now()))
		assert.Equal(t, "project_complete", r.resume().Reason)
	})
}

func TestAutoResetClosesTheCircuit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, idles, idles, idles, claims, claims)
		assert.Equal(t, "circuit_open", r.run().Reason)
		r.flags["auto-reset-circuit"] = "true"
		assert.Equal(t, "project_complete", r.run().Reason)
		assert.EqualValues(t, 1, r.json(".ralph/.circuit_breaker_state")["total_opens"])
	})
}

func TestInterrupts(t *testing.T) {
	t.Run("the first lets the turn end", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, func(d *doing) {
				d.event(event.Event{Type: event.Session, ID: "s-1"})
				d.event(event.Event{Type: event.Text, Text: "begun"})
				time.Sleep(time.Minute)
				d.work()
			})
			r.onNotice = func(l *Loop, n Notice) {
				if n.Kind == NoticeEvent {
					l.Interrupt()
				}
			}
			r.fake.script[0] = func(d *doing) { d.says("begun"); time.Sleep(time.Minute); d.work(); d.out.SessionID = "s-1" }
			stop := r.run()
			assert.Equal(t, "interrupted", stop.Reason)
			assert.Equal(t, 1, r.status().LoopCount)
			assert.Equal(t, "x", r.read("work.txt"))
			session := r.json(".ralph/.ralph_session")
			assert.Equal(t, "manual_interrupt", session["reset_reason"])
		})
	})
	t.Run("the second ends the agent", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, func(d *doing) {
				d.says("begun")
				<-d.ctx.Done()
				d.fails(event.Interrupted, "")
			})
			r.onNotice = func(l *Loop, n Notice) {
				if n.Kind == NoticeEvent {
					l.Interrupt()
					l.Interrupt()
					l.Interrupt()
				}
			}
			stop := r.run()
			assert.Equal(t, "interrupted", stop.Reason)
			assert.Contains(t, stop.Message, "Interrupted during a turn")
			assert.Equal(t, 0, r.status().LoopCount)

			r.onNotice = nil
			r.fake.script = script(claims)
			assert.Equal(t, "project_complete", r.resume().Reason)
			var types []string
			for _, l := range r.lines() {
				types = append(types, l.Type)
			}
			assert.Equal(t, []string{"run_started", "turn_started", "text", "turn_cut", "stopped", "turn_started", "text", "turn_ended", "turn_started", "text", "turn_ended", "stopped"}, types, "the turn was taken again, and its first attempt stays recorded")
		})
	})
	t.Run("while it waits", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, works)
			r.flags["calls"] = "1"
			r.onNotice = func(l *Loop, n Notice) {
				if n.Kind == NoticeWaiting {
					l.Interrupt()
				}
			}
			start := time.Now()
			assert.Equal(t, "interrupted", r.run().Reason)
			assert.Less(t, time.Since(start), 2*time.Second)
		})
	})
	t.Run("the context", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, func(d *doing) { <-d.ctx.Done() })
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			stop := New(r.options(false)).Run(ctx)
			assert.Equal(t, "interrupted", stop.Reason)
		})
	})
}

func TestResumeContinues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, works)
		r.flags["max-turns"] = "2"
		assert.Equal(t, "max_turns", r.run().Reason)
		assert.Equal(t, "max_turns", r.resume().Reason)
		assert.Len(t, r.fake.requests, 2, "the limit still holds")
		r.flags["max-turns"] = "3"
		assert.Equal(t, "max_turns", r.resume().Reason)
		assert.Equal(t, 3, r.status().LoopCount)
		var stops int
		for i, l := range r.lines() {
			assert.EqualValues(t, i+1, l.Seq, "numbers without a gap")
			if l.Type == record.Stopped {
				stops++
			}
		}
		assert.Equal(t, 2, stops, "the same stop is reported once")
		r.run()
		assert.Equal(t, 3, r.status().LoopCount, "a new run counts from the start")
		assert.Len(t, r.fake.requests, 6)
	})
}

// Resuming without a recorded run starts nothing and creates nothing.
func TestResumeWithoutARun(t *testing.T) {
	r := newRig(t, claims)
	stop := r.runWith(r.options(true))
	assert.Equal(t, ReasonNoRun, stop.Reason, stop.Message)
	assert.Empty(t, r.fake.requests)
	assert.NoFileExists(t, filepath.Join(r.dir, ".ralph/events.jsonl"))
}

// When ripple is killed, its agent is killed too, and this end may still be seen.
func TestADyingProcessWritesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dying := false
		r := newRig(t, works, func(d *doing) { dying = true; d.fails(event.Crashed, "killed") }, claims)
		o := r.options(false)
		o.BeforeWrite = func() {
			if dying {
				runtime.Goexit()
			}
		}
		var run sync.WaitGroup
		run.Go(func() { New(o).Run(t.Context()) })
		run.Wait()
		lines := r.lines()
		assert.Equal(t, []any{record.TurnStarted, 2}, []any{lines[len(lines)-1].Type, lines[len(lines)-1].Turn})
		r.fake.script = script(works)
		r.flags["max-turns"] = "2"
		assert.Equal(t, "max_turns", r.resume().Reason)
		assert.Len(t, r.fake.requests, 3, "the second turn is taken again")
	})
}

func TestFailuresAreForgivenOnResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(d *doing) { d.fails(event.Auth, "no key") }, claims)
		assert.Equal(t, "auth", r.run().Reason)
		assert.Equal(t, "project_complete", r.resume().Reason)
	})
}

// A plan that a failed turn ticked is not complete when the loop is resumed: a turn looks at it first.
func TestPlanOfAFailedTurnOnResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, reset := range []bool{false, true} {
			r := newRig(t, func(d *doing) { d.writes(".ralph/@fix_plan.md", "- [x] a\n"); d.fails(event.Auth, "no key") }, works)
			assert.Equal(t, "auth", r.run().Reason)
			if reset {
				require.NoError(t, Reset(r.dir, ResetSession, time.Now()))
			}
			_, _, _, err := NextTurn(t.Context(), r.options(true))
			assert.NoError(t, err, "a turn is taken")
			assert.Equal(t, "plan_complete", r.resume().Reason)
			assert.Len(t, r.fake.requests, 2)
		}
	})
}

// A stop that is more specific than the circuit's must not hide that the circuit is open.
func TestAdviceWhenTheCircuitOpenedToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, failed, failed, failed, claims)
		r.flags["max-failures"] = "3"
		stop := r.run()
		assert.Equal(t, "max_failures", stop.Reason)
		assert.True(t, stop.CircuitOpen)
		assert.Equal(t, "OPEN", r.json(".ralph/.circuit_breaker_state")["state"])
		stop = r.resume()
		assert.Equal(t, "circuit_open", stop.Reason)
		assert.Contains(t, stop.Message, "no progress in 3 turns")
		require.NoError(t, Reset(r.dir, ResetCircuit, time.Now()))
		assert.Equal(t, "project_complete", r.resume().Reason)
	})
}

func TestAnOpenCircuitReportsTheLastTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, failed)
		assert.Contains(t, r.run().Message, "no progress in 3 turns; the last turn: failed (model_error): the model failed")
	})
}

func TestSessions(t *testing.T) {
	t.Parallel()
	session := func(id string, f func(*doing)) func(*doing) {
		return func(d *doing) { d.event(event.Event{Type: event.Session, ID: id}); f(d) }
	}
	asked := func(r *rig) (ids []string) {
		for _, q := range r.fake.requests {
			ids = append(ids, q.SessionID)
		}
		return ids
	}
	tests := []struct {
		name  string
		turns []func(*doing)
		flags map[string]string
		want  []string // the session that each turn continues
	}{
		{"from turn to turn", script(session("a", works)), nil, []string{"", "a", "a", "a"}},
		{"with CRLF", script(session("a\r\n", works)), nil, []string{"", "a", "a", "a"}},
		{"the outcome has precedence", script(func(d *doing) { session("a", works)(d); d.out.SessionID = "b" }), nil, []string{"", "b", "b", "b"}},
		{"never from a failed turn", script(session("a", works), session("b", failed), works, works), nil, []string{"", "a", "a", "a"}},
		{"from a first turn that the provider limited", script(session("a", fails(event.Limited, 0)), works), nil, []string{"", "a", "a", "a", "a"}},
		{"from a first turn that an overload ended", script(session("a", fails(event.Overloaded, 0)), works), nil, []string{"", "a", "a", "a", "a"}},
		{"from a first turn that ran out of time", script(session("a", func(d *doing) { d.work(); d.fails(event.Timeout, "late") }), works), nil, []string{"", "a", "a", "a"}},
		{"from a first turn that did nothing in its time", script(session("a", fails(event.Timeout, 0)), works), nil, []string{"", "", "", ""}},
		{"from a first turn whose context is full", script(session("a", func(d *doing) { d.work(); d.fails(event.ContextFull, "full") }), works), nil, []string{"", "", "", ""}},
		{"never from a first turn that failed", script(session("a", failed), works), nil, []string{"", "", "", ""}},
		{"a limit does not replace it", script(session("a", works), session("b", fails(event.Limited, 0)), works), nil, []string{"", "a", "a", "a", "a"}},
		{"unknown to the agent", script(session("a", works), func(d *doing) { d.work(); d.fails(event.SessionUnknown, "no such session") }, works, works), nil, []string{"", "a", "", ""}},
		{"not wanted", script(session("a", works)), map[string]string{"continue-session": "false"}, []string{"", "", "", ""}},
		{"expired", script(session("a", works), func(d *doing) { d.work(); time.Sleep(25 * time.Hour) }, works, works), nil, []string{"", "a", "", ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, tt.turns...)
				r.flags = map[string]string{"max-turns": "4"}
				for k, v := range tt.flags {
					r.flags[k] = v
				}
				r.run()
				assert.Equal(t, tt.want, asked(r))
			})
		})
	}
}

func TestUsageOfASessionIsHandedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(d *doing) {
			d.work()
			d.out.SessionID = "a"
			d.out.SessionTokens = event.Tokens{Input: int64(d.n) * 100}
		})
		r.flags["max-turns"] = "3"
		r.run()
		assert.EqualValues(t, []int64{0, 100, 200}, []int64{r.fake.requests[0].PriorTokens.Input, r.fake.requests[1].PriorTokens.Input, r.fake.requests[2].PriorTokens.Input})
	})
}

func TestSessionEndsWithTheProject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(d *doing) { claims(d); d.out.SessionID = "a" })
		r.run()
		assert.Equal(t, "project_complete", r.json(".ralph/.ralph_session")["reset_reason"])
		assert.NoFileExists(t, filepath.Join(r.dir, ".ralph/.claude_session_id"))
		assert.Contains(t, r.read(".ralph/.ralph_session_history"), `"project_complete"`)
	})
}

func TestDenialStaysVisible(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, denied, func(d *doing) {
			s := r0(t, d.r.Dir)
			assert.Equal(t, []any{"permission_denied", "running", 2}, []any{s.LastAction, s.Status, s.LoopCount}, "while the next turn runs")
			works(d)
		})
		r.flags["max-turns"] = "1"
		r.run()
		assert.Equal(t, "permission_denied", r.status().LastAction)
		r.flags["max-turns"] = "2"
		r.resume()
		o := r.options(false)
		o.Config.DenialMode, o.DenialHelp = "halt", "Allow Bash in its settings."
		r.fake.script = script(denied)
		stop := r.runWith(o)
		assert.Equal(t, "Allow Bash in its settings", stop.Fix)
		assert.False(t, stop.CircuitOpen)
	})
}

func TestTheHolderOfTheLoopIsKnownWithoutItsStatus(t *testing.T) {
	r := newRig(t, claims)
	unlock, err := journal.NewStore(r.dir, nil).Lock(time.Now())
	require.NoError(t, err)
	r.write(".ralph/status.json", `{"a`)
	s, err := journal.ReadReport(r.dir)
	var unreadable *journal.UnreadableError
	require.ErrorAs(t, err, &unreadable)
	assert.Equal(t, filepath.Join(r.dir, layout.Dir, layout.StatusFile), unreadable.Path)
	require.NotNil(t, s.Runner)
	assert.Equal(t, os.Getpid(), s.Runner.PID)
	require.NoError(t, unlock())
}

func r0(t *testing.T, project string) record.Status {
	s, err := journal.ReadReport(project)
	require.NoError(t, err)
	return s.Status
}

func TestPromptIsVerbatimWithAContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		big := strings.Repeat("0123456789abcdé\r\n", 200<<10/18) + "no line feed at the end"
		r := newRig(t, works, claims)
		r.write(".ralph/PROMPT.md", big)
		r.write(".ralph/@fix_plan.md", "- [x] a\n- [ ] b\n")
		r.run()
		assert.Equal(t, big, r.fake.requests[0].Prompt)
		assert.Equal(t, "Turn 1 of at most 100.\nOpen tasks in .ralph/@fix_plan.md: 1 of 2.", r.fake.requests[0].Context)
		assert.Contains(t, r.fake.requests[1].Context, "Last turn: made progress")
		assert.Equal(t, []any{15 * time.Minute, time.Duration(0), r.dir}, []any{r.fake.requests[0].Timeout, r.fake.requests[0].IdleTimeout, r.fake.requests[0].Dir})
	})
}

func TestTheProjectIsNamedToTheAgentAndInTheLogs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, claims)
		r.write(".ralphrc", "PROJECT_NAME=ark\nPROJECT_TYPE=rust\n")
		r.run()
		assert.Contains(t, r.fake.requests[0].Context, "Project: ark (rust).")
		assert.Contains(t, r.read(".ralph/live.log"), "ark (rust), turn 2\n")
	})
}

func TestTheAgentWorksWhereTheSystemSaysThatItIs(t *testing.T) {
	r := newRig(t, claims)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(r.dir, link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	real, err := filepath.EvalSymlinks(r.dir)
	require.NoError(t, err)
	o := r.options(false)
	o.Project = link
	assert.Equal(t, "project_complete", r.runWith(o).Reason)
	assert.Equal(t, real, r.fake.requests[0].Dir)
}

func TestMissingPromptFileEndsTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(d *doing) { works(d); os.Remove(filepath.Join(d.dir, ".ralph/PROMPT.md")) })
		stop := r.run()
		assert.Equal(t, "prompt_missing", stop.Reason)
		assert.Equal(t, 1, r.status().LoopCount, "the turn before is kept")
		empty := newProject(t)
		r.dir = empty.dir
		r.write("x", "")
		stop = r.run()
		assert.Equal(t, "prompt_missing", stop.Reason)
		assert.NoDirExists(t, filepath.Join(r.dir, ".ralph"), "nothing is made where nothing was set up")
	})
}

// A task that a file of the project names is a file of the project, also if it is replaced by a link during the run. One that the
// user names may be anywhere, also through a link, unless the link is new.
func TestThePromptFileOfAProjectIsInIt(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(outside, []byte("SECRET\n"), 0o600))
	link := func(d *doing) {
		works(d)
		path := filepath.Join(d.dir, "task.md")
		assert.NoError(t, os.Remove(path))
		assert.NoError(t, os.Symlink(outside, path))
	}
	for _, inside := range []bool{true, false} {
		r := newRig(t, link, claims)
		r.write("task.md", "Do it.\n")
		o := r.options(false)
		o.PromptFile, o.PromptInside = filepath.Join(r.dir, "task.md"), inside
		stop := r.runWith(o)
		assert.Equal(t, "prompt_missing", stop.Reason)
		assert.Contains(t, stop.Message, "leads out of ")
		assert.Len(t, r.fake.requests, 1)
		if !inside {
			r.fake.script = script(works, claims)
			stop = r.runWith(o)
			assert.Equal(t, "project_complete", stop.Reason)
			assert.Contains(t, r.fake.requests[2].Prompt, "SECRET")
			continue
		}
		o.PromptFile = outside
		stop = r.runWith(o)
		assert.Equal(t, "prompt_missing", stop.Reason)
		assert.Contains(t, stop.Message, "secret is outside of ")
	}
}

func TestTwoLoopsInOneProject(t *testing.T) {
	t.Parallel()
	r := newRig(t, claims)
	r.fake.script = script(func(d *doing) {
		second := New(r.options(false)).Run(t.Context())
		assert.Equal(t, "locked", second.Reason)
		assert.Contains(t, second.Message, fmt.Sprintf("process %d", os.Getpid()))
		claims(d)
	}, claims)
	assert.Equal(t, "project_complete", r.run().Reason)
	assert.Len(t, r.fake.requests, 2)
}

func TestEventsAreThereWhileTheTurnRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, claims)
		r.fake.script = script(func(d *doing) {
			d.says("hello")
			events := r.lines()
			assert.Equal(t, "text", events[len(events)-1].Type)
			assert.Contains(t, r.read(".ralph/live.log"), "hello")
			d.event(event.Event{Type: event.ToolUse, Tool: "bash", Name: "Bash", Input: []byte(`{"command":"ls"}`)})
			d.event(event.Event{Type: event.Usage, Tokens: &event.Tokens{Input: 1}})
			d.event(event.Event{Type: event.Unknown, Raw: "?"})
			claims(d)
		})
		r.run()
		assert.Contains(t, r.read(".ralph/events.jsonl"), `"type":"tool_use","tool":"bash","name":"Bash","input":{"command":"ls"}}`)
		assert.Contains(t, r.read(".ralph/events.jsonl"), `"type":"usage","input":1,"output":0}`)
		assert.Contains(t, r.read(".ralph/live.log"), `[Bash] {"command":"ls"}`)
		turnLogs, err := filepath.Glob(filepath.Join(r.dir, ".ralph/logs/turn_*.log"))
		require.NoError(t, err)
		assert.Len(t, turnLogs, 2)
	})
}

// A promise that only the outcome has is shown and recorded like any other text, and a text that
// was an event is not repeated.
func TestAFinalMessageIsAnEvent(t *testing.T) {
	for _, tt := range []struct {
		name string
		turn func(d *doing)
		want []string
	}{
		{"only the outcome has it", func(d *doing) { d.work(); d.out.Text = "done\nLOOP_COMPLETE" }, []string{"done\nLOOP_COMPLETE"}},
		{"an event has it, too", func(d *doing) { d.work(); d.says("LOOP_COMPLETE"); d.out.Text = "LOOP_COMPLETE" }, []string{"LOOP_COMPLETE"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, tt.turn)
			assert.Equal(t, ReasonProjectComplete, r.run().Reason, tt.name)
			var shown []string
			for _, n := range r.notices {
				if n.Kind == NoticeEvent && n.Event.Type == event.Text {
					shown = append(shown, n.Event.Text)
				}
			}
			assert.Equal(t, tt.want, shown, tt.name)
			assert.Equal(t, 1, strings.Count(r.read(".ralph/events.jsonl"), `"type":"text"`), "it is recorded once")
		})
	}
}

func TestStateFilesHaveTheSeedsShape(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(d *doing) { works(d); d.out.SessionID = "s-1" })
		r.flags["max-turns"] = "1"
		r.run()
		keys := func(name string) (list []string) {
			for k := range r.json(name) {
				list = append(list, k)
			}
			return list
		}
		assert.ElementsMatch(t, []string{"timestamp", "loop_count", "calls_made_this_hour", "max_calls_per_hour", "last_action", "status", "exit_reason", "next_reset"}, keys(".ralph/status.json"))
		assert.ElementsMatch(t, []string{"state", "consecutive_no_progress", "consecutive_same_error", "consecutive_permission_denials", "last_progress_loop", "total_opens", "reason", "current_loop"}, keys(".ralph/.circuit_breaker_state"))
		assert.ElementsMatch(t, []string{"session_id", "created_at", "last_used"}, keys(".ralph/.ralph_session"))
		assert.Equal(t, "s-1\n", r.read(".ralph/.claude_session_id"))
		assert.FileExists(t, filepath.Join(r.dir, ".ralph/.loop_start_sha"))
		s := r.json(".ralph/status.json")
		for _, key := range []string{"timestamp", "next_reset"} {
			_, err := time.Parse(time.RFC3339, s[key].(string))
			assert.NoError(t, err, key)
		}
	})
}

func TestTornStateFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, claims)
		for _, name := range []string{layout.BreakerFile, layout.SessionFile, layout.HistoryFile, layout.CallsFile, layout.StatusFile, layout.SnapshotFile, layout.EventsFile} {
			r.write(".ralph/"+name, `{"state": "OPE`)
		}
		assert.Equal(t, "project_complete", r.run().Reason)
		for _, name := range []string{layout.BreakerFile, layout.SessionFile, layout.CallsFile} {
			assert.Equal(t, `{"state": "OPE`, r.read(".ralph/"+name+".corrupt"), "kept")
		}
		assert.Equal(t, "run_started", r.lines()[0].Type)
	})
}

// Projects of the Ralph reference have the plan without the @.
func TestAPlanOfTheReference(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, works, func(d *doing) { d.work(); d.writes(".ralph/fix_plan.md", "- [x] a\n- [x] b\n") })
		r.write(".ralph/fix_plan.md", "- [x] a\n- [ ] b\n")
		stop := r.run()
		assert.Equal(t, "plan_complete", stop.Reason)
		assert.Contains(t, stop.Message, "Every task in .ralph/fix_plan.md is ticked after 2 turns")
		assert.Equal(t, "Turn 1 of at most 100.\nOpen tasks in .ralph/fix_plan.md: 1 of 2.", r.fake.requests[0].Context)
		s, err := journal.ReadReport(r.dir)
		require.NoError(t, err)
		assert.Equal(t, record.Plan{Ticked: 2}, s.Tasks.Count())
		assert.Empty(t, r.notes())
	})
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, works)
		r.write(".ralph/fix_plan.md", "- [ ] a\n")
		r.write(".ralph/@fix_plan.md", "- [x] b\n")
		assert.Equal(t, "plan_complete", r.run().Reason)
		assert.Contains(t, r.notes(), "both .ralph/@fix_plan.md and .ralph/fix_plan.md exist: @fix_plan.md is the plan, and fix_plan.md is ignored")
	})
}

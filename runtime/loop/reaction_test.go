package loop

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/record"
)

// fails is a turn that fails in a way, after a duration.
func fails(k event.Kind, d time.Duration) func(*doing) {
	return func(at *doing) {
		time.Sleep(d) // of the bubble's clock
		at.fails(k, "the words of "+string(k))
	}
}

// until is a turn of one kind until a time has passed since the first turn, and then of another.
func until(d time.Duration, first, then func(*doing)) func(*doing) {
	var since time.Time
	return func(at *doing) {
		if since.IsZero() {
			since = time.Now()
		}
		if time.Since(since) < d {
			first(at)
			return
		}
		then(at)
	}
}

// Each kind of failure has one reaction. A turn of the kind, repeated without progress, ends the
// loop as follows.
func TestReactions(t *testing.T) {
	for _, c := range []struct {
		kind   event.Kind
		reason string
		turns  int
		longer time.Duration // the loop takes longer than this
	}{
		{event.Limited, "provider_limit", 9, 4 * time.Hour},
		{event.Overloaded, "provider_overloaded", 77, 5 * time.Hour},
		{event.ContextFull, "circuit_open", 3, 0},
		{event.SessionUnknown, "circuit_open", 3, 0},
		{event.ModelError, "circuit_open", 3, 0},
		{event.Crashed, "circuit_open", 3, 0},
		{event.Timeout, "circuit_open", 3, 0},
		{event.MaxTurns, "circuit_open", 3, 0},
		{event.Denied, "circuit_open", 3, 0},
		{event.Interrupted, "circuit_open", 3, 0},
		{event.Auth, "auth", 1, 0},
		{event.Version, "version", 1, 0},
		{event.BadUsage, "usage", 1, 0},
	} {
		t.Run(string(c.kind), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, fails(c.kind, time.Second))
				start := time.Now()
				stop := r.run()
				assert.Equal(t, c.reason, stop.Reason, stop.Message)
				assert.Equal(t, c.turns, len(r.fake.requests)) // not Len: it would print them
				assert.Greater(t, time.Since(start), c.longer)
				i := slices.IndexFunc(r.lines(), func(l record.Line) bool { return l.Type == record.TurnEnded })
				last := r.lines()[i]
				assert.Equal(t, c.kind, last.Failure.Kind, "the journal names it")
				assert.Equal(t, fmt.Sprintf("failed (%s): the words of %[1]s", c.kind), last.State.Last)
			})
		})
	}
}

// The table names kinds that exist: those of the adapter schema.
func TestReactionsAreOfKnownKinds(t *testing.T) {
	b, err := os.ReadFile("../../schema/scenario.schema.json")
	require.NoError(t, err)
	require.True(t, json.Valid(b))
	for kind := range reactions {
		assert.Contains(t, string(b), `"`+string(kind)+`"`)
	}
}

// An hour without the provider costs an hour: the turns of that time count neither as failed nor
// as turns without progress, and the loop continues the same session.
func TestAnHourWithoutTheProvider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, takes("a-1", time.Minute), until(time.Hour, fails(event.Overloaded, 30*time.Second), takes("a-1", time.Minute)))
		r.fake.script = append(r.fake.script, r.fake.script[1])
		r.fake.script = slices.Concat(r.fake.script, slices.Repeat(r.fake.script[1:2], 17), script(claims))
		start := time.Now()
		stop := r.run()
		assert.Equal(t, "project_complete", stop.Reason, stop.Message)
		assert.Less(t, time.Since(start), 90*time.Minute)
		_, sessions := r.who()
		assert.Equal(t, slices.Repeat([]string{"a-1"}, len(sessions)-1), sessions[1:])
		assert.Equal(t, 5*time.Minute, r.waits("overloaded"), "the pauses grow to this")
		assert.EqualValues(t, 0, r.json(".ralph/.circuit_breaker_state")["total_opens"])
	})
}

// The pauses double, and start over after a turn that the provider answered.
func TestPausesGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		no := fails(event.Overloaded, 0)
		r := newRig(t, no, no, no, works, no, claims, claims)
		start := time.Now()
		assert.Equal(t, "project_complete", r.run().Reason)
		assert.Equal(t, (5+10+20+5)*time.Second, time.Since(start).Round(time.Second))

		r = newRig(t, no, no, no, fails(event.Limited, 0), no, claims, claims)
		start = time.Now()
		assert.Equal(t, "project_complete", r.run().Reason)
		assert.Equal(t, 5*time.Minute+(5+10+20+5)*time.Second, time.Since(start).Round(time.Second), "those of a limit are its own")
	})
}

// The pauses for an overloaded provider are bounded by the longest wait, as those for a limit are.
func TestAnOverloadThatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fails(event.Overloaded, 0))
		r.flags["max-wait"] = "10m"
		start := time.Now()
		stop := r.run()
		assert.Equal(t, "provider_overloaded", stop.Reason)
		assert.Equal(t, "The provider is overloaded or unreachable, and the loop would have to wait longer than the maximum wait, 10m0s; the last turn: failed (overloaded): the words of overloaded.", stop.Message)
		assert.Equal(t, 315*time.Second, time.Since(start).Round(time.Second))
		assert.False(t, stop.CircuitOpen)
	})
}

// Another agent takes over while the provider is overloaded, and keeps the turns for some minutes:
// each change ends a conversation.
func TestFallbackForAnOverload(t *testing.T) {
	for _, c := range []struct {
		name            string
		first, second   []func(*doing)
		turns           string
		names, sessions []string
		waited          time.Duration
	}{
		{
			"the first returns after five minutes",
			script(takes("a-1", time.Minute), fails(event.Overloaded, 0), takes("a-2", time.Minute)), script(takes("b-1", 2*time.Minute)), "5",
			[]string{"a", "a", "b", "b", "b", "a"},
			[]string{"", "a-1", "", "b-1", "b-1", ""},
			0,
		},
		{
			"the time without it doubles, so that the other one keeps its conversation",
			script(fails(event.Overloaded, 0)), script(takes("b-1", 3*time.Minute), takes("b-2", 3*time.Minute)), "8",
			[]string{"a", "b", "b", "a", "b", "b", "b", "b", "a", "b", "b"},
			[]string{"", "", "b-1", "", "", "b-2", "b-2", "b-2", "", "", "b-2"},
			0,
		},
		{
			"both: the one that is asked again first",
			script(fails(event.Overloaded, 0)), script(fails(event.Overloaded, 0), takes("b-1", time.Minute)), "2",
			[]string{"a", "b", "b", "b"},
			[]string{"", "", "", "b-1"},
			10 * time.Second,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, c.first...)
				r.flags["max-turns"] = c.turns
				o := r.options(false)
				o.AgentName = "a"
				o.Fallback = []Member{{Name: "b", Agent: &fake{dir: r.dir, script: c.second}}}
				stop := r.runWith(o)
				assert.Equal(t, "max_turns", stop.Reason, stop.Message)
				names, sessions := r.who()
				assert.Equal(t, c.names, names)
				assert.Equal(t, c.sessions, sessions)
				assert.Equal(t, c.waited, r.waits("overloaded"))
				assert.Regexp(t, `^b takes the next turns: the provider of a is overloaded or unreachable, and is tried again at \d{4}-`, r.notes()[0])
			})
		})
	}
}

// A session that is full is not continued, and one that is full at once is not tried forever.
func TestAFullSession(t *testing.T) {
	full := func(d *doing) {
		if d.r.SessionID != "" {
			d.fails(event.ContextFull, "Prompt is too long")
			return
		}
		d.work()
		d.out.SessionID = "s-" + string(rune('0'+d.n))
	}
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, full)
		r.flags["max-turns"] = "6"
		stop := r.run()
		assert.Equal(t, "max_turns", stop.Reason, stop.Message)
		_, sessions := r.who()
		assert.Equal(t, []string{"", "s-1", "", "s-3", "", "s-5"}, sessions)
		assert.Contains(t, r.read(".ralph/.ralph_session_history"), `"context_full"`)

		r = newRig(t, func(d *doing) { d.fails(event.ContextFull, "Prompt is too long") })
		assert.Equal(t, "circuit_open", r.run().Reason)
		assert.Equal(t, 3, len(r.fake.requests))

		r = newRig(t, func(d *doing) { d.work(); d.fails(event.ContextFull, "Prompt is too long") })
		r.flags["max-turns"] = "9"
		assert.Equal(t, "max_turns", r.run().Reason, "it works until its context is full")
		assert.Empty(t, r.fake.requests[8].SessionID)
	})
}

// A hat whose turn fails takes its topic again, whatever the failure. Its own session ends only if it cannot continue; those of
// the other hats go on.
func TestFailuresOfHats(t *testing.T) {
	for _, tt := range []struct {
		kind  event.Kind
		again string // the session of the turn after the failure
	}{
		{event.Limited, "s-1"},
		{event.Overloaded, "s-1"},
		{event.ModelError, "s-1"},
		{event.Crashed, "s-1"},
		{event.Timeout, "s-1"},
		{event.ContextFull, ""},
		{event.SessionUnknown, ""},
	} {
		for _, resumed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, resumed=%t", tt.kind, resumed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newRoles(t, builderAndReviewer,
						publishes("built"), publishes("rejected"), fails(tt.kind, time.Second), publishes("built"), promises("passed"))
					if resumed {
						r.flags["max-turns"] = "3"
						require.Equal(t, ReasonMaxTurns, r.run().Reason)
						delete(r.flags, "max-turns")
					}
					stop := r.runWith(r.options(resumed))
					require.True(t, stop.Done(), stop.Message)
					assert.Equal(t, []string{"builder go", "reviewer built", "builder rejected", "builder rejected", "reviewer built"}, r.turns())
					_, sessions := r.who()
					assert.Equal(t, []string{"", "", "s-1", tt.again, "s-2"}, sessions)
				})
			})
		}
	}
}

// A turn that the provider ends before it changed a file does not use up MAX_TURNS, whatever its kind; one that changed a file does.
func TestTurnsLostToTheProvider(t *testing.T) {
	lost := func(k event.Kind) func(*doing) { return fails(k, time.Second) }
	cut := func(d *doing) { d.work(); d.fails(event.Overloaded, "it broke off") }
	ticks := func(d *doing) { d.writes(".ralph/@fix_plan.md", "- [x] a\n"); d.work(); failed(d) }
	for name, c := range map[string]struct {
		script []func(*doing)
		turns  int
		why    string
	}{
		"overloaded":                  {script(lost(event.Overloaded), works, lost(event.Overloaded), lost(event.Overloaded), works, works), 5, "2 turns taken and 3 lost to the provider, the limit is 2; the agent did not say that the work is done."},
		"limited":                     {script(lost(event.Limited), works, lost(event.Limited), works, works), 4, "2 turns taken and 2 lost to the provider, the limit is 2; the agent did not say that the work is done."},
		"both":                        {script(lost(event.Limited), lost(event.Overloaded), works), 4, "2 turns taken and 2 lost to the provider, the limit is 2; the agent did not say that the work is done."},
		"it changed a file":           {script(cut), 2, "2 turns taken, the limit is 2; the agent did not say that the work is done."},
		"other failures are counted":  {script(lost(event.ModelError), works), 2, "2 turns taken, the limit is 2; the agent did not say that the work is done."},
		"none":                        {script(works), 2, "2 turns taken, the limit is 2; the agent did not say that the work is done."},
		"the last turn may be lost":   {script(works, lost(event.Overloaded), works), 3, "2 turns taken and 1 lost to the provider, the limit is 2; the agent did not say that the work is done."},
		"failed, and ticked the plan": {script(ticks), 2, "2 turns taken, the limit is 2; every task is ticked, which does not count after a failed turn."},
		"timeouts and steps, changed": {script(func(d *doing) { d.work(); d.fails(event.Timeout, "late") }), 2, "2 turns taken, the limit is 2; the agent did not say that the work is done."},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, c.script...)
				r.flags["max-turns"] = "2"
				stop := r.run()
				assert.Equal(t, "max_turns", stop.Reason, stop.Message)
				assert.Equal(t, c.turns, len(r.fake.requests))
				assert.Equal(t, c.why, stop.Message)
				last := r.lines()
				for i, v := range last {
					if v.Type == record.TurnStarted {
						lost := 0
						if i > 0 && last[i-1].State != nil {
							lost = last[i-1].State.Lost
						}
						assert.Equal(t, 2+lost, v.MaxTurns, "turn %d of so many", v.Turn)
						assert.LessOrEqual(t, v.Turn, v.MaxTurns)
					}
				}
				require.Contains(t, r.fake.requests[c.turns-1].Context, fmt.Sprintf("Turn %d of at most %d.", c.turns, c.turns))

				r.flags["max-turns"] = "3"
				require.Equal(t, "max_turns", r.resume().Reason)
				assert.Equal(t, c.turns+1, len(r.fake.requests), "the count goes on when the run is resumed")
			})
		})
	}
}

// A provider that ends every turn ends the run, whatever it reports, and whether or not another agent takes over: the waits and the
// time of the turns themselves add up to MAX_WAIT.
func TestAProviderThatEndsEveryTurn(t *testing.T) {
	at := func(left time.Duration) func(*doing) {
		return func(d *doing) {
			time.Sleep(time.Second)
			d.event(event.Event{Type: event.RateLimited, ResetsAt: time.Now().Add(left)})
			d.fails(event.Limited, "the limit is reached")
		}
	}
	for name, c := range map[string]struct {
		first, second []func(*doing)
		reason        string
	}{
		"a limit that is over at once":    {script(at(0)), nil, "provider_limit"},
		"a limit of a quarter second":     {script(at(250 * time.Millisecond)), nil, "provider_limit"},
		"turns that take long":            {script(fails(event.Overloaded, time.Hour)), nil, "provider_overloaded"},
		"two, each back before the other": {script(fails(event.Overloaded, 10*time.Minute)), script(fails(event.Overloaded, 10*time.Minute)), "provider_overloaded"},
		"two with limits":                 {script(at(0)), script(at(0)), "provider_limit"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, c.first...)
				o := r.options(false)
				o.AgentName = "a"
				if c.second != nil {
					o.Fallback = []Member{{Name: "b", Agent: &fake{dir: r.dir, script: c.second}}}
				}
				start := time.Now()
				stop := r.runWith(o)
				assert.Equal(t, c.reason, stop.Reason, stop.Message)
				assert.NotContains(t, stop.Message, "0001", "a time that is unknown")
				assert.Less(t, time.Since(start), 24*time.Hour)
				names, _ := r.who()
				assert.Less(t, len(names), 200)
			})
		})
	}
}

// The provider that ended a turn late, after it changed files, was there: the longest wait is counted from then.
func TestWaitsAfterWorkStartOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limited := func(d *doing) {
			d.work()
			d.event(event.Event{Type: event.RateLimited, ResetsAt: time.Now().Add(4 * time.Hour)})
			d.fails(event.Limited, "the limit is reached")
		}
		r := newRig(t, limited, limited, limited, claims)
		assert.Equal(t, "project_complete", r.run().Reason)
	})
}

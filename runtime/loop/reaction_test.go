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
				assert.Equal(t, c.reason, stop.Reason, stop.Why)
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
		assert.Equal(t, "project_complete", stop.Reason, stop.Why)
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
		assert.Equal(t, "The provider is overloaded or out of reach, and the loop would have to wait for it longer than the longest wait, 10m0s; the last turn: failed (overloaded): the words of overloaded.", stop.Why)
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
			script(takes("a-1", time.Minute), fails(event.Overloaded, 0), takes("a-2", time.Minute)), script(takes("b-1", 2*time.Minute)), "6",
			[]string{"a", "a", "b", "b", "b", "a"},
			[]string{"", "a-1", "", "b-1", "b-1", ""},
			0,
		},
		{
			"the time without it doubles, so that the other one keeps its conversation",
			script(fails(event.Overloaded, 0)), script(takes("b-1", 3*time.Minute), takes("b-2", 3*time.Minute)), "11",
			[]string{"a", "b", "b", "a", "b", "b", "b", "b", "a", "b", "b"},
			[]string{"", "", "b-1", "", "", "b-2", "b-2", "b-2", "", "", "b-2"},
			0,
		},
		{
			"both: the one that is asked again first",
			script(fails(event.Overloaded, 0)), script(fails(event.Overloaded, 0), takes("b-1", time.Minute)), "4",
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
				assert.Equal(t, "max_turns", stop.Reason, stop.Why)
				names, sessions := r.who()
				assert.Equal(t, c.names, names)
				assert.Equal(t, c.sessions, sessions)
				assert.Equal(t, c.waited, r.waits("overloaded"))
				assert.Regexp(t, `^b takes the turns now: the provider of a is overloaded or out of reach, and is asked again at \d{4}-`, r.notes()[0])
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
		assert.Equal(t, "max_turns", stop.Reason, stop.Why)
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

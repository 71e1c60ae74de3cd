package loop

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/hats"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

const builderAndReviewer = `
event_loop: {starting_event: go, max_iterations: 20, required_events: [passed]}
hats:
  builder: {triggers: [go, rejected], publishes: [built], instructions: Build it.}
  reviewer: {triggers: [built], publishes: [rejected, passed, LOOP_COMPLETE], instructions: Look at it.}
`

// The turns that open the circuit may all have claimed that the work is done: the reason says why that did not count.
func TestAnOpenCircuitNamesTheTopicsThatAreMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := newRoles(t, builderAndReviewer, func(d *doing) { d.says(complete) }).run()
		assert.Equal(t, ReasonCircuitOpen, stop.Reason)
		assert.Contains(t, stop.Message, "no progress in 3 turns; the last turn: ")
		assert.Contains(t, stop.Message, " said that the work is done, and no hat has published passed")
	})
}

// publishes is a turn that changes a file and publishes topics, each "topic=payload", in its
// text.
func publishes(topics ...string) func(*doing) {
	return func(d *doing) {
		d.work()
		d.out.SessionID = fmt.Sprintf("s-%d", d.n)
		for _, t := range topics {
			topic, payload, _ := strings.Cut(t, "=")
			d.says(fmt.Sprintf("Here:\n<event topic=%q>%s</event>", topic, payload))
		}
	}
}

func promises(topics ...string) func(*doing) {
	return func(d *doing) {
		publishes(topics...)(d)
		d.says("LOOP_COMPLETE")
	}
}

// emits is a turn whose commands publish.
func emits(topic string, check func(*doing, error)) func(*doing) {
	return func(d *doing) {
		d.work()
		check(d, d.emits(topic))
	}
}

func (d *doing) emits(topic string) error {
	env := map[string]string{}
	for _, pair := range d.r.Env {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	return journal.Emit(env[journal.ProjectVariable], env[journal.TokenVariable], hats.NewPublished(topic, ""))
}

func newRoles(t *testing.T, yml string, turns ...func(*doing)) *rig {
	r := newRig(t, turns...)
	r.write("ripple.yml", yml)
	return r
}

// turns returns the hats of the turns, each with its topics.
func (r *rig) turns() (list []string) {
	topics := map[int]string{}
	for _, l := range r.lines() {
		for _, t := range l.Topics {
			topics[t.ID] = t.Topic
		}
	}
	for _, l := range r.lines() {
		if l.Type == record.TurnStarted {
			var for_ []string
			for _, id := range l.Takes {
				for_ = append(for_, topics[id])
			}
			list = append(list, strings.TrimSpace(l.Hat+" "+strings.Join(for_, ",")))
		}
	}
	return list
}

// topics returns the topics in the journal.
func (r *rig) topics() (list []string) {
	for _, l := range r.lines() {
		for _, t := range l.Topics {
			list = append(list, fmt.Sprintf("%d %s: %s %q → %s (%s)", t.Turn, t.From, t.Topic, t.Payload, t.To, t.Why))
		}
	}
	return list
}

// If a turn is repeated, the rules of hats have not been applied to it: its hat was not asked once more, and not activated.
func TestACutTurnOfAHatDoesNotCount(t *testing.T) {
	r := newRoles(t, builderAndReviewer, func(d *doing) { d.work() })
	state := func(l *Loop) string {
		text, err := json.Marshal(l.state.Hats)
		require.NoError(t, err)
		return string(text)
	}
	var loop *Loop
	var before string
	r.onNotice = func(l *Loop, n Notice) {
		if n.Kind == NoticeTurnStarted {
			loop, before = l, state(l)
			l.Interrupt() // so that it is the only turn
		}
	}
	stop := r.run()
	require.Equal(t, ReasonInterrupted, stop.Reason, stop.Message)
	require.Contains(t, state(loop), `"tries":1`)
	loop.dispatcher.undo()
	assert.Equal(t, before, state(loop))
	loop.dispatcher.undo()
	assert.Equal(t, before, state(loop))
}

func TestHatsTakeTurns(t *testing.T) {
	r := newRoles(t, builderAndReviewer, publishes("built=look at work.txt"), publishes("rejected=too short"), publishes("built"), promises("passed=good"))
	stop := r.run()
	assert.Equal(t, ReasonProjectComplete, stop.Reason, stop.Message)
	assert.Equal(t, []string{"builder go", "reviewer built", "builder rejected", "reviewer built"}, r.turns())
	assert.Equal(t, []string{
		`0 start: go "" → builder (starting_event)`,
		`1 builder: built "look at work.txt" → reviewer (written)`,
		`2 reviewer: rejected "too short" → builder (written)`,
		`3 builder: built "" → reviewer (written)`,
		`4 reviewer: passed "good" → plain (written)`,
	}, r.topics())
	var sessions []string
	for _, q := range r.fake.requests {
		sessions = append(sessions, q.SessionID)
		assert.LessOrEqual(t, len([]rune(q.Context)), maxContext)
	}
	assert.Equal(t, []string{"", "", "s-1", "s-2"}, sessions, "each hat has its own")
	q := r.fake.requests[1]
	assert.Equal(t, "Do the work.\n\n# Your role in this turn: reviewer\n\nLook at it.\n\n# Your topics\n\nTopic built, from builder.\n\n    look at work.txt\n", q.Prompt)
	assert.Contains(t, q.Context, "Role: reviewer. Topic: built.\nYou may publish: rejected, passed, LOOP_COMPLETE.\n")
}

func TestSessionsOfHats(t *testing.T) {
	for session, want := range map[string][]string{
		"own":    {"", "", "s-1", "s-2", "s-3"},
		"shared": {"", "s-1", "s-2", "s-3", "s-4"},
		"fresh":  {"", "", "", "", ""},
	} {
		yml := strings.NewReplacer("instructions: Build it.", "session: "+session, "instructions: Look at it.", "session: "+session).Replace(builderAndReviewer)
		r := newRoles(t, yml, publishes("built"), publishes("rejected"), publishes("built"), publishes("rejected"), publishes("built"), promises("passed"))
		r.run()
		var sessions []string
		for _, q := range r.fake.requests[:5] {
			sessions = append(sessions, q.SessionID)
		}
		assert.Equal(t, want, sessions, session)
	}
}

// The promise of a hat that may not publish it has no effect, and a complete plan has none while
// a hat is still to check the work; required topics must have been published.
func TestDoneWithHats(t *testing.T) {
	tests := []struct {
		name  string
		turns []func(*doing)
		want  []string
	}{
		{"a promise that does not count", []func(*doing){promises("built"), promises("passed")}, []string{"builder go", "reviewer built"}},
		{"a required topic is missing", []func(*doing){publishes("built"), promises(), publishes("built"), promises("passed")}, []string{"builder go", "reviewer built", "", "reviewer built"}},
		{"the promise as a topic", []func(*doing){publishes("built"), publishes("passed", "LOOP_COMPLETE")}, []string{"builder go", "reviewer built"}},
		{"the plan is complete and a hat is still to check it", []func(*doing){
			func(d *doing) { publishes("built")(d); d.writes(".ralph/@fix_plan.md", "- [x] all\n") },
			publishes("rejected"), publishes("built"), publishes("passed"),
		}, []string{"builder go", "reviewer built", "builder rejected", "reviewer built"}},
	}
	for _, tt := range tests {
		r := newRoles(t, builderAndReviewer, tt.turns...)
		stop := r.run()
		assert.True(t, stop.Done(), tt.name, stop.Message)
		assert.Equal(t, tt.want, r.turns(), tt.name)
	}
	r := newRoles(t, builderAndReviewer, publishes("built"), promises(), idles)
	r.flags["max-turns"] = "3"
	stop := r.run()
	assert.Equal(t, ReasonMaxTurns, stop.Reason)
	assert.Contains(t, r.fake.requests[2].Context, "Not done yet: no hat has published passed.")
}

// A hat's status block is about its own part: it does not end the loop while a topic waits for another hat. The completion promise
// does, if the hat may give it.
func TestDoneWhileATopicWaits(t *testing.T) {
	t.Parallel()
	const three = `
event_loop: {starting_event: go, max_iterations: 9}
hats:
  builder: {triggers: [go, rejected], publishes: [built]}
  tester: {triggers: [built], publishes: [tested, LOOP_COMPLETE]}
  reviewer: {triggers: [tested], publishes: [rejected, LOOP_COMPLETE]}
`
	part := func(topic string) func(*doing) {
		return func(d *doing) { publishes(topic)(d); d.says(complete) }
	}
	for _, tt := range []struct {
		name  string
		turns []func(*doing)
		want  []string
	}{
		{"status blocks", script(part("built"), part("tested"), promises()), []string{"builder go", "tester built", "reviewer tested"}},
		{
			"status blocks, and a hat that objects", script(part("built"), part("tested"), part("rejected"), part("built"), part("tested"), promises()),
			[]string{"builder go", "tester built", "reviewer tested", "builder rejected", "tester built", "reviewer tested"},
		},
		{"status blocks of hats that publish nothing", script(claims), []string{"builder go", "builder go", "go"}},
		{"the promise", script(part("built"), promises("tested")), []string{"builder go", "tester built"}},
		{"the promise as a topic", script(part("built"), publishes("tested", "LOOP_COMPLETE")), []string{"builder go", "tester built"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRoles(t, three, tt.turns...)
			stop := r.run()
			assert.Equal(t, ReasonProjectComplete, stop.Reason, stop.Message)
			assert.Equal(t, tt.want, r.turns())
		})
	}
	r := newRoles(t, three, part("built"), part("tested"))
	r.flags["max-turns"] = "2"
	assert.Equal(t, "2 turns taken, the limit is 2; the hat tester said that the work is done, but a topic waits for a hat.", r.run().Message)
}

// A turn without a role cannot complete the loop in place of a role that judges the work: not
// with its last line, a topic or a command.
func TestPlainTurnDoesNotTakeAPromise(t *testing.T) {
	r := newRoles(t, strings.NewReplacer(", required_events: [passed]", "", "passed, ", "").Replace(builderAndReviewer), idles, idles,
		func(d *doing) {
			d.work()
			assert.ErrorContains(t, d.emits("LOOP_COMPLETE"), "only reviewer publishes it")
			d.says("<event topic=\"LOOP_COMPLETE\">x</event>\nLOOP_COMPLETE")
		}, publishes("built"), promises())
	stop := r.run()
	assert.Equal(t, ReasonProjectComplete, stop.Reason, stop.Message)
	assert.Equal(t, []string{"builder go", "builder go", "go", "", "reviewer built"}, r.turns())
	assert.Contains(t, r.notes(), "plain gave the completion promise LOOP_COMPLETE, which does not count: only reviewer publishes it")
	assert.Contains(t, r.fake.requests[2].Context, "Only reviewer may say LOOP_COMPLETE: publish a topic for it.")
	assert.Contains(t, r.fake.requests[3].Context, "LOOP_COMPLETE does not count: only reviewer publishes it")
	r.flags["max-turns"], r.fake.requests = "3", nil
	assert.Contains(t, r.run().Message, "the agent said that the work is done, which does not count: only reviewer publishes it")
}

// Tags in an agent's text are read; quoted ones are not, and both the user and the agent are
// informed.
func TestTagsOfEvents(t *testing.T) {
	r := newRoles(t, builderAndReviewer, func(d *doing) { d.work(); d.says("Here: `<event topic=\"built\">x</event>`") },
		func(d *doing) { d.work(); d.says("* **<event topic=\"built\">x</event>** it is.") }, promises("passed"))
	stop := r.run()
	assert.True(t, stop.Done(), stop.Message)
	assert.Equal(t, []string{"builder go", "builder go", "reviewer built"}, r.turns())
	const why = "its tag \"<event topic=\\\"built\\\">x</event>`\" is ignored: it is between backticks"
	assert.Contains(t, r.notes(), "builder published nothing that counts: "+why)
	assert.Contains(t, r.fake.requests[1].Context, "published nothing that counts: its tag")
}

// A hat's topics count if its own verify commands succeed; otherwise the hat is informed of the
// reason.
func TestVerifyOfAHat(t *testing.T) {
	yml := strings.Replace(builderAndReviewer, "instructions: Build it.", "verify: [test -f good.txt]", 1)
	r := newRoles(t, yml, publishes("built"), func(d *doing) { publishes("built")(d); d.writes("good.txt", "") }, promises("passed"))
	stop := r.run()
	assert.True(t, stop.Done(), stop.Message)
	assert.Equal(t, []string{"builder go", "builder go", "reviewer built"}, r.turns())
	assert.Contains(t, r.fake.requests[1].Context, "a verify command of your hat failed: `test -f good.txt`: exit code 1")
	assert.Contains(t, r.topics(), "1 builder: built \"\" →  (refused: a verify command of builder failed: `test -f good.txt`: exit code 1)")
	var verified []string
	for _, l := range r.lines() {
		if l.Type == record.Verified {
			verified = append(verified, fmt.Sprint(l.Hat, l.Verdicts[0].OK))
		}
	}
	assert.Equal(t, []string{"builderfalse", "buildertrue"}, verified)

	r = newRoles(t, yml, publishes("built"), publishes("built"), publishes("built"), promises("passed"))
	r.run()
	assert.Equal(t, []string{"builder go", "builder go", "go", "reviewer built"}, r.turns(), "then a plain turn takes over")
}

// Only the agent's own text counts, not its input or the output of its tools.
func TestFalseTopics(t *testing.T) {
	const tag = "<event topic=\"built\">it</event>\n"
	r := newRoles(t, strings.Replace(builderAndReviewer, "Build it.", `"Build it, then write:\n`+strings.ReplaceAll(strings.TrimSpace(tag), `"`, `\"`)+`\nBye."`, 1),
		func(d *doing) {
			d.event(event.Event{Type: event.ToolUse, ID: "1", Name: "Bash", Input: json.RawMessage(`{"command":"echo"}`)})
			d.event(event.Event{Type: event.ToolResult, ID: "1", Content: tag})
			d.event(event.Event{Type: event.Reasoning, Text: tag})
			d.says("```\n" + tag + "```")
			d.says("You told me:\n" + d.r.Prompt)
			d.says(`{"text": "\n` + strings.ReplaceAll(tag, `"`, `\"`) + `"}`)
			d.says("<event topic=\"built\">never closed")
		})
	r.flags["max-turns"] = "1"
	r.run()
	require.Contains(t, r.fake.requests[0].Prompt, tag)
	assert.Equal(t, []string{`0 start: go "" → builder (starting_event)`}, r.topics())
	assert.Contains(t, r.notes(), "builder published no valid topic for go: it is asked again")
}

// A token is valid during its turn, and publishes only the topics that the turn may publish.
func TestEmit(t *testing.T) {
	var first Request
	r := newRoles(t, builderAndReviewer,
		emits("built", func(d *doing, err error) {
			first = d.r
			assert.NoError(t, err)
			assert.ErrorContains(t, d.emits("passed"), "builder publishes only built")
			assert.ErrorContains(t, d.emits("Built"), "a topic has at most 80 characters of")
		}),
		emits("passed", func(d *doing, err error) {
			assert.NoError(t, err)
			d.r.Env, first.Env = first.Env, d.r.Env
			assert.ErrorIs(t, d.emits("rejected"), journal.ErrTurnOver, "the token of the turn before")
			d.r.Env = first.Env
			assert.NoError(t, d.emits("LOOP_COMPLETE"))
			for range maxEmitted {
				_ = d.emits("rejected") // one of them exceeds the limit
			}
			assert.ErrorContains(t, d.emits("rejected"), "a turn may publish at most 50 topics")
		}))
	stop := r.run()
	assert.True(t, stop.Done(), stop.Message)
	assert.Equal(t, []string{`0 start: go "" → builder (starting_event)`, `1 builder: built "" → reviewer (emitted)`, `2 reviewer: passed "" → plain (emitted)`, `2 reviewer: LOOP_COMPLETE "" →  (emitted: the completion promise)`}, r.topics()[:4])
	d := &doing{r: first}
	assert.ErrorIs(t, d.emits("built"), journal.ErrTurnOver, "after the end")
}

const maxEmitted = 50

// Hats hand over work without changing a file, and the circuit stays closed while they publish
// something new.
func TestHandingOnHoldsTheCircuit(t *testing.T) {
	ping := func(payload func(n int) string) func(*doing) {
		return func(d *doing) {
			topic := map[bool]string{true: "built", false: "rejected"}[d.n%2 == 1]
			d.says(fmt.Sprintf("So:\n<event topic=%q>%s</event>", topic, payload(d.n)))
		}
	}
	r := newRoles(t, builderAndReviewer, ping(func(n int) string { return fmt.Sprint(n) }))
	r.flags["max-turns"] = "8"
	assert.Equal(t, ReasonMaxTurns, r.run().Reason)
	r = newRoles(t, builderAndReviewer, ping(func(n int) string { return fmt.Sprint(n) }))
	stop := r.run()
	assert.Equal(t, ReasonCircuitOpen, stop.Reason)
	assert.Contains(t, stop.Message, "no file changed in 9 turns, although topics were published", "3 for each hat and for the plain turn")
	r = newRoles(t, builderAndReviewer, ping(func(int) string { return "the same" }))
	assert.Equal(t, ReasonCircuitOpen, r.run().Reason)
	assert.Len(t, r.turns(), 5)
}

// A hat's activations are limited: topics that arrive later are not taken, and the loop ends,
// until the limit is raised.
func TestHatThatHasHadItsTurns(t *testing.T) {
	bounded := strings.Replace(builderAndReviewer, "instructions: Build it.", "max_activations: 1", 1)
	r := newRoles(t, bounded, publishes("built"), publishes("rejected"), publishes("built"), promises("passed"))
	stop := r.run()
	assert.Equal(t, ReasonHatExhausted, stop.Reason, stop.Message)
	assert.Equal(t, "Builder has had its 1 of 1 turns (max_activations), rejected waits for it, and no hat is triggered by builder.exhausted.", stop.Message)
	assert.Equal(t, []string{"builder go", "reviewer built"}, r.turns())
	r.write("ripple.yml", strings.Replace(bounded, "max_activations: 1", "max_activations: 2", 1))
	stop = r.resume()
	assert.True(t, stop.Done(), stop.Message)
	assert.Equal(t, []string{"builder go", "reviewer built", "builder rejected", "reviewer built"}, r.turns())

	r = newRoles(t, bounded, publishes("built"), func(d *doing) { publishes("rejected", "passed")(d); d.writes(".ralph/@fix_plan.md", "- [x] a\n") })
	assert.Equal(t, ReasonHatExhausted, r.run().Reason, "the work of a complete plan was rejected")

	r = newRoles(t, bounded+"  mender: {triggers: [builder.exhausted], publishes: [built]}\n", publishes("built"), publishes("rejected"), publishes("built"), promises("passed"))
	stop = r.run()
	assert.True(t, stop.Done(), stop.Message)
	assert.Equal(t, []string{"builder go", "reviewer built", "mender builder.exhausted", "reviewer built"}, r.turns())
}

// The cost limit of a hat bounds nothing if the agent reports no cost; a note says so once.
func TestHatWhoseCostIsNotReported(t *testing.T) {
	const note = "the agent did not report the cost of this turn, so max_cost of the hat builder cannot stop the loop"
	bounded := strings.Replace(builderAndReviewer, "instructions: Build it.", "max_cost: 0.5", 1)
	costs := func(d *doing) {
		publishes("built")(d)
		d.event(event.Event{Type: event.Finished, CostUSD: 0.4})
	}
	for _, c := range []struct {
		name  string
		yml   string
		turn  func(*doing)
		times int
	}{
		{"not reported", bounded, publishes("built"), 1},
		{"reported", bounded, costs, 0},
		{"no limit", builderAndReviewer, publishes("built"), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRoles(t, c.yml, c.turn, publishes("rejected"), c.turn, promises("passed"))
			stop := r.run()
			assert.True(t, stop.Done(), stop.Message)
			assert.Equal(t, c.times, strings.Count(strings.Join(r.notes(), "\n"), note), r.notes())
		})
	}
}

// A hat with its own agent takes its turns with that agent, the other hats with the loop's.
func TestAgentsOfHats(t *testing.T) {
	r := newRoles(t, builderAndReviewer, publishes("built"))
	other := &fake{dir: r.dir, script: script(publishes("rejected"), limitedFor(0), promises("passed"))}
	o := r.options(false)
	o.AgentName = "a"
	o.HatAgents = map[string]Member{"reviewer": {Name: "b", Agent: other}}
	o.Fallback = []Member{{Name: "c", Agent: &fake{dir: r.dir, script: script(failed)}}}
	stop := r.runWith(o)
	assert.True(t, stop.Done(), stop.Message)
	assert.Equal(t, []string{"builder go", "reviewer built", "builder rejected", "reviewer built", "reviewer built"}, r.turns())
	names, _ := r.who()
	assert.Equal(t, []string{"a", "b", "a", "b", "b"}, names)
	assert.NotContains(t, strings.Join(r.notes(), "\n"), "takes the next turns")
}

// Hats that are added to a run take effect when it is resumed.
func TestHatsThatAreNew(t *testing.T) {
	r := newRig(t, works, publishes("built"), promises("passed"))
	r.flags["max-turns"] = "1"
	r.run()
	r.write("ripple.yml", builderAndReviewer)
	delete(r.flags, "max-turns")
	stop := r.resume()
	assert.True(t, stop.Done(), stop.Message)
	assert.Equal(t, []string{"builder go", "reviewer built"}, r.turns()[1:])
}

func TestPreviewOfAHat(t *testing.T) {
	r := newRoles(t, builderAndReviewer, works)
	_, q, _, err := NextTurn(t.Context(), r.options(false))
	require.NoError(t, err)
	assert.Equal(t, "builder", q.Hat)
	assert.Contains(t, q.Prompt, "# Your role in this turn: builder\n\nBuild it.\n")
	assert.Contains(t, q.Context, "Role: builder. Topic: go.")
}

// If a turn removes .ralph, the topics published by its commands are lost, which is reported;
// those in the agent's text count.
func TestEmitIsLostWithTheFiles(t *testing.T) {
	r := newRoles(t, builderAndReviewer, func(d *doing) {
		d.work()
		assert.NoError(t, d.emits("built"))
		assert.NoError(t, os.RemoveAll(filepath.Join(d.dir, ".ralph")))
		assert.ErrorIs(t, d.emits("built"), journal.ErrTurnOver)
		d.says("So:\n<event topic=\"built\">written</event>")
	}, promises("passed"))
	stop := r.run()
	assert.True(t, stop.Done(), stop.Message)
	assert.Contains(t, strings.Join(r.notes(), "\n"), "the topics that its commands published are lost")
	assert.Contains(t, r.topics(), `1 builder: built "written" → reviewer (written)`)
}

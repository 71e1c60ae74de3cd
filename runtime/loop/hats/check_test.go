package hats

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCheck(t *testing.T) {
	with := func(change func(r *Rules)) Rules { r := team(); change(&r); return r }
	const (
		stuck  = "hats.builder.publishes.1: no hat is triggered by stuck: it goes to a plain turn"
		passed = "hats.reviewer.publishes.0: no hat is triggered by passed: it goes to a plain turn"
		cycle  = "hats.builder: the cycle builder → reviewer → builder has no bound: give one of them max_activations, or the loop max_iterations, max_runtime_seconds or max_cost; only the default limit of turns ends it"
	)
	tests := []struct {
		name  string
		rules Rules
		bound bool
		want  []string
	}{
		{"topics that trigger no hat, a cycle", team(), false, []string{stuck, passed, cycle}},
		{"a limit of the loop", team(), true, []string{stuck, passed}},
		{"a limit of a hat", with(func(r *Rules) { r.Hats[1].MaxActivations = 3 }), false, []string{stuck, passed}},
		{"a required topic ends somewhere", with(func(r *Rules) { r.Required = []string{"passed", "stuck"} }), true, nil},
		{"a hat that nothing reaches", with(func(r *Rules) {
			r.Hats = append(r.Hats, Hat{Key: "tester", Triggers: []string{"test.*"}, Publishes: []string{"rejected"}})
		}), true, []string{stuck, passed, "hats.tester: nothing reaches tester: neither the start nor a hat that is reached publishes its triggers (test.*)"}},
		{"a hat that may publish anything reaches all", with(func(r *Rules) {
			r.Hats[0].Publishes = nil
			r.Hats = append(r.Hats, Hat{Key: "tester", Triggers: []string{"test.*"}, Publishes: []string{"rejected"}})
		}), true, []string{passed}},
		{"a hat without triggers", with(func(r *Rules) { r.Hats = append(r.Hats, Hat{Key: "x"}) }), true, []string{stuck, passed, "hats.x: x has no triggers: it never takes a turn"}},
		{"a start that leads nowhere", with(func(r *Rules) { r.Start = "begin" }), true, []string{"ERROR event_loop.starting_event: no hat is triggered by begin, so the loop cannot start; triggers of the hats: go, rejected, built"}},
		{"names that clash", with(func(r *Rules) { r.Hats[0].Name = "Reviewer" }), true, []string{`ERROR hats.builder.name: the name "Reviewer" is taken: it is the hat reviewer`}},
		{"names that clash with ripple's", with(func(r *Rules) { r.Hats[0].Key = "plain" }), true, []string{`ERROR hats.plain: the name "plain" is taken: it is reserved by ripple`}},
		{"an invalid name", with(func(r *Rules) { r.Hats[0].Key = "my hat" }), true, []string{`ERROR hats.my hat: "my hat" is not a valid name of a hat: use at most 80 of a-z A-Z 0-9 _ . : -; name: may be any text`}},
		{"two hats of one name", with(func(r *Rules) { r.Hats[0].Name, r.Hats[1].Name = "Ann", "ann" }), true, []string{`ERROR hats.reviewer.name: the name "ann" is taken: it is the name of the hat builder`}},
		{"no topic", with(func(r *Rules) { r.Hats[0].Publishes[0] = "Built it" }), true, []string{`ERROR hats.builder.publishes.0: "Built it" is not a topic: use at most 80 of a-z 0-9 _ . : -, or the completion promise DONE`}},
		{"no trigger", with(func(r *Rules) { r.Hats[0].Triggers[1] = "GO" }), true, []string{`ERROR hats.builder.triggers.1: "GO" is not a topic: use at most 80 of a-z 0-9 _ . : -, and * for any part of a segment`}},
		{"a default that it may not publish", with(func(r *Rules) { r.Hats[0].Default = "passed" }), true, []string{"ERROR hats.builder.default_publishes: builder may not publish passed: add it to publishes, which are built, stuck"}},
		{"a default that is the promise", with(func(r *Rules) { r.Hats[1].Default = "DONE" }), true, []string{
			stuck, passed, "hats.reviewer.default_publishes: default_publishes DONE of the hat reviewer does not count: an agent must give the completion promise itself",
		}},
		{"a chain of defaults that ends in the promise", with(func(r *Rules) { r.Hats[0].Default, r.Hats[1].Default = "built", "DONE" }), true, []string{
			stuck, passed, "hats.reviewer.default_publishes: default_publishes DONE of the hat reviewer does not count: an agent must give the completion promise itself; if no agent publishes a topic, the defaults lead to the promise: builder → reviewer",
		}},
		{"a default that is required", with(func(r *Rules) { r.Required, r.Hats[1].Default = []string{"passed"}, "passed" }), true, []string{
			stuck, "hats.reviewer.default_publishes: passed is a required topic, but default_publishes of the hat reviewer does not count: an agent must publish the topic itself",
		}},
		{"a required topic that nobody publishes", with(func(r *Rules) { r.Required = []string{"tested"} }), true, []string{"event_loop.required_events.0: no hat publishes tested, which is needed before the work is done: only a plain turn, one without a hat, can publish it", stuck, passed}},
		{"nothing", Rules{Start: "go", Promise: "DONE"}, false, nil},
	}
	for _, tt := range tests {
		var got []string
		for _, p := range tt.rules.Check(tt.bound) {
			text := strings.Join(p.Path, ".") + ": " + p.Message
			if p.Error {
				text = "ERROR " + text
			}
			got = append(got, text)
		}
		assert.Equal(t, tt.want, got, tt.name)
	}
}

// Rules that are too large are refused before their topics are compared.
func TestLargeRulesAreRefused(t *testing.T) {
	for _, grow := range []func(r *Rules){
		func(r *Rules) { r.Required = append(r.Required, "done") },
		func(r *Rules) { r.Hats = append(r.Hats, Hat{Key: "x" + strconv.Itoa(len(r.Hats))}) },
		func(r *Rules) { r.Hats[0].Triggers = append(r.Hats[0].Triggers, "t") },
		func(r *Rules) { r.Hats[0].Publishes = append(r.Hats[0].Publishes, "t") },
	} {
		r := team()
		for r.size() < maxSize {
			grow(&r)
		}
		for _, p := range r.Check(true) {
			assert.NotContains(t, p.Message, "at most 2000")
		}
		grow(&r)
		assert.Equal(t, []Problem{{[]string{"hats"}, "there are 2001 hats and topics, and at most 2000 are allowed: remove some", true}}, r.Check(true))
	}
}

func TestGraph(t *testing.T) {
	r := team()
	r.Hats[0].Name, r.Hats[0].Adapter, r.Hats[0].MaxActivations = `The "Builder"`, "codex", 5
	assert.Equal(t, `start
  go                             → builder

builder (The "Builder"): codex, at most 5 turns
  triggers: go, rejected
  built                          → reviewer
  stuck                          → (a plain turn)

reviewer
  triggers: built
  passed                         → (a plain turn)
  rejected                       → builder
  DONE                           → (done)
`, r.Graph(FormatText))
	assert.Equal(t, `flowchart TD
  n_start([start])
  n_plain[/plain turn/]
  n_done([done])
  n1["The #quot;Builder#quot;"]
  n2["reviewer"]
  n_start -->|"go"| n1
  n1 -->|"built"| n2
  n1 -->|"stuck"| n_plain
  n2 -->|"passed"| n_plain
  n2 -->|"rejected"| n1
  n2 -->|"DONE"| n_done
`, r.Graph(FormatMermaid))
	assert.Equal(t, `digraph hats {
  node [shape=box];
  n_start [label="start", shape=ellipse];
  n_plain [label="plain turn", shape=ellipse];
  n_done [label="done", shape=ellipse];
  n1 [label="The \"Builder\""];
  n2 [label="reviewer"];
  n_start -> n1 [label="go"];
  n1 -> n2 [label="built"];
  n1 -> n_plain [label="stuck"];
  n2 -> n_plain [label="passed"];
  n2 -> n1 [label="rejected"];
  n2 -> n_done [label="DONE"];
}
`, r.Graph(FormatDOT))
}

package config

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/loop/hats"
)

func TestHats(t *testing.T) {
	c, notes, err := sources{yml: `
event_loop:
  starting_event: go
  required_events: [passed]
  completion_promise: ALL_DONE
  prompt_file: task.md
  max_iterations: 12
  max_runtime_seconds: 7200
  max_cost_usd: 2.5
  max_consecutive_failures: 4
  idle_timeout_secs: 90
hats:
  builder:
    name: The Builder
    description: builds
    triggers: [go, rejected]
    publishes: [built]
    default_publishes: built
    instructions: |
      Build it.
    extra_instructions: [Be quick.]
    backend: codex
    model: big
    args: [--fast]
    max_activations: 5
    verify: [make test]
    allowed_tools: [Read]
    permission_mode: plan
    max_cost: 1.5
    session: shared
    timeout: 60
  reviewer:
    triggers: [built]
    publishes: [rejected, passed, ALL_DONE]
    backend: {type: claude, model: small, args: [-x]}
`}.load(t)
	require.NoError(t, err)
	assert.Empty(t, notes)
	assert.Equal(t, &hats.Rules{
		Start: "go", Required: []string{"passed"}, Promise: "ALL_DONE",
		Hats: []hats.Hat{
			{
				Key: "builder", Name: "The Builder", Description: "builds", Triggers: []string{"go", "rejected"}, Publishes: []string{"built"}, Default: "built",
				Instructions: "Build it.\n\n\nBe quick.", MaxActivations: 5, MaxCost: 1.5, Verify: []string{"make test"},
				Adapter: "codex", Model: "big", Args: []string{"--fast"}, AllowedTools: []string{"Read"}, PermissionMode: "plan", Session: hats.Shared, Timeout: time.Minute,
			},
			{Key: "reviewer", Triggers: []string{"built"}, Publishes: []string{"rejected", "passed", "ALL_DONE"}, Adapter: "claude", Model: "small", Args: []string{"-x"}, Session: hats.Own},
		},
	}, c.Hats)
	assert.Equal(t, "ALL_DONE", c.Promise)
	assert.Equal(t, 12, c.MaxTurns)
	assert.Equal(t, 2*time.Hour, c.MaxRuntime)
	assert.Equal(t, 2.5, c.MaxCost)
	assert.Equal(t, 4, c.MaxFailures)
	assert.Equal(t, 90*time.Second, c.IdleTimeout)
	assert.Equal(t, "event_loop.max_iterations", c.Source("MAX_TURNS").Name)
	assert.Equal(t, "ripple.yml:7:3", c.Source("MAX_TURNS").From)
}

func TestHatsNotesAndErrors(t *testing.T) {
	const two = "hats: {a: {triggers: [go], publishes: [on]}, b: {triggers: [on], publishes: [go, LOOP_COMPLETE]}}\n"
	tests := []struct {
		name, yml string
		notes     []string
		err       string
	}{
		{"both names, and different", "loop: {max_turns: 30}\nevent_loop: {max_iterations: 40}", nil, "ripple.yml:2:14: event_loop.max_iterations is 40, but loop.max_turns (ripple.yml:1:8), another name of the same setting, is 30: remove one of them"},
		{"both names, and the same", "loop: {max_runtime: 2h, max_turns: 040}\nevent_loop: {max_runtime_seconds: 7200, max_iterations: 40}", nil, ""},
		{"silence has three names", "cli: {idle_timeout_secs: 30}\nevent_loop: {idle_timeout_secs: 60}", nil, "ripple.yml:2:14: event_loop.idle_timeout_secs is 60, but cli.idle_timeout_secs (ripple.yml:1:7), another name of the same setting, is 30: remove one of them"},
		{"an invalid limit", "event_loop: {max_runtime_seconds: 999999999}", nil, ""},
		{"a topic that triggers no hat", "loop: {max_turns: 9}\nhats:\n  a:\n    triggers: [task.start]\n    publishes:\n      - a.done\n", []string{"ripple.yml:6:9: no hat is triggered by a.done: it goes to a plain turn"}, ""},
		{"a hat that nothing reaches", "loop: {max_turns: 9}\nevent_loop: {starting_event: go}\n" + two[:len(two)-2] + ", c: {triggers: [x], publishes: [on]}}\n", []string{"ripple.yml:3:99: nothing reaches c: neither the start nor a hat that is reached publishes its triggers (x)"}, ""},
		{"a start that leads nowhere", "event_loop:\n  starting_event: begin\n" + two, nil, "ripple.yml:2:3: no hat is triggered by begin, so the loop cannot start; triggers of the hats: go, on"},
		{"a cycle without a limit", "event_loop: {starting_event: go}\n" + two, []string{"ripple.yml:2:8: the cycle a → b → a has no bound: give one of them max_activations, or the loop max_iterations, max_runtime_seconds or max_cost; only the default limit of turns ends it"}, ""},
		{"a cycle with a limit", "event_loop: {starting_event: go, max_iterations: 9}\n" + two, nil, ""},
		{"names that clash", "hats: {start: {triggers: [task.start]}}", nil, `ripple.yml:1:8: the name "start" is taken: it is reserved by ripple`},
		{"two names of one thing", "hats: {a: {triggers: [x], backend: {type: pi, model: m}, model: n}}", nil, "ripple.yml:1:65: hats.a.backend.model and hats.a.model are the same setting: leave one of them out"},
		{"no such key", "hats: {a: {trigger: [x]}}", nil, `ripple.yml:1:12: unknown key "trigger" in hats.a (did you mean "triggers"?)`},
		{"no such session", "hats: {a: {session: mine}}", nil, `ripple.yml:1:21: hats.a.session cannot be the string "mine"; one of own, shared, fresh`},
		{"both prompts", "event_loop: {prompt: x, prompt_file: y}", nil, "ripple.yml:1:22: prompt and prompt_file cannot be combined"},
		{"settings of ralph-orchestrator", "core: {specs_dir: x}\ntasks: {enabled: true}\nmemories: {enabled: true}\nevent_loop: {checkpoint_interval: 5}\nhats: {a: {triggers: [task.start], concurrency: 3}}\ncli: {prompt_mode: arg, pty_mode: false}", []string{
			"ripple.yml:1:1: core has no effect in ripple: put rules for every turn into the prompt",
			"ripple.yml:2:1: tasks has no effect in ripple: tasks come from .ralph/@fix_plan.md",
			"ripple.yml:3:1: memories has no effect in ripple: put notes to remember into .ralph/@AGENT.md",
			"ripple.yml:4:14: event_loop.checkpoint_interval has no effect in ripple: the record is written with each turn, and `loop.commit` commits each",
			"ripple.yml:5:36: hats.a.concurrency has no effect in ripple: hats take their turns one after the other",
			"ripple.yml:6:25: cli.pty_mode has no effect in ripple: the adapter defines whether its agent needs a terminal",
			"ripple.yml:6:7: cli.prompt_mode has no effect in ripple: the adapter says how its agent gets a prompt",
		}, ""},
		{"another one's command", "hats: {a: {triggers: [task.start], instructions: 'Then ralph emit x.'}}", []string{"ripple.yml:1:36: the instructions of a say `ralph emit`, which does not exist: use ripple's `emit`, or have a line <event topic=…> written"}, ""},
		{"a start without hats", "event_loop: {starting_event: go}", []string{"ripple.yml:1:14: event_loop.starting_event has no effect: there are no hats"}, ""},
	}
	for _, tt := range tests {
		_, notes, err := sources{yml: tt.yml}.load(t)
		if tt.err != "" {
			assert.ErrorContains(t, err, tt.err, tt.name)
			continue
		}
		require.NoError(t, err, tt.name)
		assert.Equal(t, tt.notes, notes, tt.name)
	}
}

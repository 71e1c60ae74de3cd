package schema

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseScenario(t *testing.T) {
	s, ds := ParseScenario("s.yaml", []byte(`
turns:
  - steps:
      - text: hello
      - write: {path: a/b.txt, content: "x\n"}
      - status: {STATUS: COMPLETE, EXIT_SIGNAL: true}
      - exit: 3
    usage: {input: 10, cost_usd: 0.5}
  - {}
`))
	require.Empty(t, render(ds))
	require.Len(t, s.Turns, 2)
	steps := s.Turns[0].Steps
	assert.Equal(t, "hello", *steps[0].Text)
	assert.Equal(t, &ScenarioWrite{"a/b.txt", "x\n"}, steps[1].Write)
	assert.Equal(t, map[string]string{"STATUS": "COMPLETE", "EXIT_SIGNAL": "true"}, steps[2].Status)
	assert.Equal(t, 3, *steps[3].Exit)
	assert.Equal(t, &ScenarioUsage{Input: 10, CostUSD: 0.5}, s.Turns[0].Usage)
}

func TestParseScenarioErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       `s.yaml:1:1: file is empty; a scenario starts with turns: [syntax]`,
		"turns: []":                              `s.yaml:1:8: turns must have at least 1 items, found 0 [value]`,
		"turns: [{step: []}]":                    `s.yaml:1:10: unknown key "step" in turns[0] (did you mean "steps"?) [unknown-key]`,
		"turns: [{steps: [{text: a, exit: 1}]}]": `s.yaml:1:18: a step has exactly one key, this one has 2 [conflict]`,
		"turns: [{steps: [{}]}]":                 `s.yaml:1:18: a step has exactly one key, this one has 0 [conflict]`,
		"turns: [{steps: [{write: {path: ../x}}]}]": `s.yaml:1:19: turns[0].steps[0].write needs the key "content" [missing-key]`,
	} {
		s, ds := ParseScenario("s.yaml", []byte(text))
		assert.Nil(t, s)
		if assert.NotEmpty(t, ds, text) {
			assert.Equal(t, want, ds[0].String())
		}
	}
}

package event_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/event"
)

// Inputs of the tools with which agents ask, each in its own shape.
func TestAsked(t *testing.T) {
	for input, want := range map[string]string{
		`{"questions":[{"question":"Which color?","options":[{"label":"red","question":"no"}]},{"question":" And size? "}]}`: "Which color?\nAnd size?",
		`{"question":"Go on?","choices":["yes","no"]}`: "Go on?",
		`{"text":"Go on?"}`:                            `{"text":"Go on?"}`,
		`"Go on?"`:                                     `"Go on?"`,
	} {
		assert.Equal(t, want, event.Event{Type: event.ToolUse, Tool: event.ToolQuestion, Input: []byte(input)}.QuestionText())
	}
	assert.Empty(t, event.Event{Type: event.ToolUse, Tool: "bash", Input: []byte(`{"question":"x"}`)}.QuestionText())
}

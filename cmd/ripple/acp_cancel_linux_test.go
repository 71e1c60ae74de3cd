package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/layout"
)

// loopFile returns the contents of a file of the loop.
func (e *editor) loopFile(name string) string {
	e.t.Helper()
	b, err := os.ReadFile(filepath.Join(e.project, ".ralph", name))
	require.NoError(e.t, err)
	return string(b)
}

// A cancel that arrives before any output ends the turn, and its task is not forgotten.
func TestAnEditorCancelsAtOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		play    string
		cancels int // a loop ends after its turn, and not every turn ends
		args    []string
	}{
		"a loop, once":  {"turns: [{steps: [{text: 'You said: {prompt}'}, {write: {path: a.txt, content: x}}]}, {steps: [{text: 'You said: {prompt}'}, {text: LOOP_COMPLETE}]}]", 1, nil},
		"a loop, twice": {"turns: [{steps: [{text: 'You said: {prompt}'}, {stall: true}]}]", 2, nil},
		"a turn":        {"turns: [{steps: [{text: 'You said: {prompt}'}, {stall: true}]}]", 1, []string{"--turn", "--transport", "stdio"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := beginSession(t, c.play, nil, c.args...)
			id := e.prompt("Build the first one.")
			for range c.cancels {
				e.send(map[string]any{"method": "session/cancel", "params": map[string]any{"sessionId": e.session}})
			}
			assert.Equal(t, "cancelled", e.stop(e.answer(id)))
			e.prompt("And the second one.")
			e.until(func(m acpMessage) bool { return strings.Contains(e.said(), "second one.") })
			if len(c.args) == 0 {
				assert.Contains(t, e.said(), "Build the first one.")
			}
		})
	}
}

// A cancel sent as a request is answered.
func TestAnEditorCancelsByARequest(t *testing.T) {
	t.Parallel()
	e := beginSession(t, "turns: [{steps: [{text: I wait.}, {stall: true}]}]", nil, "--turn", "--transport", "stdio")
	id := e.prompt("Do it.")
	e.until(func(m acpMessage) bool { return strings.HasPrefix(m.Params.Update.text(), "I wait.") })
	assert.Nil(t, e.call("session/cancel", map[string]any{"sessionId": e.session}).Error)
	assert.Equal(t, "cancelled", e.stop(e.answer(id)))
}

// Two sessions may use one directory, but only one of them can run its loop: the other prompt is
// refused, and does not affect the first.
func TestTwoSessionsOfOneDirectory(t *testing.T) {
	t.Parallel()
	e := beginSession(t, "turns: [{steps: [{text: 'You said: {prompt}'}, {stall: true}]}]", nil)
	first := e.prompt("The first one.")
	e.until(func(m acpMessage) bool { return strings.Contains(e.said(), "The first one.") })
	task, face := e.loopFile(layout.TaskFile), e.loopFile(layout.FaceFile)
	mine := e.session
	e.session = field(t, e.call("session/new", e.place()).Result, "sessionId").(string)
	m := e.answer(e.prompt("The second one."))
	if assert.NotNil(t, m.Error) {
		assert.Contains(t, m.Error.Message, "run")
	}
	assert.Equal(t, task, e.loopFile(layout.TaskFile))
	assert.Equal(t, face, e.loopFile(layout.FaceFile))
	for range 2 {
		e.send(map[string]any{"method": "session/cancel", "params": map[string]any{"sessionId": mine}})
	}
	assert.Equal(t, "cancelled", e.stop(e.answer(first)))
}

// A long prompt reaches a new loop completely; as an answer, or for a waiting loop, it is refused
// if it would be shortened.
func TestAnEditorSendsALongPrompt(t *testing.T) {
	t.Parallel()
	e := beginSession(t, "turns: [{steps: [{status: {STATUS: BLOCKED, RECOMMENDATION: 'Hello or hi?'}}]}, {steps: [{text: 'You said: {prompt}'}, {text: LOOP_COMPLETE}]}]", nil)
	e.choose = func(acpMessage) string { return "next" }
	assert.Equal(t, "refusal", e.stop(e.answer(e.prompt("Greet. "+strings.Repeat("long ", 1<<20)))))
	m := e.answer(e.prompt(strings.Repeat("ü", 1<<15) + " the end"))
	if assert.NotNil(t, m.Error) {
		assert.Contains(t, m.Error.Message, "32768 bytes")
	}
	assert.Equal(t, "end_turn", e.stop(e.answer(e.prompt("hi, please"))))
	assert.Contains(t, e.said(), "    hi, please")
}

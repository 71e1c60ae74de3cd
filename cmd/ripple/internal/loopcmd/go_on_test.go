package loopcmd

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/loop/record"
)

// An adapter that was named by its path is shown as it was typed: no other command knows its name.
func TestTheSettingsOfARunNameAnAdapterFile(t *testing.T) {
	for given, want := range map[string]string{"": "first", "first": "first", "a dir/first.yaml": "'a dir/first.yaml'"} {
		s := record.Settings{Agent: "first", Values: map[string]record.Setting{agentSetting: {Value: given}}}
		assert.Equal(t, []string{"--adapter " + want}, settingWords(&s))
	}
}

// A resumed run keeps its model and transport, unless another agent takes over.
func TestTheModelOfAnotherAgentIsNotKept(t *testing.T) {
	began := &record.Settings{Agent: "first", Model: "large", Transport: "acp", Values: map[string]record.Setting{agentSetting: {Value: "./first.yaml"}}}
	for _, tt := range []struct {
		flags            map[string]string
		agent, model, by string
	}{
		{nil, "first", "large", "acp"},
		{map[string]string{"adapter": "first"}, "", "large", "acp"}, // set by the flag
		{map[string]string{"adapter": "./first.yaml"}, "", "large", "acp"},
		{map[string]string{"adapter": "second"}, "", "", ""},
	} {
		var f loopFlags
		require.NoError(t, f.goOnWith(began, tt.flags))
		assert.Equal(t, []string{tt.agent, tt.model, tt.by}, []string{f.agent, f.model, f.transport}, tt.flags)
	}
}

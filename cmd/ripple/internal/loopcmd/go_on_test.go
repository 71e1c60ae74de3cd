package loopcmd

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/loop/record"
)

// A resumed run keeps its model and transport, unless another agent takes over.
func TestTheModelOfAnotherAgentIsNotKept(t *testing.T) {
	began := &record.Settings{Agent: "first", Model: "large", Transport: "acp"}
	for _, tt := range []struct {
		flags            map[string]string
		agent, model, by string
	}{
		{nil, "first", "large", "acp"},
		{map[string]string{"adapter": "first"}, "", "large", "acp"}, // set by the flag
		{map[string]string{"adapter": "second"}, "", "", ""},
	} {
		var f loopFlags
		require.NoError(t, f.goOnWith(began, tt.flags))
		assert.Equal(t, []string{tt.agent, tt.model, tt.by}, []string{f.agent, f.model, f.transport}, tt.flags)
	}
}

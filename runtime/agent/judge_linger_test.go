package agent

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/schema"
)

// The failure reports correctly who ended the agent.
func TestCausesOfTheAgentsEnd(t *testing.T) {
	for want, e := range map[string]ending{
		"the agent was ended by SIGKILL":                                              {code: -1, signal: "SIGKILL"},
		"the agent closed its output but was still running 5s later, so it was ended": {code: -1, signal: "SIGINT", linger: 5 * time.Second},
	} {
		f := (&evidence{agent: &schema.Agent{}}).judge(e)
		require.NotNil(t, f)
		assert.Equal(t, want, f.Message)
	}
}

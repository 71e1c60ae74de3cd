package layout

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEveryFileIsDocumented(t *testing.T) {
	manual, err := os.ReadFile("../../../docs/running-a-loop.md")
	require.NoError(t, err)
	for _, name := range append([]string{PromptFile, PlanFile, AgentFile, RCFile}, Records...) {
		if name == LogsDir {
			name += "/"
		}
		assert.Contains(t, string(manual), "`"+name+"`")
	}
}

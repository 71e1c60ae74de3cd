package adaptercmd

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/adapters"
	scripts "example.org/ripple/integration-scripts"
	"example.org/ripple/runtime/contract"
	"example.org/ripple/runtime/registry"
)

// The declared tests of agents pass: transcripts, command lines and refusals need no program.
func TestDeclaredTestsOfAgentsPass(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // tests of installed agents are slow, and another step runs them
	t.Setenv("HOME", t.TempDir())
	all, err := registry.Open(registry.Sources{Embedded: adapters.FS, Scripts: []fs.FS{scripts.FS}})
	require.NoError(t, err)
	passed := 0
	for _, e := range all.Agents() {
		if e.Adapter.Process.Executable == "{self}" { // it would start this test
			continue
		}
		report := contract.Run(t.Context(), e.Adapter, contract.Options{NoDerived: true, Agent: agentTests{}, Files: e.Files})
		for _, r := range report.Tests {
			if r.Status == contract.Passed {
				passed++
				continue
			}
			assert.Equal(t, contract.NotApplicable, r.Status, "%s: %s: %s %+v", e.Name, r.Name, r.Reason, r.Failure)
		}
	}
	assert.Greater(t, passed, 100)
}

package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/registry"
	"example.org/ripple/schema"
)

// Agents of the protocol's public registry that need their own service have adapters that say so,
// and that contain no turn.
func TestUnverifiedAgents(t *testing.T) {
	t.Parallel()
	path, err := binary()
	require.NoError(t, err)
	said := func(args ...string) string {
		out, err := exec.Command(path, args...).Output()
		require.NoError(t, err, "%v", args)
		return string(out)
	}
	r, err := registry.Open(registry.DefaultSources(func(string) string { return "" }, ""))
	require.NoError(t, err)
	require.Empty(t, r.Notices(), "what does not load")
	listed := said("adapter", "list")
	var files []string
	for _, e := range r.Agents() {
		a := e.Adapter
		if a.Verified || a.Agent.ACP == nil {
			continue
		}
		files = append(files, "../../adapters/"+e.Name+".yaml")
		assert.NotEmpty(t, a.Unverified, e.Name)
		assert.Regexp(t, `(?m)^`+e.Name+` +agent .*\(adapter not verified: `, listed)
		shown := said("adapter", "show", e.Name)
		assert.Regexp(t, `(?m)^  not verified +\S`, shown)
		assert.Contains(t, shown, "\nTurn over the Agent Client Protocol\n")
		assert.Equal(t, slices.Contains(a.Agent.Transports(), schema.TransportStdio), strings.Contains(shown, "\nTurn\n"), "%s has %s", e.Name, a.Agent.Transports())
	}
	assert.GreaterOrEqual(t, len(files), 15)
	assert.NotContains(t, said(append([]string{"adapter", "lint", "--strict"}, files...)...), "error")
}

//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ripple/runtime/agent"
	"ripple/schema"
)

// An agent that does not come to an end with its answer has told nothing, whatever
// the exit code of a killed program says.
func TestALoginThatIsNotToldIsUnknown(t *testing.T) {
	for _, c := range []struct{ name, script, says string }{
		{"it answers", "exit 0", loggedIn},
		{"it denies", "exit 1", loggedOut},
		{"it hangs", "sleep 1000", loginUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "agent")
			require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700))
			limit := time.Minute
			if c.says == loginUnknown {
				limit = 200 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			g := &schema.Agent{Auth: schema.AgentAuth{Status: &schema.AgentAuthStatus{Args: []string{"status"}}}}
			assert.Equal(t, c.says, login(ctx, g, path, agent.Options{}))
		})
	}
}

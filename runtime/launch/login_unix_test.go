//go:build unix

package launch

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/proctree"
	"example.org/ripple/schema"
)

// An agent that does not finish its answer has reported nothing, whatever the exit code of the
// killed program is.
func TestAnUnreportedLoginIsUnknown(t *testing.T) {
	for _, c := range []struct {
		name, script string
		says         Login
	}{
		{"it answers", "exit 0", LoggedIn},
		{"it denies", "exit 1", LoggedOut},
		{"it hangs, and so does its child", "sleep 1000 & echo $! >\"$0.child\"; wait", LoginUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "agent")
			require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700))
			limit := time.Minute
			if c.says == LoginUnknown {
				limit = testkit.Patience(time.Second)
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			a := &schema.Adapter{Agent: &schema.Agent{Auth: schema.AgentAuth{Status: &schema.AgentAuthStatus{Args: []string{"status"}}}}}
			assert.Equal(t, c.says, findLogin(ctx, a, path, Program{}))
			if c.says == LoginUnknown {
				child, err := os.ReadFile(path + ".child")
				require.NoError(t, err)
				pid, err := strconv.Atoi(strings.TrimSpace(string(child)))
				require.NoError(t, err)
				require.Eventually(t, func() bool { _, lives := proctree.Find(pid); return !lives }, testkit.Patience(10*time.Second), time.Millisecond)
			}
		})
	}
}

// A program that is asked in another directory finds that one in PWD, too.
func TestTheDirectoryOfAnExaminationIsInItsEnvironment(t *testing.T) {
	t.Setenv("PWD", "/project")
	path, err := exec.LookPath("env")
	require.NoError(t, err)
	a := &schema.Adapter{Process: schema.Process{VersionProbe: &schema.VersionProbe{Pattern: `(?m)^PWD=(.*)$`}}}
	for dir, want := range map[string]string{"": "/project", "/": "/"} {
		assert.Equal(t, want, Version(t.Context(), a, path, dir, Program{Dir: dir}.environment(a)), dir)
	}
}

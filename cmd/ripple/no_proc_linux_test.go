package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// Where /proc is not mounted a command runs, its deadline holds, and a message says what is missing.
func TestWithoutProc(t *testing.T) {
	t.Parallel()
	path, err := binary()
	require.NoError(t, err)
	if err := exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "none", "/proc").Run(); err != nil {
		t.Skip("no mount namespace: ", err)
	}
	for _, tt := range []struct {
		name, limit, code, output string
		exit                      int
	}{
		{"a command", "1m", "echo ok; (exit 3)", "ok\n", 3},
		{"a deadline", "500ms", "echo ok; sleep 1000", "ok\n", 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for range testkit.Times(t, 1, 50) {
				ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience(time.Minute))
				cmd := exec.CommandContext(ctx, "unshare", "-rm", "sh", "-c", `mount -t tmpfs none /proc && exec "$@"`, "sh", path, "exec", "bash", "--timeout", tt.limit, tt.code)
				cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
				var stdout, stderr bytes.Buffer
				cmd.Stdout, cmd.Stderr = &stdout, &stderr
				_ = cmd.Run() // its code is looked at
				cancel()
				assert.Equal(t, tt.exit, cmd.ProcessState.ExitCode(), stderr.String())
				assert.Equal(t, tt.output, stdout.String())
				assert.Contains(t, stderr.String(), "ripple: running without a guard")
				assert.Contains(t, stderr.String(), "mount /proc")
			}
		})
	}
}

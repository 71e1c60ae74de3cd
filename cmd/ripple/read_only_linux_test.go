package main

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// Where the home directory is on a file system that is read-only, as in a container, a console's results are kept beside its socket,
// also those of root.
func TestAReadOnlyHome(t *testing.T) {
	t.Parallel()
	path, err := binary()
	require.NoError(t, err)
	if err := exec.Command("unshare", "-rm", "true").Run(); err != nil {
		t.Skip("no mount namespace: ", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience(time.Minute))
	defer cancel()
	cmd := exec.CommandContext(ctx, "unshare", "-rm", "sh", "-ec", `mount -t tmpfs -o ro none "$HOME"
		"$0" console start bash --name ro
		"$0" console exec ro 'echo ok'
		"$0" console history ro
		"$0" console close ro`, path)
	runtime := t.TempDir()
	require.NoError(t, os.Chmod(runtime, 0o700))
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_RUNTIME_DIR="+runtime, "XDG_STATE_HOME=")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), "\nok\n")
	assert.Contains(t, string(out), "echo ok")
}

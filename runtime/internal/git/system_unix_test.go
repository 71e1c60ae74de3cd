//go:build unix

package git

import (
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A disk that is full while git makes a working tree is not a conflict. Git cannot write a large file either if the size of files is
// limited, which needs a process of its own.
func TestOpenWorktreeOnAFullDisk(t *testing.T) {
	if os.Getenv("RIPPLE_DISK_FULL") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestOpenWorktreeOnAFullDisk$", "-test.v")
		cmd.Env = append(os.Environ(), "RIPPLE_DISK_FULL=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Contains(t, string(out), "--- PASS: TestOpenWorktreeOnAFullDisk")
		return
	}
	p := newRepo(t)
	p.write("large", strings.Repeat("0123456789\n", 10_000))
	p.commit("large")
	signal.Ignore(syscall.SIGXFSZ)
	var old syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 20_000, Max: old.Max}))
	_, err := (&Repo{Top: p.dir}).OpenWorktree(t.Context(), sideOf(p, "side"), "side", plainly)
	assert.ErrorIs(t, err, syscall.ENOSPC)
}

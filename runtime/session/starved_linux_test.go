package session_test

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.org/ripple/runtime/session"
)

// On a busy machine, an interrupt comes before a shell has read the command. The shell would drop only what it has read so far, and
// run the rest.
func TestInterruptOfAShellThatHardlyRuns(t *testing.T) {
	s := open(t, "bash", session.Options{Observer: trace(t)})
	shell, err := strconv.Atoi(strings.TrimSpace(eval(t, s, "echo $$").Output))
	require.NoError(t, err)
	var first unix.CPUSet
	first.Set(0)
	for range 2 {
		busy := exec.Command("sh", "-c", "while :; do :; done")
		require.NoError(t, busy.Start())
		t.Cleanup(func() {
			_ = busy.Process.Kill()
			_ = busy.Wait() // killed
		})
		require.NoError(t, unix.SchedSetaffinity(busy.Process.Pid, &first))
	}
	require.NoError(t, unix.SchedSetaffinity(shell, &first))
	require.NoError(t, unix.Setpriority(unix.PRIO_PROCESS, shell, 19))
	timeout(t, s, "while :; do :; done", 30*time.Millisecond)
	r, err := s.Interrupt(deadline(t))
	require.NoError(t, err)
	assert.Equal(t, 130, code(r), "%q", r.Output)
	assert.Equal(t, "ok\n", eval(t, s, "echo ok").Output)
}

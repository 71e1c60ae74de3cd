package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop/record"
)

// A user who may write and lock a project's files can write the ID of any process into the lock file: no command ends that
// process, or the processes of a group.
func TestStopEndsOnlyTheLoop(t *testing.T) {
	h := newHostile(t, map[string]string{layout.Dir + "/" + layout.PromptFile: "task"})
	other := exec.Command("sleep", "1000")
	other.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, other.Start())
	t.Cleanup(func() {
		assert.NoError(t, other.Process.Kill(), "it still runs")
		_ = other.Wait() // the signal
	})
	lock, err := os.Create(filepath.Join(h.dir, layout.Dir, layout.LockFile))
	require.NoError(t, err)
	defer lock.Close()
	require.NoError(t, unix.Flock(int(lock.Fd()), unix.LOCK_EX))
	for _, pid := range []int{other.Process.Pid, -other.Process.Pid} {
		text, err := json.Marshal(record.Holder{PID: pid})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(lock.Name(), text, 0o600))
		for _, args := range [][]string{{"stop"}, {"stop", "--now"}} {
			out, code := h.run(args...)
			assert.Equal(t, ui.ExitFailed, code, out)
			assert.Contains(t, out, "it does not run the loop")
		}
	}
	ended, err := unix.Wait4(other.Process.Pid, nil, unix.WNOHANG, nil)
	require.NoError(t, err)
	assert.Zero(t, ended, "the process runs")
}

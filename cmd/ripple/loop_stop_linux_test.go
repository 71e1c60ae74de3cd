package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/scenario"
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

// The loop of a terminal on which Ctrl-Z was typed: status and stop say how to continue it, and stop --now ends it.
func TestStopOfAStoppedLoop(t *testing.T) {
	for _, tt := range []struct {
		name string
		now  bool
	}{{"continued", false}, {"ended now", true}} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHostile(t, map[string]string{"scenario.yaml": "turns: [{steps: [{run: 'touch began; until test -e go; do sleep 0.02; done'}]}]"})
			path, err := binary()
			require.NoError(t, err)
			cmd := exec.Command(path, "run", "--trust", "--adapter", "rehearsal", "--prompt", "x", "--max-turns", "1")
			cmd.Dir, cmd.Env = h.dir, append(h.environ, scenario.FileVariable+"=scenario.yaml")
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			require.NoError(t, cmd.Start())
			group := cmd.Process.Pid
			t.Cleanup(func() { _ = unix.Kill(-group, unix.SIGKILL) }) // it has ended, unless the test failed
			require.Eventually(t, func() bool {
				_, err := os.Stat(filepath.Join(h.dir, "began"))
				return err == nil
			}, commandTimeout, time.Millisecond)
			require.NoError(t, unix.Kill(-group, unix.SIGSTOP))
			status := ""
			require.Eventually(t, func() bool {
				out, code := h.run("status", "--exit-code")
				assert.Equal(t, ui.ExitOK, code, out)
				status = out
				return strings.Contains(out, "suspended")
			}, commandTimeout, time.Millisecond)
			how := fmt.Sprintf("fg in its terminal, or kill -CONT -%d", group)
			assert.Contains(t, status, how)
			out, code := h.run("stop")
			assert.Equal(t, ui.ExitFailed, code, out)
			assert.Contains(t, out, "is stopped (Ctrl-Z or SIGSTOP)")
			assert.Contains(t, out, "to continue it: "+how)
			assert.Contains(t, out, "ripple stop --now")
			if tt.now {
				out, code = h.run("stop", "--now")
				assert.Equal(t, ui.ExitOK, code, out)
				require.Error(t, cmd.Wait())
				assert.Equal(t, ui.ExitInterrupted, cmd.ProcessState.ExitCode())
				return
			}
			require.NoError(t, unix.Kill(-group, unix.SIGCONT))
			require.NoError(t, os.WriteFile(filepath.Join(h.dir, "go"), nil, 0o600))
			require.Error(t, cmd.Wait())
			assert.Equal(t, ui.ExitLimit, cmd.ProcessState.ExitCode(), "the refused stop was not kept")
		})
	}
}

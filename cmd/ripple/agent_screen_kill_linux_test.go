package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

const leavesMuch = `turns:
  - steps:
      - run: (setsid nohup sleep 1000 > /dev/null 2>&1 &); nohup sleep 1000 > /dev/null 2>&1 &
      - run: touch begun
      - stall: true
`

// kill -9 of ripple during a turn on the agent's screen leaves neither the agent nor its children.
func TestKillLeavesNothingOfAScreen(t *testing.T) {
	path, err := binary()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "scenario.yaml"), []byte(leavesMuch), 0o600))
	r := &running{mark: "RIPPLE_TEST=screen-" + strconv.Itoa(os.Getpid()), temp: t.TempDir()}
	r.Cmd = exec.Command(path, "agent", "run", "--adapter", "rehearsal", "--screen", "--env", r.mark, "go")
	r.Env = append(os.Environ(), "HOME="+t.TempDir(), "TMPDIR="+r.temp, "RIPPLE_SCENARIO="+filepath.Join(dir, "scenario.yaml"))
	r.Dir, r.SysProcAttr = dir, &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, r.Start())
	t.Cleanup(func() { _ = r.Process.Kill() }) // it should have ended
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(dir, "begun"))
		return err == nil && len(r.left()) >= 3
	}, testkit.Patience(60*time.Second), 5*time.Millisecond, "the agent and its two children")
	require.NoError(t, syscall.Kill(-r.Process.Pid, syscall.SIGKILL))
	require.Eventually(t, func() bool { return len(r.left()) == 0 && len(r.files(t)) == 0 }, testkit.Patience(30*time.Second), 5*time.Millisecond)
	require.Error(t, r.Wait())
}

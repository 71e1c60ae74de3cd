package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ripple/runtime/proctree"
)

// binaryDir is where the real command is built, for what the scripts cannot
// show: processes that are killed, and terminals.
var binaryDir string

// withBinary makes and removes that directory around all tests.
type withBinary struct{ *testing.M }

func (w withBinary) Run() int {
	var err error
	if binaryDir, err = os.MkdirTemp("", "ripple-test-"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(binaryDir) // what is left is in the system's temporary directory
	return w.M.Run()
}

var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(binaryDir, "ripple")
	return path, exec.Command("go", "build", "-o", path, ".").Run()
})

// running is a started binary with a session whose shell has children in its
// own group, in a session of their own, and out of reach of a hang-up.
type running struct {
	*exec.Cmd
	mark string // in the environment of everything below
	temp string // where its private directories are
}

func startBusy(t *testing.T, mark string) *running {
	t.Helper()
	path, err := binary()
	require.NoError(t, err)
	r := &running{mark: "RIPPLE_TEST=" + mark + strconv.Itoa(os.Getpid()), temp: t.TempDir()}
	r.Cmd = exec.Command(path, "exec", "bash", "--env", r.mark,
		`setsid sleep 1000 & nohup sleep 1000 > /dev/null 2>&1 & sleep 1000 & echo ready; sleep 1000`)
	r.Env = append(os.Environ(), "HOME="+t.TempDir(), "TMPDIR="+r.temp)
	stdout, err := r.StdoutPipe()
	require.NoError(t, err)
	var stderr bytes.Buffer
	r.Stderr = &stderr
	require.NoError(t, r.Start())
	t.Cleanup(func() { _ = r.Process.Kill() }) // it should be gone
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadString('\n')
		require.NoError(t, err, stderr.String())
		if line == "ready\n" {
			break
		}
	}
	go io.Copy(io.Discard, lines) // until it ends
	require.Eventually(t, func() bool { return len(r.left()) >= 5 }, 10*time.Second, time.Millisecond, "the shell and its four children")
	return r
}

// left are the processes that carry the mark: all that the session started.
func (r *running) left() []int {
	var pids []int
	paths, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is valid
	for _, path := range paths {
		environ, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(environ, []byte(r.mark)) {
			continue
		}
		pid, _ := strconv.Atoi(strings.Split(path, "/")[2]) // digits, by the pattern
		pids = append(pids, pid)
	}
	return pids
}

// inner is the process that does the work: below the one we started, and not
// below the session.
func (r *running) inner(t *testing.T) int {
	t.Helper()
	var found []int
	for _, p := range proctree.Descendants(r.Process.Pid) {
		if !slices.Contains(r.left(), p.PID) {
			found = append(found, p.PID)
		}
	}
	require.Len(t, found, 1)
	return found[0]
}

// kill -9 of either half leaves nothing within 2 s.
func TestKillLeavesNothing(t *testing.T) {
	for _, victim := range []string{"outer", "inner"} {
		t.Run(victim, func(t *testing.T) {
			r := startBusy(t, "kill-"+victim)
			pid := r.Process.Pid
			if victim == "inner" {
				pid = r.inner(t)
			}
			require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
			assert.Eventually(t, func() bool { return len(r.left()) == 0 }, 2*time.Second, 5*time.Millisecond)
			require.Error(t, r.Wait())
		})
	}
}

// Signals that ask for an end get an orderly one: no process, no file, 130.
func TestSignalsCloseTheSession(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			r := startBusy(t, "signal-"+strconv.Itoa(int(sig)))
			require.NoError(t, r.Process.Signal(sig))
			_ = r.Wait() // the state has its exit code
			assert.Equal(t, exitInterrupted, r.ProcessState.ExitCode())
			assert.Empty(t, r.left())
			files, err := os.ReadDir(r.temp)
			require.NoError(t, err)
			assert.Empty(t, files)
		})
	}
}

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/proctree"
)

// running is a started binary with a session whose shell has children in its own process group, in
// other sessions, and with SIGHUP ignored.
type running struct {
	*exec.Cmd
	mark string // in the environment of all its descendants
	temp string // parent of its private directories
}

// awaited is output that can be waited for.
type awaited struct {
	text, got []byte
	came      chan struct{}
}

func (a *awaited) Write(b []byte) (int, error) {
	before := bytes.Contains(a.got, a.text)
	a.got = append(a.got, b...)
	if !before && bytes.Contains(a.got, a.text) {
		close(a.came)
	}
	return len(b), nil
}

func startBusy(t *testing.T, mark string) *running {
	t.Helper()
	path, err := binary()
	require.NoError(t, err)
	r := &running{mark: "RIPPLE_TEST=" + mark + strconv.Itoa(os.Getpid()), temp: t.TempDir()}
	r.Cmd = exec.Command(path, "exec", "bash", "--env", r.mark,
		`setsid sleep 1000 & (setsid nohup sleep 1000 > /dev/null 2>&1 &); nohup sleep 1000 > /dev/null 2>&1 & sleep 1000 & echo ready; sleep 1000`)
	r.Env = append(os.Environ(), "HOME="+t.TempDir(), "TMPDIR="+r.temp)
	r.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdout, stderr := &awaited{text: []byte("ready\n"), came: make(chan struct{})}, &bytes.Buffer{}
	r.Stdout, r.Stderr = stdout, stderr
	require.NoError(t, r.Start())
	t.Cleanup(func() { _ = r.Process.Kill() }) // it should have ended
	select {
	case <-stdout.came:
	case <-time.After(testkit.Patience(30 * time.Second)):
		_ = r.Process.Kill() // reported below
		_ = r.Wait()
		require.FailNow(t, "no session", "stdout: %s\nstderr: %s", stdout.got, stderr)
	}
	require.Eventually(t, func() bool { return len(r.left()) >= 6 }, testkit.Patience(10*time.Second), time.Millisecond, "the shell and its five children")
	return r
}

// left returns the processes that carry the mark: all processes of the session.
func (r *running) left() []int { return testkit.ProcessesWith(r.mark) }

// files returns the contents of its directory for temporary files.
func (r *running) files(t *testing.T) []os.DirEntry {
	files, err := os.ReadDir(r.temp)
	require.NoError(t, err)
	return files
}

// inner returns the process that does the work: a descendant of the started process and its
// supervisor, but not part of the session.
func (r *running) inner(t *testing.T) int {
	t.Helper()
	var found []int
	require.Eventually(t, func() bool { // during exec a process shows no environment
		found = nil
		for _, p := range proctree.Descendants(r.Process.Pid) {
			if p.Name == "ripple" && !slices.Contains(r.left(), p.PID) {
				found = append(found, p.PID)
			}
		}
		return len(found) == 1
	}, testkit.Patience(10*time.Second), time.Millisecond)
	return found[0]
}

func parentOf(t *testing.T, pid int) (parent int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	_, after, _ := bytes.Cut(status, []byte("\nPPid:"))
	_, err = fmt.Sscan(string(after), &parent)
	require.NoError(t, err)
	return parent
}

// kill -9 of any process of ripple, of both processes with its name at once, or of one right after
// the other as killall does, leaves no process or file after 2 s.
func TestKillLeavesNothing(t *testing.T) {
	times := testkit.Times(t, 1, 100)
	for _, victim := range []string{"outer", "keeper", "inner", "group", "each"} {
		t.Run(victim, func(t *testing.T) {
			for n := range times {
				r := startBusy(t, fmt.Sprintf("kill-%s-%d-", victim, n))
				victims := []int{r.Process.Pid}
				switch victim {
				case "keeper":
					victims = []int{parentOf(t, r.inner(t))}
				case "inner":
					victims = []int{r.inner(t)}
				case "group":
					victims = []int{-r.Process.Pid}
				case "each":
					victims = append(victims, r.inner(t))
				}
				for _, pid := range victims {
					require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
				}
				require.Eventually(t, func() bool { return len(r.left()) == 0 && len(r.files(t)) == 0 }, testkit.Patience(2*time.Second), 5*time.Millisecond, "time %d", n)
				require.Error(t, r.Wait())
			}
		})
	}
}

// If every process was killed, the next start removes their files, and no other files.
func TestTheNextStartRemovesWhatTheDeadLeft(t *testing.T) {
	r := startBusy(t, "kill-all")
	thesis := filepath.Join(r.temp, "ripple-2024-thesis")
	require.NoError(t, os.Mkdir(thesis, 0o700))
	// Those that clean up are killed first, the outer process last of them: its end would leave the
	// stopped inner process in an orphaned process group, which the kernel hangs up and continues.
	inner := r.inner(t)
	victims := append([]int{parentOf(t, inner), inner, r.Process.Pid}, r.left()...)
	for _, p := range proctree.Descendants(r.Process.Pid) { // during exec a process shows no environment
		victims = append(victims, p.PID)
	}
	for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} { // stopped, none notices the end of another
		for _, pid := range victims {
			_ = syscall.Kill(pid, sig) // some end with another
		}
	}
	require.Error(t, r.Wait())
	require.Len(t, r.files(t), 2)
	next := exec.Command(r.Path, "exec", "bash", "true")
	next.Env = r.Env
	require.NoError(t, next.Run())
	files := r.files(t)
	require.Len(t, files, 1)
	assert.Equal(t, filepath.Base(thesis), files[0].Name())
}

// SIGTERM and similar signals end ripple in an orderly way: no process, no file, exit code 130.
func TestSignalsCloseTheSession(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		t.Run(sig.String(), func(t *testing.T) {
			heed(t, sig)
			r := startBusy(t, "signal-"+strconv.Itoa(int(sig)))
			require.NoError(t, r.Process.Signal(sig))
			_ = r.Wait() // the state contains the exit code
			assert.Equal(t, ui.ExitInterrupted, r.ProcessState.ExitCode())
			assert.Empty(t, r.left())
			assert.Empty(t, r.files(t))
		})
	}
}

// A signal to the whole process group leaves nothing behind, however early it arrives: neither
// before the processes know of each other, nor while a directory is created.
func TestAnEarlySignalLeavesNothing(t *testing.T) {
	path, err := binary()
	require.NoError(t, err)
	times := testkit.Times(t, 5, 1000)
	var commands [][]string // their starts differ: a startup file, a directory of startup files, a script
	for _, c := range [][]string{{"bash", "bash", "sleep 1000"}, {"zsh", "zsh", "sleep 1000"}, {"python3", "python", "import time; time.sleep(1000)"}} {
		if _, err := exec.LookPath(c[0]); err == nil {
			commands = append(commands, append([]string{"exec"}, c[1:]...))
		}
	}
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGKILL} {
		t.Run(sig.String(), func(t *testing.T) {
			heed(t, sig)
			for n := range times {
				moment := rand.N(30 * time.Millisecond)
				r := &running{mark: fmt.Sprintf("RIPPLE_TEST=early-%d-%d-%d", sig, n, os.Getpid()), temp: t.TempDir()}
				r.Cmd = exec.Command(path, commands[n%len(commands)]...)
				r.Env = append(os.Environ(), "HOME="+r.temp, "TMPDIR="+r.temp, r.mark)
				r.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
				require.NoError(t, r.Start())
				time.Sleep(moment)
				require.NoError(t, syscall.Kill(-r.Process.Pid, sig))
				if sig == syscall.SIGINT { // a single SIGINT interrupts the command, and ripple continues if that ends
					_ = syscall.Kill(-r.Process.Pid, syscall.SIGTERM) // it may have ended
				}
				require.Error(t, r.Wait())
				require.Eventually(t, func() bool { return len(r.left()) == 0 && len(r.files(t)) == 0 }, testkit.Patience(30*time.Second), time.Millisecond,
					"%v after %v: processes %v, files %v", r.Args[1:], moment, r.left(), r.files(t))
			}
		})
	}
}

// heed resets a signal that this process ignores, as under nohup, so that programs started here do
// not inherit that.
func heed(t *testing.T, sig os.Signal) {
	t.Helper()
	heeded := make(chan os.Signal, 1)
	signal.Notify(heeded, sig)
	t.Cleanup(func() { signal.Stop(heeded) }) // and not Reset, which ends it for parallel tests, too
}

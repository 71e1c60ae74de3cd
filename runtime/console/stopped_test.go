//go:build linux

package console_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/console"
	"example.org/ripple/runtime/proctree"
)

// stopHost stops a console's host and continues it at the end of the test.
func stopHost(t *testing.T, c *console.Client) int {
	t.Helper()
	s, err := c.Status(t.Context())
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(s.HostPID, syscall.SIGSTOP))
	require.Eventually(t, func() bool { return stopped(s.HostPID) }, testkit.Patience(30*time.Second), time.Millisecond)
	t.Cleanup(func() { _ = syscall.Kill(s.HostPID, syscall.SIGCONT) })
	return s.HostPID
}

// onlyConsole returns the entry of the one console that is listed.
func onlyConsole(t *testing.T) console.Status {
	t.Helper()
	all, err := console.List(t.Context(), os.Getenv)
	require.NoError(t, err)
	require.Len(t, all, 1)
	return all[0]
}

func requireNoConsole(t *testing.T) {
	t.Helper()
	all, err := console.List(t.Context(), os.Getenv)
	require.NoError(t, err)
	require.Empty(t, all)
}

// requireEnded waits until processes have ended.
func requireEnded(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		awaitDeath(t, pid)
	}
}

// Every request to a stopped host fails in bounded time, whatever its own bound is, and is not
// carried out when the host continues.
func TestAStoppedHostEndsTheWaitOfItsClients(t *testing.T) {
	place(t)
	dir := t.TempDir()
	c := start(t, console.Spec{Dir: dir})
	host := stopHost(t, c)
	ctx := t.Context()
	asked := map[string]func() error{
		"status": func() error { _, err := c.Status(ctx); return err },
		"exec":   func() error { _, err := c.Exec(ctx, console.ExecRequest{Code: "echo late > file"}, nil); return err },
		"exec with a bound": func() error {
			_, err := c.Exec(ctx, console.ExecRequest{Code: "echo late > file", Wait: time.Millisecond}, nil)
			return err
		},
		"wait":      func() error { _, err := c.Wait(ctx, console.WaitRequest{Wait: time.Millisecond}, nil); return err },
		"send":      func() error { _, err := c.Send(ctx, console.SendRequest{Text: "late"}); return err },
		"screen":    func() error { _, _, err := c.Screen(ctx); return err },
		"resize":    func() error { _, err := c.Resize(ctx, 80, 24); return err },
		"interrupt": func() error { _, err := c.Interrupt(ctx); return err },
		"attach":    func() error { _, err := c.Attach(ctx, console.AttachRequest{Cols: 80, Rows: 24}); return err },
		"close":     func() error { return c.End(ctx, false) },
	}
	got := map[string]chan error{}
	for name, ask := range asked {
		answer := make(chan error, 1)
		got[name] = answer
		go func() { answer <- ask() }()
	}
	for name, answer := range got {
		assert.Truef(t, console.IsUnresponsive(<-answer), name)
	}
	require.NoError(t, syscall.Kill(host, syscall.SIGCONT))
	out, _ := exec(t, c, "ls")
	assert.Empty(t, out)
}

// A console that cannot be closed in any other way is killed with its program.
func TestAStoppedHostIsKilled(t *testing.T) {
	place(t)
	c := start(t, console.Spec{Name: "a"})
	s, err := c.Status(t.Context())
	require.NoError(t, err)
	stopHost(t, c)
	require.Equal(t, console.Unresponsive, onlyConsole(t).State)
	require.NoError(t, c.End(t.Context(), true))
	requireNoConsole(t)
	requireEnded(t, s.PID)
}

// The host's guard may be stopped, too: a terminal's Ctrl-Z stops a whole process group.
func TestAStoppedGroupIsKilled(t *testing.T) {
	place(t)
	c := start(t, console.Spec{Name: "a"})
	s, err := c.Status(t.Context())
	require.NoError(t, err)
	group, err := syscall.Getpgid(s.HostPID)
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(-group, syscall.SIGSTOP))
	require.NoError(t, c.End(t.Context(), true))
	requireEnded(t, s.PID)
}

// The host's keeper, which ends the program if the host is killed, is continued, and none of the
// processes remains.
func TestAStoppedKeeper(t *testing.T) {
	for _, victims := range []string{"keeper", "keeper and host", "all"} {
		for _, kill := range []bool{false, true} {
			if !kill && victims == "keeper and host" { // its host does not respond
				continue
			}
			t.Run(fmt.Sprintf("%s %v", victims, kill), func(t *testing.T) {
				place(t)
				c := start(t, console.Spec{Name: "a"})
				out, a := exec(t, c, "(sleep 1000 & echo $!)")
				sleep, err := strconv.Atoi(strings.TrimSpace(out))
				require.NoError(t, err)
				host := a.Status.HostPID
				guard := proctree.Ancestors(host)
				group, err := syscall.Getpgid(host)
				require.NoError(t, err)
				require.Equal(t, group, guard[1].PID)
				all := []int{guard[0].PID, host, group}
				for _, pid := range all[:map[string]int{"keeper": 1, "keeper and host": 2, "all": 3}[victims]] {
					require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
					require.Eventually(t, func() bool { return stopped(pid) }, testkit.Patience(30*time.Second), time.Millisecond)
				}
				require.NoError(t, c.End(t.Context(), kill))
				requireEnded(t, append(all, sleep, a.Status.PID)...)
			})
		}
	}
}

// The history and the output of a console whose host is stopped are what is on disk, without a wait for
// the host.
func TestHistoryOfAStoppedHost(t *testing.T) {
	place(t)
	c := start(t, console.Spec{Name: "a"})
	exec(t, c, "echo one")
	stopHost(t, c)
	began := time.Now()
	all, err := c.History()
	require.NoError(t, err)
	assert.Less(t, time.Since(began), 900*time.Millisecond, "a host has a second to answer")
	require.Len(t, all, 1)
	assert.Equal(t, "echo one", all[0].Code)
	began = time.Now()
	found, err := c.Read(console.ReadRequest{From: 1})
	require.NoError(t, err)
	assert.Less(t, time.Since(began), 900*time.Millisecond, "a host has a second to answer")
	assert.Equal(t, "echo one", found.Command.Code)
}

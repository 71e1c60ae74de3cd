package proctree

import (
	"maps"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// withoutLists simulates a kernel without lists of children.
func withoutLists(t *testing.T) {
	t.Helper()
	lists := childrenFile
	childrenFile = "none"
	t.Cleanup(func() { childrenFile = lists })
}

func TestFallbackWithoutLists(t *testing.T) {
	withoutLists(t)
	_, _, listed := below(os.Getpid(), 0)
	assert.False(t, listed)
	s, _ := candidates(os.Getpid(), 0)
	assert.Contains(t, s, 1)
}

// The lists lead to every process that a scan of all processes shows below this one: children of
// several threads, orphans, other sessions, zombies.
func TestListsOfChildrenLeadToAll(t *testing.T) {
	d := duration(300)
	script := strings.ReplaceAll("sleep D & setsid sh -c 'sleep D & exit' & (sleep D & sleep D & wait) & wait", "D", d)
	const threads, sleepsEach = 4, 4
	end := make(chan struct{})
	for range threads {
		started := make(chan *exec.Cmd)
		go func() {
			runtime.LockOSThread() // its child is on a list of its own
			defer runtime.UnlockOSThread()
			cmd := exec.Command("sh", "-c", script)
			assert.NoError(t, cmd.Start())
			started <- cmd
			<-end
		}()
		cmd := <-started
		t.Cleanup(func() { _ = cmd.Wait() }) // killed
	}
	_, tree := leader(t, "setsid sh -c ': & exit'; (sleep "+d+" &); echo up; sleep "+d)
	t.Cleanup(func() { close(end); assert.NoError(t, killDescendants()); reapAll(t) })
	waitFor(t, func() bool { return len(tree.zombies()) == 1 && marked("sleep\x00"+d) == threads*sleepsEach+2 })
	waitFor(t, func() bool { // shells are about to exec
		s, whole, listed := below(os.Getpid(), tree.root.PID)
		require.True(t, listed)
		all := first(scan()).descend(map[int]bool{os.Getpid(): true})
		found := map[int]bool{}
		for pid := range s {
			found[pid] = true
		}
		return whole && maps.Equal(all, found)
	})
	assert.Len(t, tree.zombies(), 1)
}

// The kernel skips a child in a list if the previous one is reaped while it writes the list.
func TestNoChildIsMissedWhilePreviousIsReaped(t *testing.T) {
	for range testkit.Fewer(t, 5, testkit.Times(t, 10, 50)) {
		var elders []*exec.Cmd
		for range 20 {
			elder := exec.Command("true")
			require.NoError(t, elder.Start())
			elders = append(elders, elder)
		}
		youngest := exec.Command("sleep", duration(310))
		require.NoError(t, youngest.Start())
		reaped := make(chan struct{})
		go func() {
			defer close(reaped)
			for _, elder := range elders {
				assert.NoError(t, elder.Wait())
			}
		}()
		for reaping := true; reaping; {
			select {
			case <-reaped:
				reaping = false
			default:
			}
			if list, all := children(os.Getpid()); all {
				assert.Contains(t, list, youngest.Process.Pid)
			}
		}
		require.NoError(t, youngest.Process.Kill())
		_ = youngest.Wait() // killed
	}
}

// A process that ends and is reaped hands its children to the first thread, whose list may
// have been read already.
func TestNoChildIsMissedWhileItChangesThreads(t *testing.T) {
	for range testkit.Fewer(t, 6, testkit.Times(t, 15, 100)) {
		parent := make(chan *exec.Cmd)
		killed := make(chan struct{})
		go func() {
			runtime.LockOSThread() // its child is on a list of its own
			defer runtime.UnlockOSThread()
			defer close(killed)
			cmd, _ := leader(t, "sleep "+duration(311)+" & echo up; wait")
			parent <- cmd
			assert.NoError(t, cmd.Process.Kill())
			_ = cmd.Wait()
		}()
		cmd := <-parent
		for killing := true; killing; {
			select {
			case <-killed:
				killing = false
			default:
			}
			list, all := children(os.Getpid())
			assert.True(t, !all || len(list) > 0, "neither %d nor its child", cmd.Process.Pid)
		}
		assert.NoError(t, killDescendants())
		reapAll(t)
	}
}

// In a guarded process the keeper adopts, and its list leads to orphans that left the tree.
func TestEndReachesEveryShapeUnderAGuard(t *testing.T) {
	for i, script := range []string{
		"sleep D & echo up; wait",
		"set -m; setsid sleep D & echo up; wait",
		"(sleep D &); echo up; wait; sleep D",
		"setsid sh -c 'nohup sleep D >/dev/null 2>&1 & exit'; echo up; sleep D",
		"setsid sh -c 'nohup sleep D >/dev/null 2>&1 & exit'; echo up",
		"trap 'setsid sleep D & sleep D &' TERM; echo up; while :; do sleep D & wait; done",
	} {
		d := duration(320 + i)
		cmd, _, out := startGuarded(t, endsTree+strings.ReplaceAll(script, "D", d))
		line, err := out.ReadString('\n')
		require.NoError(t, err)
		assert.Equal(t, "ended: <nil>\n", line, script)
		assert.Zero(t, marked("sleep\x00"+d), script) // the guarded process is alive
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		_ = cmd.Wait() // the signal
		reapAll(t)
	}
}

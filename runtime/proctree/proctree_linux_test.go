package proctree

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.org/ripple/internal/keeper"
	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/internal/scratch"
)

// The test binary is also the guarded program of the guard's tests.
const firstThreadEnds = "FIRST_THREAD_ENDS"

func init() {
	if os.Getenv(firstThreadEnds) != "" {
		runtime.LockOSThread() // TestMain runs on the first thread
	}
}

func TestMain(m *testing.M) {
	if os.Getenv(firstThreadEnds) != "" {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin) // until the test is over
			os.Exit(0)
		}()
		_, _, _ = syscall.RawSyscall(syscall.SYS_EXIT, 0, 0, 0) // of this thread
	}
	if script, ok := os.LookupEnv("GUARDED_SCRIPT"); ok {
		os.Exit(Guard(func() int { return guarded(script) }))
	}
	if err := SetSubreaper(); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// guarded prints its pid and the mark in its environment, and runs a script or counts the
// interrupts that arrive.
func guarded(script string) int {
	fmt.Println("inner", os.Getpid(), os.Getenv(keeper.Mark))
	if script == "count" {
		return countInterrupts()
	}
	if tree, is := strings.CutPrefix(script, endsTree); is {
		return endTree(tree)
	}
	if d, is := strings.CutPrefix(script, leavesOrphan); is {
		return endOrphan(d)
	}
	if script == makesPrivate {
		private, err := scratch.New("", "guarded")
		if err != nil {
			return 99
		}
		fmt.Println(private.Path)
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
		return 0
	}
	cmd := exec.Command("sh", "-c", script)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		return 99
	}
	if w := cmd.ProcessState.Sys().(syscall.WaitStatus); w.Signaled() {
		return 128 + int(w.Signal()) // as a shell reports it
	}
	return cmd.ProcessState.ExitCode()
}

// leavesOrphan precedes the duration of an orphan, which is ended before main is over.
const leavesOrphan = "orphan: "

// endOrphan prints how many processes there are with that duration before and after EndOrphans.
func endOrphan(d string) int {
	if err := exec.Command("sh", "-c", "trap '' TERM; setsid sleep "+d+" > /dev/null & until pgrep -f 'sleep "+d+"$' > /dev/null; do :; done").Run(); err != nil {
		return 99
	}
	fmt.Println("before", marked(d))
	err := EndOrphans(context.Background())
	fmt.Println("after", marked(d), err)
	return 0
}

// makesPrivate prints the path of a private directory and waits; it starts no other process.
const makesPrivate = "private"

// endsTree precedes a script that is a tree's leader, to be ended once it is up.
const endsTree = "end: "

// endTree prints the result of ending the tree, and waits to be ended.
func endTree(script string) int {
	cmd := exec.Command("bash", "-c", script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		return 99
	}
	tree := New(cmd.Process.Pid, "")
	tree.OwnsOrphans = true
	_, _ = bufio.NewReader(out).ReadString('\n') // "up"
	ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience(20*time.Second))
	defer cancel()
	fmt.Println("ended:", tree.End(ctx, Step{syscall.SIGTERM, 20 * time.Millisecond}))
	_ = cmd.Wait()                       // killed, or not
	_, _ = io.Copy(io.Discard, os.Stdin) // until the end of the test
	return 0
}

// countInterrupts prints a line for each interrupt until it is asked to exit.
func countInterrupts() int {
	c := make(chan os.Signal, 8)
	Notify(c, syscall.SIGINT, syscall.SIGTERM)
	fmt.Println("up")
	for n := 1; <-c == syscall.SIGINT; n++ {
		fmt.Println("interrupt", n)
	}
	fmt.Println("end")
	return 0
}

// within bounds a test's wait for an event without notification.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience(20*time.Second))
	t.Cleanup(cancel)
	return ctx
}

func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	ctx := within(t)
	for tick := time.NewTicker(time.Millisecond); !ok(); {
		select {
		case <-tick.C:
		case <-ctx.Done():
			require.FailNow(t, "it did not happen within 20 s")
		}
	}
}

// leader starts a script as the leader of its own session and returns when it has printed "up".
func leader(t *testing.T, script string) (*exec.Cmd, *Tree) {
	t.Helper()
	cmd := exec.Command("bash", "-c", script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	tree := New(cmd.Process.Pid, "")
	t.Cleanup(func() { _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "up\n", line)
	return cmd, tree
}

// marked counts the living processes whose command line contains the text.
func marked(text string) (n int) {
	all, _ := os.ReadDir("/proc") // filepath.Glob would list the directory of each process
	for _, e := range all {
		if c := e.Name()[0]; c < '1' || c > '9' {
			continue
		}
		b, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if strings.Contains(string(b), text) {
			n++
		}
	}
	return n
}

// alive waits for the one process with that text: during its exec the command line is empty.
func alive(t *testing.T, text string) {
	t.Helper()
	waitFor(t, func() bool { return marked(text) == 1 })
}

// duration returns an argument for sleep that no other process of the machine has.
func duration(n int) string { return fmt.Sprintf("9%d.%d", os.Getpid(), n) }

func TestEndReachesEveryShape(t *testing.T) {
	for i, tt := range []struct {
		name, script string
		sole         bool
	}{
		{"a child", "sleep D & echo up; wait", false},
		{"in a group of its own", "set -m; sleep D & echo up; wait", false},
		{"nohup", "nohup sleep D >/dev/null 2>&1 & echo up; wait", false},
		{"setsid", "setsid sleep D & echo up; wait", false},
		{"orphan in the session", "(sleep D &); echo up; wait; sleep D", false},
		{"stopped", "sleep D & kill -STOP $!; echo up; wait", false},
		{"ignores all signals that can be ignored", "trap '' HUP TERM INT; sleep D & echo up; while :; do wait; done", false},
		{"daemon", "setsid sh -c 'nohup sleep D >/dev/null 2>&1 & exit'; echo up; sleep D", true},
		{"daemon whose leader ended", "setsid sh -c 'nohup sleep D >/dev/null 2>&1 & exit'; echo up", true},
		{"stopped daemon", "setsid sh -c 'sleep D >/dev/null & kill -STOP $!; exit'; echo up", true},
		{"forks forever", "f() { sleep D & f & wait; }; echo up; while :; do (sleep D & true); done", false},
		{"forks on SIGTERM", "trap 'setsid sleep D & sleep D &' TERM; echo up; while :; do sleep D & wait; done", false},
	} {
		endsWhole := func(t *testing.T) {
			d := duration(i)
			_, tree := leader(t, strings.ReplaceAll(tt.script, "D", d))
			tree.OwnsOrphans = tt.sole
			waitFor(t, func() bool { return marked(d) > 0 }) // an exec hides a command line briefly
			require.NoError(t, tree.End(within(t), Step{syscall.SIGTERM, 20 * time.Millisecond}))
			assert.Zero(t, marked(d))
			assert.Empty(t, tree.Members())
			assert.Empty(t, tree.zombies())
		}
		t.Run(tt.name, endsWhole)
		t.Run(tt.name+", by all processes", func(t *testing.T) {
			withoutLists(t)
			endsWhole(t)
		})
	}
}

// zombies returns ended orphans that this process adopted and did not reap.
func (t *Tree) zombies() (list []entry) {
	s, _ := scan()
	for _, e := range s {
		if e.parent == os.Getpid() && e.zombie() && e.PID != t.root.PID && e.Start >= t.root.Start {
			list = append(list, e)
		}
	}
	return list
}

// A process that came and went unseen, in a session that no member leads, is left to this process
// as a zombie: Erlang's resolver does that at startup.
func TestEndReapsOrphansThatEndedUnseen(t *testing.T) {
	cmd, tree := leader(t, "setsid sh -c ': & exit'; echo up; sleep "+duration(104))
	waitFor(t, func() bool { return len(tree.zombies()) == 1 })
	require.NoError(t, tree.End(within(t), Step{syscall.SIGTERM, 20 * time.Second}))
	assert.Empty(t, tree.zombies())
	_ = cmd.Wait()
}

// A process that dies when the time expires is reaped too.
func TestEndReapsProcessThatDiesAtDeadline(t *testing.T) {
	n := testkit.Fewer(t, 10, testkit.Times(t, 25, 100))
	for grace := 0; grace < 100; grace += 100 / n {
		cmd, tree := leader(t, "sleep "+duration(106)+" & echo up; wait")
		require.NoError(t, tree.End(within(t), Step{syscall.SIGKILL, time.Duration(grace) * 20 * time.Microsecond}))
		require.Empty(t, tree.zombies(), "after %d rounds", grace)
		_ = cmd.Wait() // killed
	}
}

// A child that this process started, in a session of its own, is reaped by its own waiter.
func TestEndReapsNoChildOfOthers(t *testing.T) {
	other := exec.Command("true")
	_, tree := leader(t, "echo up; sleep "+duration(105))
	other.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	require.NoError(t, other.Start())
	waitFor(t, func() bool { return len(tree.zombies()) == 1 })
	require.NoError(t, tree.End(within(t), Step{syscall.SIGTERM, 20 * time.Second}))
	require.NoError(t, other.Wait())
}

func TestGraceLetsProcessesExit(t *testing.T) {
	cmd, tree := leader(t, "trap 'exit 7' TERM; echo up; while :; do sleep 0.01; done")
	require.NoError(t, tree.End(within(t), Step{syscall.SIGTERM, 20 * time.Second}))
	_ = cmd.Wait() // the exit code is checked
	assert.Equal(t, 7, cmd.ProcessState.ExitCode())
}

func TestForeignProcessesAreNotEnded(t *testing.T) {
	_, tree := leader(t, "echo up; sleep "+duration(100))
	other, otherTree := leader(t, "echo up; exec sleep "+duration(101))
	mine := exec.Command("sleep", duration(102))
	require.NoError(t, mine.Start())
	tree.OwnsOrphans = false
	require.NoError(t, tree.End(within(t)))
	alive(t, duration(101))
	alive(t, duration(102))
	otherTree.OwnsOrphans = true
	require.NoError(t, otherTree.End(within(t)))
	alive(t, duration(102)) // a child in this process's session is not an orphan
	require.NoError(t, mine.Process.Kill())
	require.Error(t, mine.Wait())
	_ = other
}

func TestResistIsReported(t *testing.T) {
	_, tree := leader(t, "trap '' TERM; echo up; while :; do sleep 0.01; done")
	require.NoError(t, tree.Signal(syscall.SIGTERM))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	err := tree.Wait(ctx)
	var resist *SurvivorsError
	require.ErrorAs(t, err, &resist)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Contains(t, err.Error(), " (bash)")
	require.NoError(t, tree.Kill(within(t)))
}

func TestLaterProcessWithSameIDIsSpared(t *testing.T) {
	cmd := exec.Command("sleep", duration(103))
	require.NoError(t, cmd.Start())
	e, ok := stat(cmd.Process.Pid)
	require.True(t, ok)
	earlier := e.Process
	earlier.Start--
	require.NoError(t, send(earlier, syscall.SIGKILL))
	require.NoError(t, ended(within(t), earlier))
	alive(t, duration(103))
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
}

func TestEndLeavesNoDescriptor(t *testing.T) {
	count := func() int { e, err := os.ReadDir("/proc/self/fd"); require.NoError(t, err); return len(e) }
	one := func(i int) {
		cmd, tree := leader(t, "sleep "+duration(i)+" & echo up; wait")
		require.NoError(t, tree.End(within(t)))
		_ = cmd.Wait() // killed, or its wait ended with the sleep's death
	}
	one(104)
	before := count()
	one(105)
	waitFor(t, func() bool { return count() <= before })
}

// A program's first thread may end before the others, on its own or because they are killed at
// different times. It is then listed like an ended process, but is alive.
func TestProcessWithoutFirstThreadIsAlive(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), firstThreadEnds+"=1")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer func() { _ = cmd.Wait() }() // its exit code does not matter
	defer in.Close()
	waitFor(t, func() bool { e, ok := stat(cmd.Process.Pid); return ok && e.state == 'Z' })
	_, alive := Find(cmd.Process.Pid)
	assert.True(t, alive)
	tree := New(cmd.Process.Pid, "")
	assert.Len(t, tree.Members(), 1)
	require.NoError(t, tree.Kill(t.Context()))
	_, alive = Find(cmd.Process.Pid)
	assert.False(t, alive)
}

func TestParseStat(t *testing.T) {
	e, ok := parseStat(5, []byte("5 (a) R (b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 20"))
	require.True(t, ok)
	assert.Equal(t, entry{Process{5, 777, "a) R (b"}, 'S', 1, 3, 17}, e)
	for _, bad := range []string{"", "5 (a", ")(", "5 (a) S 1", "5 (a) S x 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777"} {
		_, ok := parseStat(5, []byte(bad))
		assert.False(t, ok, bad)
	}
}

// startGuarded runs the guarded test binary; inner is the inner process's id.
func startGuarded(t *testing.T, script string) (cmd *exec.Cmd, inner int, out *bufio.Reader) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "GUARDED_SCRIPT="+script, "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, input, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { _ = input.Close() })
	cmd.Stdin = stdin
	defer stdin.Close()
	pipe, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	out = bufio.NewReader(pipe)
	line, err := out.ReadString('\n')
	require.NoError(t, err)
	f := strings.Fields(line)
	require.Len(t, f, 2, "the mark is gone before main runs")
	inner, err = strconv.Atoi(f[1])
	require.NoError(t, err)
	require.NotEqual(t, cmd.Process.Pid, inner)
	return cmd, inner, out
}

// tree returns a script with children that only a guard reaches.
func scriptTree(d string) string {
	return strings.ReplaceAll(`setsid sh -c 'nohup sleep D >/dev/null 2>&1 & exit'; setsid nohup sleep D >/dev/null 2>&1 &
		sleep D & sleep D & kill -STOP $!; echo up; wait`, "D", d)
}

// If any of the guarded program's processes are killed, the tree ends.
func TestKillingEndsTheTree(t *testing.T) {
	for i, tt := range []struct {
		name    string
		victims func(outer, keeper, inner int) []int // of SIGKILL; negative: a group
		signal  syscall.Signal
	}{
		{"outer", func(o, _, _ int) []int { return []int{o} }, syscall.SIGKILL},
		{"inner", func(_, _, i int) []int { return []int{i} }, syscall.SIGKILL},
		{"keeper", func(_, k, _ int) []int { return []int{k} }, syscall.SIGKILL},
		{"their group", func(o, _, _ int) []int { return []int{-o} }, syscall.SIGKILL},
		{"outer and inner", func(o, _, i int) []int { return []int{o, i} }, syscall.SIGKILL},
		{"inner and keeper", func(_, k, i int) []int { return []int{i, k} }, syscall.SIGKILL},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := duration(200 + i)
			cmd, inner, out := startGuarded(t, scriptTree(d))
			line, err := out.ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, "up\n", line)
			waitFor(t, func() bool { return marked("sleep\x00"+d) >= 3 }) // the stopped one may not have reached its exec
			e, ok := stat(inner)
			require.True(t, ok)
			kept := e.parent
			start := time.Now()
			for n, v := range tt.victims(cmd.Process.Pid, kept, inner) {
				if err := syscall.Kill(v, syscall.SIGKILL); n == 0 || err != syscall.ESRCH { // the end of the first may have ended it
					require.NoError(t, err)
				}
			}
			_, _ = io.Copy(io.Discard, out) // every process that wrote to the pipe has ended
			_ = cmd.Wait()                  // its status is checked
			gone := func(pid int) bool { _, alive := Find(pid); return !alive }
			waitFor(t, func() bool { return marked(d) == 0 && gone(inner) && gone(kept) })
			t.Logf("gone after %v", time.Since(start))
			assert.Less(t, time.Since(start), testkit.Patience(5*time.Second))
			assert.Equal(t, tt.signal, cmd.ProcessState.Sys().(syscall.WaitStatus).Signal())
			reapAll(t)
		})
	}
}

// The outer process ends with the inner one also if it alone was stopped: a shell that waits for it does not hang.
func TestAStoppedOuterProcessEndsWithTheInnerOne(t *testing.T) {
	cmd, inner, out := startGuarded(t, "echo up; read x")
	_, err := out.ReadString('\n')
	require.NoError(t, err)
	outer := cmd.Process.Pid
	require.NoError(t, syscall.Kill(outer, syscall.SIGSTOP))
	waitFor(t, func() bool { e, _ := stat(outer); return e.state == 'T' })
	require.NoError(t, syscall.Kill(inner, syscall.SIGTERM))
	stuck := time.AfterFunc(testkit.Patience(10*time.Second), func() { _ = syscall.Kill(outer, syscall.SIGKILL) })
	defer stuck.Stop()
	_ = cmd.Wait() // its status is checked
	assert.Equal(t, syscall.SIGTERM, cmd.ProcessState.Sys().(syscall.WaitStatus).Signal())
	reapAll(t)
}

// A killed process leaves no private directory if no process of its tree is left.
func TestAKilledProcessLeavesNoPrivateDirectory(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	cmd, inner, out := startGuarded(t, makesPrivate)
	line, err := out.ReadString('\n')
	require.NoError(t, err)
	require.DirExists(t, strings.TrimSpace(line))
	require.NoError(t, syscall.Kill(inner, syscall.SIGKILL))
	_ = cmd.Wait() // its status is checked
	assert.Equal(t, syscall.SIGKILL, cmd.ProcessState.Sys().(syscall.WaitStatus).Signal())
	assert.NoDirExists(t, strings.TrimSpace(line))
	reapAll(t)
}

// The keeper does not have the program's name, has no open files except its own two pipe
// ends, and is not a member of the program's session.
func TestKeeperIsIsolated(t *testing.T) {
	cmd, inner, out := startGuarded(t, "cd /tmp; echo up; read x")
	_, err := out.ReadString('\n')
	require.NoError(t, err)
	e, ok := stat(inner)
	require.True(t, ok)
	of := func(file string) string { return fmt.Sprintf("/proc/%d/%s", e.parent, file) }
	waitFor(t, func() bool { k, _ := stat(e.parent); return k.Name == keeper.Name }) // it may not have got that far
	waitFor(t, func() bool { k, _ := stat(e.parent); return k.state == 'S' })
	k, _ := stat(e.parent)
	assert.Equal(t, cmd.Process.Pid, k.parent)
	assert.Equal(t, e.parent, k.sess)
	line, err := os.ReadFile(of("cmdline"))
	require.NoError(t, err)
	assert.Equal(t, keeper.Name[:min(len(keeper.Name), len(line))], strings.TrimRight(string(line), "\x00"))
	cwd, err := os.Readlink(of("cwd"))
	require.NoError(t, err)
	assert.Equal(t, "/", cwd)
	files, err := os.ReadDir(of("fd"))
	require.NoError(t, err)
	assert.Len(t, files, 3, "the socket, the pipe, its signals")
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	_ = cmd.Wait() // the signal
	reapAll(t)
}

// Orphans of the program are reaped while it runs: a check whether one is alive gets the right
// answer.
func TestOrphansAreReapedWhileProgramRuns(t *testing.T) {
	cmd, inner, out := startGuarded(t, fmt.Sprintf(`for i in $(seq %d); do (setsid true &) ; (true & exit); done; echo up; read x`, testkit.Fewer(t, 50, testkit.Times(t, 100, 1000))))
	_, err := out.ReadString('\n')
	require.NoError(t, err)
	e, ok := stat(inner)
	require.True(t, ok)
	waitFor(t, func() bool {
		n := 0
		for pid := range first(scan()).descend(map[int]bool{e.parent: true}) {
			if z, ok := stat(pid); ok && z.zombie() {
				n++
			}
		}
		return n == 0
	})
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	_ = cmd.Wait() // the signal
	reapAll(t)
}

// Limits are inherited, although the Go runtime raises the limit on open files for itself.
func TestGuardKeepsLimits(t *testing.T) {
	cmd := exec.Command("sh", "-c", `ulimit -S -n 234; exec "$0"`, os.Args[0])
	cmd.Env = append(os.Environ(), "GUARDED_SCRIPT=ulimit -S -n", "GORACE=atexit_sleep_ms=0")
	out, err := cmd.Output()
	require.NoError(t, err)
	assert.Contains(t, string(out), "\n234\n")
}

// reapAll reaps the orphans of the guarded tree.
func reapAll(t *testing.T) {
	waitFor(t, func() bool {
		s, _ := scan()
		for _, e := range s {
			if e.parent == os.Getpid() {
				reap(e.PID)
			}
		}
		return len(Descendants(os.Getpid())) == 0
	})
}

func TestGuardPassesOnExitStatus(t *testing.T) {
	for _, tt := range []struct {
		script string
		code   int
		signal syscall.Signal
	}{
		{"exit 0", 0, 0},
		{"exit 7", 7, 0},
		{"kill -TERM $PPID; sleep 100", -1, syscall.SIGTERM},
		{"kill -KILL $PPID; sleep 100", -1, syscall.SIGKILL},
		{"kill -INT $PPID; sleep 100", -1, syscall.SIGINT},
	} {
		cmd, _, out := startGuarded(t, tt.script)
		_, _ = io.Copy(io.Discard, out) // until the end
		_ = cmd.Wait()                  // its status is checked
		assert.Equal(t, tt.code, cmd.ProcessState.ExitCode(), tt.script)
		if tt.signal != 0 {
			assert.Equal(t, tt.signal, cmd.ProcessState.Sys().(syscall.WaitStatus).Signal(), tt.script)
		}
		reapAll(t)
	}
}

func TestGuardForwardsSignals(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} { // no terminal sends the last one
		heedSignal(t, s)
		cmd, _, out := startGuarded(t, "echo up; sleep "+duration(210))
		_, err := out.ReadString('\n')
		require.NoError(t, err)
		require.NoError(t, cmd.Process.Signal(s))
		_ = cmd.Wait() // its status is checked
		assert.Equal(t, s, cmd.ProcessState.Sys().(syscall.WaitStatus).Signal())
		assert.Zero(t, marked(duration(210)))
		reapAll(t)
	}
}

// One SIGINT to the outer process, to the inner one or to both is one interrupt.
func TestInterruptCountsOnce(t *testing.T) {
	for _, tt := range []struct {
		name string
		to   func(outer, inner int) int
	}{
		{"outer", func(o, _ int) int { return o }},
		{"inner", func(_, i int) int { return i }},
		{"group", func(o, _ int) int { return -o }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			heedSignal(t, syscall.SIGINT)
			cmd, inner, out := startGuarded(t, "count")
			expect := func(want string) {
				line, err := out.ReadString('\n')
				require.NoError(t, err)
				require.Equal(t, want+"\n", line)
			}
			expect("up")
			for n := range 3 {
				require.NoError(t, syscall.Kill(tt.to(cmd.Process.Pid, inner), syscall.SIGINT))
				expect(fmt.Sprintf("interrupt %d", n+1))
			}
			require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
			expect("end")
			require.NoError(t, cmd.Wait())
		})
	}
}

// Orphans can be ended before main is over.
func TestEndOrphans(t *testing.T) {
	cmd, _, out := startGuarded(t, leavesOrphan+duration(220))
	text, err := io.ReadAll(out)
	require.NoError(t, err)
	require.NoError(t, cmd.Wait())
	assert.Equal(t, "before 1\nafter 0 <nil>\n", string(text))
}

func TestGuardHidesItself(t *testing.T) {
	cmd, inner, out := startGuarded(t, "env | grep GUARD; ls -l /proc/$$/fd | grep -c pipe: ; ps -o pgid= -p $$,$PPID | sort -u | wc -l")
	all, err := io.ReadAll(out)
	require.NoError(t, err)
	require.NoError(t, cmd.Wait())
	_ = inner
	assert.NotContains(t, string(all), keeper.Mark)
	assert.Contains(t, string(all), "\n1\n", "one group")
}

func TestForgedMarkIsIgnored(t *testing.T) {
	for _, forged := range []string{"", "3", "0:1", "99:5", "x:y", "1:"} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "GUARDED_SCRIPT=echo $PPID", "GORACE=atexit_sleep_ms=0", keeper.Mark+"="+forged)
		out, err := cmd.Output()
		require.NoError(t, err, forged)
		f := strings.Fields(string(out))
		require.Len(t, f, 3)
		assert.NotEqual(t, strconv.Itoa(cmd.Process.Pid), f[1], "it was guarded nevertheless")
	}
}

func first(s snapshot, _ bool) snapshot { return s }

func BenchmarkBelow(b *testing.B) {
	for b.Loop() {
		s, _, _ := below(os.Getpid(), 0)
		b.ReportMetric(float64(len(s)), "processes")
	}
}

func BenchmarkScan(b *testing.B) {
	for b.Loop() {
		b.ReportMetric(float64(len(first(scan()))), "processes")
	}
}

func BenchmarkEndOfTwenty(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		cmd := exec.Command("bash", "-c", "for i in 1 2 3 4 5 6 7 8 9 10; do setsid sleep 1000 & sleep 1000 & done; echo up; wait")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		out, err := cmd.StdoutPipe()
		require.NoError(b, err)
		require.NoError(b, cmd.Start())
		tree := New(cmd.Process.Pid, "")
		_, err = bufio.NewReader(out).ReadString('\n')
		require.NoError(b, err)
		b.StartTimer()
		require.NoError(b, tree.End(b.Context()))
		b.StopTimer()
		_ = cmd.Wait() // killed, or its wait ended with its children
		b.StartTimer()
	}
}

// heedSignal makes programs started by this test react to a signal that this process ignores, as
// under nohup: a caught signal is not ignored after exec.
func heedSignal(t *testing.T, sig os.Signal) {
	t.Helper()
	signal.Notify(make(chan os.Signal, 1), sig)
	t.Cleanup(func() { signal.Reset(sig) })
}

package pty

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// settle asks until the answer is the wanted one, and returns the last one. A program also shows
// Unknown between two of its steps, so that answer must be stable for a while.
func settle(t *testing.T, p *PTY, want ReadyState) (r Readiness) {
	t.Helper()
	hold := 1
	if want == Unknown {
		hold = 20
	}
	same := 0
	waitFor(t, func() bool {
		if r = p.Readiness(); r.State == want {
			same++
		} else {
			same = 0
		}
		return same >= hold
	})
	return r
}

func TestReadinessOfRealPrograms(t *testing.T) {
	for _, tt := range []struct {
		name, prompt string // prompt: the output that shows that it has started
		argv         []string
		spin         string // typed: computes forever
		sleep        string // typed: sleeps without reading the terminal
		asleep       ReadyState
	}{
		{"bash", "$", []string{"bash", "--norc", "-i"}, "while :; do :; done", "sleep 1000", Unknown},
		{"bash without editing", "$", []string{"bash", "--norc", "--noediting", "-i"}, "while :; do :; done", "sleep 1000", Unknown},
		{"zsh", "$", []string{"zsh", "-f", "-i"}, "while :; do :; done", "sleep 1000", Unknown},
		{"dash", "$", []string{"dash", "-i"}, "while :; do :; done", "sleep 1000", Unknown},
		{"python", ">>> ", []string{"python3", "-q"}, "while 1: pass\n", "import time; time.sleep(1000)", Unknown},
		{"perl debugger", "DB<1>", []string{"perl", "-d", "-e", "1"}, "1 while 1", "sleep 1000", Unknown},
		{"tclsh", "% ", []string{"tclsh"}, "while 1 {}", "after 1000000", Unknown},
		{"gdb", "(gdb) ", []string{"gdb", "-q", "-nx"}, "python\nwhile 1: pass\nend", "shell sleep 1000", Unknown},
		{"sqlite3", "sqlite> ", []string{"sqlite3"}, "with recursive c(x) as (select 1 union all select x+1 from c) select sum(x) from c;", ".shell sleep 1000", Unknown},
		{"node", "> ", []string{"node"}, "for(;;){}", "require('child_process').execSync('sleep 1000')", Unknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, busy := range []string{tt.spin, tt.sleep} {
				p := launch(t, Command{Env: []string{"PATH=" + os.Getenv("PATH"), "PS1=$ ", "TERM=dumb", "HOME=/", "PERLDB_OPTS=ReadLine=0"}}, tt.argv...)
				until(t, p, tt.prompt)
				if tt.name != "node" { // its loop runs a timer at first: Unknown for seconds
					r := settle(t, p, Waiting)
					assert.True(t, r.Leader)
					assert.Equal(t, p.PID(), r.PID)
				}
				_, err := p.Write([]byte(busy + "\n"))
				require.NoError(t, err)
				want := Busy
				if busy == tt.sleep {
					want = tt.asleep
				}
				settle(t, p, want)
			}
		})
	}
}

func TestReadinessOfOtherPrograms(t *testing.T) {
	reads := Readiness{State: Waiting, Listens: true, Read: true, Only: true}
	readsAmongOthers := Readiness{State: Waiting, Listens: true, Read: true}
	pollsOne := Readiness{State: Waiting, Listens: true, Only: true}
	polls := Readiness{State: Waiting, Listens: true}
	pollsNotices := Readiness{State: Waiting, Listens: true, Notices: true}
	timed := Readiness{State: Unknown, Timed: true}
	const poll0 = "import select, socket, threading, time, os; p = select.poll(); p.register(0, 1); "
	for _, tt := range []struct {
		argv []string
		want Readiness
	}{
		{[]string{"sleep", "1000"}, Readiness{}},
		{[]string{"cat"}, reads},
		{[]string{"sh", "-c", "read x"}, reads},
		{[]string{"sh", "-c", "read x < /dev/tty"}, reads},
		{[]string{"sh", "-c", "sleep 1000 | cat"}, Readiness{}},
		{[]string{"sh", "-c", "cat; :"}, reads},
		{[]string{"perl", "-e", "$x = <STDIN>"}, reads},
		{[]string{"perl", "-e", "select(undef, undef, undef, undef)"}, Readiness{}},
		{[]string{"perl", "-e", "vec($r, 0, 1) = 1; select($r, undef, undef, undef)"}, pollsOne},
		{[]string{"perl", "-e", "pipe(R, W); vec($r, 0, 1) = 1; vec($r, fileno(R), 1) = 1; select($r, undef, undef, undef)"}, polls},
		{[]string{"perl", "-e", "vec($r, 0, 1) = 1; select($r, undef, undef, 1000)"}, timed},
		{[]string{"perl", "-e", "pipe(R, W); vec($r, fileno(R), 1) = 1; select($r, undef, undef, undef)"}, Readiness{}},
		{[]string{"perl", "-e", "1 while 1"}, Readiness{State: Busy}},
		{[]string{"python3", "-c", "import select; p = select.poll(); p.register(0, 1); p.poll()"}, pollsOne},
		{[]string{"python3", "-c", "import select, os; p = select.poll(); p.register(0, 1); p.register(os.pipe()[0], 1); p.poll()"}, polls},
		{[]string{"python3", "-c", "import select; p = select.poll(); p.register(0, 1); p.poll(1000000)"}, timed},
		{[]string{"python3", "-c", "import select, os; p = select.poll(); p.register(os.pipe()[0], 1); p.poll()"}, Readiness{}},
		{[]string{"python3", "-c", "import select; p = select.epoll(); p.register(0, 1); p.poll()"}, polls},
		{[]string{"python3", "-c", "import select, os; p = select.epoll(); p.register(os.pipe()[0], 1); p.poll()"}, Readiness{}},
		{[]string{"python3", "-c", "import select; e = select.epoll(); e.register(0, 1); p = select.poll(); p.register(e, 1); p.poll()"}, polls},
		{[]string{"python3", "-c", "import select; e = select.epoll(); e.register(0, 1); select.select([e], [], [])"}, polls},
		{[]string{"python3", "-c", "import select, os; e = select.epoll(); e.register(os.pipe()[0], 1); p = select.poll(); p.register(e, 1); p.poll()"}, Readiness{}},
		{[]string{"python3", "-c", poll0 + "p.register(os.eventfd(0), 1); p.poll()"}, pollsNotices},
		{[]string{"python3", "-c", poll0 + "f = os.path.expandvars('$FIFO'); os.mkfifo(f); p.register(os.open(f, os.O_RDWR), 1); p.poll()"}, pollsNotices},
		{[]string{"python3", "-c", poll0 + "p.register(os.eventfd(0), 1); s = socket.socketpair(); p.register(s[0], 1); p.poll()"}, polls},
		{[]string{"python3", "-c", poll0 + "p.register(os.eventfd(0), 1); threading.Thread(target=time.sleep, args=(1000,)).start(); p.poll()"}, polls},
		{[]string{"python3", "-c", "import threading, sys; threading.Thread(target=sys.stdin.readline).start()"}, reads},
		{[]string{"python3", "-c", "import threading, sys, time; threading.Thread(target=sys.stdin.readline).start(); time.sleep(1000)"}, readsAmongOthers},
		{[]string{"python3", "-c", "import threading, sys, signal; threading.Thread(target=signal.sigwait, args=([signal.SIGUSR1],)).start(); sys.stdin.readline()"}, reads},
		{[]string{"python3", "-c", "import threading, sys, signal; threading.Thread(target=signal.sigtimedwait, args=([signal.SIGUSR1], 1000)).start(); sys.stdin.readline()"}, readsAmongOthers},
		{[]string{"python3", "-c", "import threading, sys\nthreading.Thread(target=sys.stdin.readline).start()\nwhile 1: pass"}, Readiness{State: Busy, Listens: true, Read: true}},
	} {
		t.Run(strings.Join(tt.argv, " "), func(t *testing.T) {
			p := launch(t, Command{Env: append(os.Environ(), "FIFO="+filepath.Join(t.TempDir(), "fifo"))}, tt.argv...)
			settle(t, p, tt.want.State)
			waitFor(t, func() bool { // one of its threads may start later
				r := p.Readiness()
				assert.True(t, r.Leader)
				assert.Equal(t, r.Listens, r.Place != Place{})
				assert.Equal(t, r.Timed, r.Polls != Place{})
				assert.Equal(t, r.Read, r.Size > 0)
				r.Leader, r.PID, r.Place, r.Polls, r.Size = false, 0, Place{}, Place{}, 0
				return r == tt.want
			})
		})
	}
}

func TestReadinessKnowsTheSizeOfARead(t *testing.T) {
	for script, want := range map[string]int{
		"import os; os.read(0, 1)": 1, "import os; os.read(0, 4096)": 4096, "import os; os.readv(0, [bytearray(5)])": 0,
		"import select, os; select.select([0], [], []); os.read(0, 1)": 0,
	} {
		t.Run(script, func(t *testing.T) {
			p := launch(t, Command{}, "python3", "-c", script)
			settle(t, p, Waiting)
			assert.Equal(t, want, p.Readiness().Size)
		})
	}
}

// A child that a shell runs in a separate group is examined, and is distinguished from the
// shell.
func TestReadinessOfAForegroundJob(t *testing.T) {
	p := launch(t, Command{Canonical: true}, "bash", "--norc", "-i")
	_, err := p.Write([]byte("cat; while :; do :; done\n"))
	require.NoError(t, err)
	var r Readiness
	waitFor(t, func() bool { r = p.Readiness(); return r.State == Waiting && !r.Leader })
	assert.NotEqual(t, p.PID(), r.PID)
	_, err = p.Write([]byte("\x04"))
	require.NoError(t, err)
	waitFor(t, func() bool { r = p.Readiness(); return r.State == Busy && r.Leader })
}

// A job that reads the terminal through a process in a session of its own, as su -c does, waits. If
// such a process works, nothing is known.
func TestReadinessOfAJobInAnotherSession(t *testing.T) {
	p := launch(t, Command{Canonical: true}, "bash", "--norc", "-i")
	_, err := p.Write([]byte("setsid -w cat; setsid -w sh -c 'while kill -0 $PPID 2>/dev/null; do :; done'\n"))
	require.NoError(t, err)
	var r Readiness
	waitFor(t, func() bool { r = p.Readiness(); return r.State == Waiting && !r.Leader })
	assert.True(t, r.Only)
	_, err = p.Write([]byte("\x04"))
	require.NoError(t, err)
	r = settle(t, p, Unknown)
	assert.False(t, r.Leader)
}

// Only the program's own work counts, not that of its jobs.
func TestOnlyTheProgramsOwnWorkCounts(t *testing.T) {
	p := launch(t, Command{Canonical: true}, "bash", "--norc", "-c", "read -r x; (while :; do :; done) & read -r x; while :; do :; done")
	_, err := p.Write([]byte("x\n"))
	require.NoError(t, err)
	waitFor(t, func() bool { _, runs := Work(p); return !runs && p.Readiness().State == Busy })
	idle, _ := Work(p)
	assert.Positive(t, idle)
	_, err = p.Write([]byte("x\n"))
	require.NoError(t, err)
	waitFor(t, func() bool { used, runs := Work(p); return runs && used > idle+20*time.Millisecond })
}

// A child that has just been forked runs, and has used no CPU time.
func TestForked(t *testing.T) {
	p := launch(t, Command{Canonical: true}, "bash", "--norc", "-c", "read -r x; (while :; do :; done) & wait")
	waitFor(t, func() bool { return p.Readiness().State == Waiting })
	assert.False(t, Forked(p, time.Hour), "it has no child")
	_, err := p.Write([]byte("x\n"))
	require.NoError(t, err)
	waitFor(t, func() bool { return Forked(p, time.Hour) })
	waitFor(t, func() bool { return !Forked(p, 20*time.Millisecond) })
}

func TestReadinessAfterTheEnd(t *testing.T) {
	p := launch(t, Command{}, "true")
	output(t, p)
	<-p.Exited()
	assert.Equal(t, Readiness{Leader: false}, p.Readiness())
	require.NoError(t, p.Close())
	assert.Equal(t, Unknown, p.Readiness().State)
}

func TestParseStat(t *testing.T) {
	const rest = " 7 7 34816 7 4194560 1 0 0 0 0 0 0 0 20 0 3 0 100"
	for line, want := range map[string]stat{
		"12 (a) S 1" + rest: {'S', 7, 34816, 3}, "12 (a) R (b) c) D 1" + rest: {'D', 7, 34816, 3},
		"": {}, "12 (x": {}, "12 (x) S": {}, "12 (x) S 1 7 7": {}, "12 (x) S 1 y" + rest: {},
	} {
		assert.Equal(t, want, parseStat([]byte(line)), line)
	}
}

// Threads start and end; files opened for one are not used for another, and are closed at the end.
func TestReadinessWithChangingThreads(t *testing.T) {
	require.NoError(t, launch(t, Command{}, "true").Close()) // the first terminal opens what Go keeps for all
	before := descriptors(t)
	p := launch(t, Command{}, "python3", "-c", `
import sys, threading, time
for line in sys.stdin:
    for _ in range(30):
        threads = [threading.Thread(target=time.sleep, args=(.001,)) for _ in range(10)]
        [x.start() for x in threads]
        [x.join() for x in threads]
    print("done", flush=True)
`)
	for range 3 {
		settle(t, p, Waiting)
		_, err := p.Write([]byte("\n"))
		require.NoError(t, err)
		done := make(chan struct{})
		go func() { until(t, p, "done"); close(done) }()
		for open := true; open; {
			p.Readiness()
			select {
			case <-done:
				open = false
			default:
			}
		}
	}
	settle(t, p, Waiting)
	assert.LessOrEqual(t, len(p.dev.probe.open), maxOpen)
	require.NoError(t, p.Close())
	waitFor(t, func() bool { return descriptors(t) <= before })
}

func descriptors(t *testing.T) int {
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(entries)
}

func BenchmarkReadiness(b *testing.B) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		b.Skip("bash is not installed")
	}
	p, err := Start(Command{Path: bash, Argv: []string{"bash", "--norc", "-i"}, Size: Size{80, 24}})
	require.NoError(b, err)
	defer p.Close()
	for deadline := time.Now().Add(testkit.Patience(10 * time.Second)); p.Readiness().State != Waiting; {
		require.True(b, time.Now().Before(deadline))
	}
	b.ReportAllocs()
	for b.Loop() {
		p.Readiness()
	}
}

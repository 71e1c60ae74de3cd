//go:build linux || darwin

package pty

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.org/ripple/internal/testkit"
)

// inherited lists the descriptors that the parent of the test left open.
var inherited []string

func TestMain(m *testing.M) {
	entries, _ := os.ReadDir("/dev/fd") // without it no descriptor is excused
	for _, e := range entries {
		inherited = append(inherited, e.Name())
	}
	goleak.VerifyTestMain(m)
}

func launch(t *testing.T, c Command, argv ...string) *PTY {
	t.Helper()
	path, err := exec.LookPath(argv[0])
	if err != nil {
		t.Skipf("%s is not installed", argv[0])
	}
	c.Path, c.Argv = path, argv
	if c.Size == (Size{}) {
		c.Size = Size{Cols: 120, Rows: 30}
	}
	p, err := Start(c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	require.NoError(t, p.SetReadDeadline(time.Now().Add(testkit.Patience(20*time.Second))))
	return p
}

// until reads up to and including the text.
func until(t *testing.T, p *PTY, text string) string {
	t.Helper()
	var all []byte
	buf := make([]byte, 4096)
	for !bytes.Contains(all, []byte(text)) {
		n, err := p.Read(buf)
		all = append(all, buf[:n]...)
		require.NoError(t, err, "waiting for %q after %q", text, all)
	}
	return string(all)
}

// Output that a Read has but has not returned counts as readable.
func TestReadableCountsBytesInRead(t *testing.T) {
	p := launch(t, Command{}, "sh", "-c", "printf abc; read x; printf de; read x")
	waitFor(t, func() bool { return p.Readable(0) })
	until(t, p, "abc")
	assert.True(t, p.Readable(0), "read and not reported as taken")
	assert.False(t, p.Readable(3))
	_, err := p.Write([]byte("\n"))
	require.NoError(t, err)
	until(t, p, "de")
	assert.True(t, p.Readable(3))
}

func output(t *testing.T, p *PTY) string {
	t.Helper()
	all, err := io.ReadAll(readerFunc(p.Read))
	require.NoError(t, err)
	return strings.ReplaceAll(string(all), "\r\n", "\n")
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

func TestAllOutputArrivesBeforeTheEnd(t *testing.T) {
	p := launch(t, Command{}, "sh", "-c", "i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done")
	all := output(t, p)
	assert.Equal(t, 2000, strings.Count(all, "line "))
	assert.True(t, strings.HasSuffix(all, "line 1999\n"))
	<-p.Exited()
	code, signal := p.ExitStatus()
	assert.Zero(t, code)
	assert.Empty(t, signal)
}

func TestExitStatus(t *testing.T) {
	for _, tt := range []struct {
		script, signal string
		code           int
	}{
		{"exit 7", "", 7},
		{"kill -TERM $$", "SIGTERM", 143},
		{"kill -KILL $$", "SIGKILL", 137},
	} {
		p := launch(t, Command{}, "sh", "-c", tt.script)
		output(t, p)
		<-p.Exited()
		code, signal := p.ExitStatus()
		assert.Equal(t, tt.code, code, tt.script)
		assert.Equal(t, tt.signal, signal, tt.script)
		assert.ErrorIs(t, p.Signal(syscall.SIGTERM), os.ErrProcessDone)
	}
}

func TestProgramSeesRequestedSettings(t *testing.T) {
	dir := t.TempDir()
	p, err := Start(Command{
		Path: "/bin/sh", Argv: []string{"other name", "-c", `echo "$0|$PWD|$X|$(stty size)|$(ps -o pid=,pgid=,sid=,tpgid= -p $$ | tr -s ' ')"; ls /proc/$$/fd | tr '\n' ' '`, "argv0"},
		Env: []string{"X=y", "PATH=" + os.Getenv("PATH")}, Dir: dir, Size: Size{Cols: 91, Rows: 17},
	})
	require.NoError(t, err)
	defer p.Close()
	first, fds, _ := strings.Cut(output(t, p), "\n")
	fields := strings.Split(first, "|")
	require.Len(t, fields, 5)
	assert.Equal(t, []string{"argv0", dir, "y", "17 91"}, fields[:4])
	ids := strings.Fields(fields[4])
	for _, id := range ids {
		assert.Equal(t, ids[0], id, "pid, group, session and foreground group are equal")
	}
	assert.Subset(t, append([]string{"0", "1", "2", "10", "255"}, inherited...), strings.Fields(fds), "only the shell's own descriptors")
}

func TestArgv0(t *testing.T) {
	p, err := Start(Command{Path: "/bin/sh", Argv: []string{"-renamed", "-c", "tr '\\0' ' ' </proc/$$/cmdline"}, Size: Size{80, 24}})
	require.NoError(t, err)
	defer p.Close()
	assert.Contains(t, output(t, p), "-renamed -c")
}

func TestModes(t *testing.T) {
	for _, tt := range []struct{ echo, canonical bool }{{false, false}, {true, false}, {false, true}, {true, true}} {
		p := launch(t, Command{Echo: tt.echo, Canonical: tt.canonical}, "sh", "-c", "stty -a; read x")
		got := until(t, p, "-extproc")
		for flag, want := range map[string]bool{"echo": tt.echo, "echoe": tt.echo, "echok": tt.echo, "icanon": tt.canonical, "isig": true, "iutf8": true, "opost": true} {
			assert.Equal(t, want, !strings.Contains(got, " -"+flag+" "), "%s in %s", flag, got)
		}
		if !tt.canonical {
			assert.Contains(t, got, "min = 1; time = 0")
		}
		modes, err := p.Modes()
		require.NoError(t, err)
		assert.Equal(t, tt.echo, modes.Echoes())
		assert.Equal(t, tt.canonical, modes.Canonical())
		assert.True(t, p.Interrupts())
	}
}

func TestCarriageReturnIsKept(t *testing.T) {
	for keep, want := range map[bool]string{true: "0d", false: "0a"} {
		p := launch(t, Command{KeepCR: keep}, "sh", "-c", "echo ready; head -c 1 | od -An -tx1")
		until(t, p, "ready")
		_, err := p.Write([]byte("\r"))
		require.NoError(t, err)
		until(t, p, want)
	}
}

func TestInterruptsFollowsTheProgram(t *testing.T) {
	p := launch(t, Command{}, "sh", "-c", "stty intr ^G; echo changed; read x")
	until(t, p, "changed")
	assert.False(t, p.Interrupts())
}

func TestResizeReachesTheProgram(t *testing.T) {
	p := launch(t, Command{}, "bash", "-c", `trap 'stty size; exit' WINCH; echo up; while :; do read -t 1 x; done`)
	until(t, p, "up")
	require.NoError(t, p.Resize(Size{Cols: 133, Rows: 44}))
	until(t, p, "44 133")
	assert.Equal(t, Size{Cols: 133, Rows: 44}, p.Size())
	assert.ErrorContains(t, p.Resize(Size{Cols: 0, Rows: 44}), "1 to 65535")
}

func TestSignalGoesToTheForegroundJob(t *testing.T) {
	p := launch(t, Command{}, "bash", "--norc", "-i")
	_, err := p.Write([]byte("PS1='@@ '; sleep 1000; echo status $?\n"))
	require.NoError(t, err)
	waitFor(t, func() bool { g, err := p.Foreground(); return err == nil && g != p.PID() })
	require.NoError(t, p.Signal(syscall.SIGTERM))
	until(t, p, "status 143")
	select {
	case <-p.Exited():
		t.Fatal("the shell must survive")
	default:
	}
}

func TestDeadline(t *testing.T) {
	p := launch(t, Command{}, "cat")
	require.NoError(t, p.SetReadDeadline(time.Now().Add(time.Millisecond)))
	_, err := p.Read(make([]byte, 1))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.NoError(t, p.SetReadDeadline(time.Time{}))
	_, err = p.Write([]byte("x"))
	require.NoError(t, err)
	until(t, p, "x")
}

func TestCloseWakesReaderAndWriter(t *testing.T) {
	p := launch(t, Command{}, "sleep", "1000")
	fill(t, p)
	read, write := make(chan error), make(chan error)
	go func() { _, err := p.Read(make([]byte, 1)); read <- err }()
	go func() { write <- p.WaitWritable(time.Time{}) }()
	require.NoError(t, p.Close())
	err := <-read
	assert.True(t, errors.Is(err, os.ErrClosed) || err == io.EOF, "%v", err)
	if err := <-write; err != nil {
		assert.ErrorIs(t, err, os.ErrClosed)
	}
	_, err = p.Write([]byte("x"))
	assert.ErrorIs(t, err, os.ErrClosed)
	_, err = p.Modes()
	assert.ErrorIs(t, err, os.ErrClosed)
	assert.Zero(t, p.Size())
}

// fill writes until the terminal accepts no more.
func fill(t *testing.T, p *PTY) (total int) {
	t.Helper()
	for block := bytes.Repeat([]byte{'x'}, 1000); ; {
		n, err := p.Write(block)
		total += n
		if err != nil {
			require.ErrorIs(t, err, ErrWouldBlock)
			return total
		}
		require.Less(t, total, 10<<20, "a terminal without a reader fills up")
	}
}

func TestMegabyteArrivesWhole(t *testing.T) {
	p := launch(t, Command{}, "sh", "-c", "echo ready; head -c 1048576 | md5sum")
	until(t, p, "ready")
	rest := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	for len(rest) > 0 {
		n, err := p.Write(rest)
		rest = rest[n:]
		if errors.Is(err, ErrWouldBlock) {
			err = p.WaitWritable(time.Now().Add(testkit.Patience(20 * time.Second)))
		}
		require.NoError(t, err)
	}
	until(t, p, "14d785daab3823736c981ca82a750c98")
}

func TestWaitWritableDeadline(t *testing.T) {
	p := launch(t, Command{}, "sleep", "1000")
	require.NoError(t, p.WaitWritable(time.Now().Add(testkit.Patience(time.Minute))))
	waitFor(t, func() bool { // the kernel moves its data a moment later and has room again
		fill(t, p)
		return errors.Is(p.WaitWritable(time.Now().Add(5*time.Millisecond)), os.ErrDeadlineExceeded)
	})
}

func TestStartErrors(t *testing.T) {
	_, err := Start(Command{Path: "/does/not/exist", Size: Size{80, 24}})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "/does/not/exist")
	_, err = Start(Command{Path: "/bin/sh"})
	require.ErrorContains(t, err, "terminal size 0×0")
	_, err = Start(Command{Path: "/bin/sh", Dir: "/does/not/exist", Size: Size{80, 24}})
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestCloseLeavesNothing(t *testing.T) {
	count := func() int { e, err := os.ReadDir("/dev/fd"); require.NoError(t, err); return len(e) }
	one := func() {
		p := launch(t, Command{}, "sh", "-c", "trap '' HUP TERM INT; echo up; while :; do read x; done")
		until(t, p, "up")
		require.NoError(t, p.Close())
		require.NoError(t, p.Close(), "closing twice is not an error")
		require.ErrorIs(t, syscall.Kill(p.PID(), 0), syscall.ESRCH)
	}
	one()
	before := count()
	for range 10 {
		one()
	}
	assert.Equal(t, before, count())
}

func TestReadAndWriteDoNotAllocate(t *testing.T) {
	p := launch(t, Command{}, "cat")
	buf, b := make([]byte, 64), []byte("x")
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		if _, err := p.Write(b); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Read(buf); err != nil {
			t.Fatal(err)
		}
	}))
}

// waitFor polls for a condition without notification.
func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(testkit.Patience(20 * time.Second)); !ok(); {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("it did not happen within 20 s")
		}
	}
}

// A parent that ignores signals, as under nohup, must not pass that on.
func TestIgnoredSignalsAreNotInherited(t *testing.T) {
	// Signals 32 and 33 belong to the C library: the process that started the tests may
	// ignore them, and Go does not change them.
	const libc = 1<<31 | 1<<32
	ignored := func(status string) uint64 {
		var mask uint64
		_, err := fmt.Sscanf(status[strings.Index(status, "SigIgn:"):], "SigIgn:\t%x", &mask)
		require.NoError(t, err)
		return mask &^ libc
	}
	list := []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTSTP}
	signal.Ignore(list...)
	defer signal.Reset(list...)
	for range 2 {
		p := launch(t, Command{}, "grep", "SigIgn", "/proc/self/status")
		require.Zero(t, ignored(output(t, p)))
	}
	for _, s := range list {
		assert.True(t, signal.Ignored(s), "%v is ignored here as before", s)
	}
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	assert.EqualValues(t, 0x80007, ignored(string(status)))
}

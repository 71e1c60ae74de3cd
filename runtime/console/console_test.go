//go:build unix

package console_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/adapters"
	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/console"
	"example.org/ripple/runtime/proctree"
	_ "example.org/ripple/schema/validate" // adapters are read from files
)

// The test binary also runs as the host.
const hostMark = "CONSOLE_TEST_HOST"

func TestMain(m *testing.M) {
	if os.Getenv(hostMark) == "" {
		os.Exit(testkit.Main(m, "python3"))
	}
	os.Exit(proctree.Guard(func() int {
		go reportHeap()
		if err := console.Serve(context.Background(), console.HostOptions{Version: "test", Getenv: os.Getenv, In: os.Stdin, Ready: os.Stdout}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}))
}

// place gives a test its own directories and ends all consoles that it started.
func place(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("", "console") // a short path, because it holds sockets
	require.NoError(t, err)
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	t.Setenv("HOME", dir)
	t.Setenv(hostMark, "1")
	t.Cleanup(func() {
		all, err := console.List(context.Background(), os.Getenv)
		assert.NoError(t, err)
		for _, s := range all {
			c, err := console.Find(os.Getenv, s.Name)
			if assert.NoError(t, err) {
				assert.NoError(t, c.End(context.Background(), true))
				c.Close()
			}
		}
		assert.NoError(t, os.RemoveAll(dir))
	})
}

func start(t *testing.T, spec console.Spec) *console.Client {
	t.Helper()
	if spec.Adapter == "" {
		spec.Adapter = "bash"
	}
	if spec.IdleEnd == 0 { // ends by itself if the test is killed
		spec.IdleEnd = 10 * time.Minute
	}
	c, s, err := console.Start(t.Context(), []string{os.Args[0]}, os.Getenv, spec)
	require.NoError(t, err)
	require.Equal(t, console.Idle, s.State)
	t.Cleanup(c.Close)
	return c
}

func exec(t *testing.T, c *console.Client, code string) (string, console.WaitResult) {
	t.Helper()
	var out bytes.Buffer
	a, err := c.Exec(t.Context(), console.ExecRequest{Code: code}, &out)
	require.NoError(t, err)
	require.Equal(t, "done", a.Reason)
	return out.String(), a
}

// requireFault checks that err is a *Fault with the given code.
func requireFault(t *testing.T, code string, err error) *console.Fault {
	t.Helper()
	var f *console.Fault
	require.ErrorAs(t, err, &f)
	require.Equal(t, code, f.Code, f.Message)
	return f
}

func TestACommand(t *testing.T) {
	place(t)
	c := start(t, console.Spec{Name: "a"})
	out, a := exec(t, c, "cd /usr; echo hello; (exit 3)")
	assert.Equal(t, "hello\n", out)
	assert.Equal(t, 3, *a.Command.ExitCode)
	assert.Equal(t, "/usr", a.Status.Cwd)
	assert.Equal(t, int64(1), a.Command.Lines)
	out, a = exec(t, c, "pwd")
	assert.Equal(t, "/usr\n", out)
	assert.Equal(t, 2, a.Command.ID)
	require.NoError(t, c.End(t.Context(), false))
	all, err := console.List(t.Context(), os.Getenv)
	require.NoError(t, err)
	assert.Empty(t, all)
}

func TestADeadlineEndsOnlyTheWait(t *testing.T) {
	place(t)
	c := start(t, console.Spec{})
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	var out bytes.Buffer
	a, err := c.Exec(t.Context(), console.ExecRequest{Code: "echo before; : <" + fifo + "; echo after", Wait: 50 * time.Millisecond}, &out)
	require.NoError(t, err)
	assert.Equal(t, "time", a.Reason)
	assert.Equal(t, console.Running, a.Status.State)
	assert.True(t, a.Command.Running())

	_, err = c.Exec(t.Context(), console.ExecRequest{Code: "echo second"}, nil)
	f := requireFault(t, console.FaultBusy, err)
	assert.Equal(t, 1, f.Status.Command.ID)

	require.NoError(t, os.WriteFile(fifo, nil, 0)) // opening it releases the command
	a, err = c.Wait(t.Context(), console.WaitRequest{From: int64(out.Len())}, &out)
	require.NoError(t, err)
	assert.Equal(t, "done", a.Reason)
	assert.Equal(t, "before\nafter\n", out.String())
}

func TestInputIsAskedFor(t *testing.T) {
	place(t)
	c := start(t, console.Spec{})
	var out bytes.Buffer
	a, err := c.Exec(t.Context(), console.ExecRequest{Code: `read -p "go on? " x; echo "[$x]"`}, &out)
	require.NoError(t, err)
	assert.Equal(t, "waiting", a.Reason)
	assert.Equal(t, console.WaitingInput, a.Status.State)
	assert.Equal(t, "go on? ", out.String())
	_, err = c.Send(t.Context(), console.SendRequest{Text: "y", Keys: []string{"enter"}, OnlyIfWaiting: true})
	require.NoError(t, err)
	out.Reset()
	a, err = c.Wait(t.Context(), console.WaitRequest{From: a.Command.Bytes}, &out)
	require.NoError(t, err)
	assert.Equal(t, "done", a.Reason)
	assert.Equal(t, "[y]\n", out.String())
	_, err = c.Send(t.Context(), console.SendRequest{Text: "z"})
	requireFault(t, console.FaultNotWaiting, err)
}

func TestOnlyAUserAnswersAPromptForASecret(t *testing.T) {
	place(t)
	c := start(t, console.Spec{})
	a, err := c.Exec(t.Context(), console.ExecRequest{Code: `read -s -p "password: " x; echo "${#x}"`}, nil)
	require.NoError(t, err)
	assert.Equal(t, console.WaitingSecret, a.Status.State)
	_, err = c.Send(t.Context(), console.SendRequest{Text: "hunter2\n"})
	requireFault(t, console.FaultSecret, err)
	_, err = c.Send(t.Context(), console.SendRequest{Text: "hunter2\r", Secret: true})
	require.NoError(t, err)
	var out bytes.Buffer
	_, err = c.Wait(t.Context(), console.WaitRequest{From: a.Command.Bytes}, &out)
	require.NoError(t, err)
	assert.Equal(t, "7\n", out.String())

	a, err = c.Exec(t.Context(), console.ExecRequest{Code: `read -s -p "password: " x; echo "${#x}"`}, nil)
	require.NoError(t, err)
	assert.Equal(t, console.WaitingSecret, a.Status.State)
	_, err = c.Send(t.Context(), console.SendRequest{Text: "x", Keys: []string{"C-c"}})
	requireFault(t, console.FaultSecret, err)
	_, err = c.Send(t.Context(), console.SendRequest{Keys: []string{"C-c"}})
	require.NoError(t, err, "anybody may interrupt it")
	a, err = c.Wait(t.Context(), console.WaitRequest{}, nil)
	require.NoError(t, err)
	assert.Equal(t, 130, *a.Command.ExitCode)
}

func TestAnotherDirectoryIsRefused(t *testing.T) {
	place(t)
	c := start(t, console.Spec{Dir: "/"})
	exec(t, c, "cd /usr")
	_, err := c.Exec(t.Context(), console.ExecRequest{Code: "rm -rf x", ExpectCwd: "/"}, nil)
	f := requireFault(t, console.FaultCwdMismatch, err)
	assert.Contains(t, f.Message, "/usr")
}

func TestLinesCanBeReadAgain(t *testing.T) {
	place(t)
	c := start(t, console.Spec{})
	exec(t, c, "seq 1 30000")
	exec(t, c, "echo second")
	lines, err := c.Read(console.ReadRequest{Command: 1, From: 29_999, Lines: 5})
	require.NoError(t, err)
	assert.Equal(t, int64(30_000), lines.Total)
	assert.Equal(t, []console.Line{{Number: 29_999, Text: "29999"}, {Number: 30_000, Text: "30000"}}, lines.Lines)
	next := int64(5)
	lines, err = c.EachLine(console.ReadRequest{Command: 1, From: next, Lines: 25_000}, func(l console.Line) error {
		assert.Equal(t, next, l.Number)
		next++
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, int64(25_005), next, "a read without limits")
	assert.Equal(t, int64(30_000), lines.Total)
	lines, err = c.Read(console.ReadRequest{Command: 1, Grep: "^12345$"})
	require.NoError(t, err)
	assert.Equal(t, []console.Line{{Number: 12_345, Text: "12345"}}, lines.Lines)
	lines, err = c.Read(console.ReadRequest{From: -1})
	require.NoError(t, err)
	assert.Equal(t, []console.Line{{Number: 1, Text: "second"}}, lines.Lines)
}

func TestTheProgramsEnd(t *testing.T) {
	place(t)
	c := start(t, console.Spec{})
	a, err := c.Exec(t.Context(), console.ExecRequest{Code: "echo last; exit 7"}, nil)
	require.NoError(t, err)
	assert.Equal(t, "exited", a.Reason)
	_, err = c.Exec(t.Context(), console.ExecRequest{Code: "echo x"}, nil)
	requireFault(t, console.FaultExited, err)
	lines, err := c.Read(console.ReadRequest{})
	require.NoError(t, err)
	assert.Equal(t, "last", lines.Lines[0].Text)
	text, s, err := c.Screen(t.Context())
	require.NoError(t, err)
	assert.Contains(t, text, "last")
	assert.Equal(t, console.Exited, s.State)
}

func TestAKilledHostLeavesItsResults(t *testing.T) {
	place(t)
	c := start(t, console.Spec{Name: "k"})
	exec(t, c, "true")
	_, a := exec(t, c, "echo kept")
	killHost(t, a.Status.HostPID)
	lines, err := c.Read(console.ReadRequest{})
	require.NoError(t, err)
	assert.Equal(t, "kept", lines.Lines[0].Text)
	_, err = c.Exec(t.Context(), console.ExecRequest{Code: "echo x"}, nil)
	requireFault(t, console.FaultExited, err)
	awaitDeath(t, a.Status.PID)                                                                                        // the guard ends the program
	_, s, err := console.Start(t.Context(), []string{os.Args[0]}, os.Getenv, console.Spec{Name: "k", Adapter: "bash"}) // the name is free
	require.NoError(t, err)
	assert.Equal(t, "2 kept results of the former console k, whose host was killed, were removed", s.Notice)
}

// Results of a console whose host was killed are kept for a day, measured on a clock that cannot be
// set.
func TestResultsOfADeadConsoleAreKeptForADay(t *testing.T) {
	for name, tt := range map[string]struct {
		seen func(time.Duration) time.Duration // computed from the uptime at which it was first seen
		left int
	}{
		"its file is old according to the clock": {func(d time.Duration) time.Duration { return d }, 1},
		"the retention time has passed":          {func(d time.Duration) time.Duration { return d - 25*time.Hour }, 0},
		"the retention time has almost passed":   {func(d time.Duration) time.Duration { return d - 23*time.Hour }, 1},
		"the machine has been restarted since":   {func(d time.Duration) time.Duration { return d + 25*time.Hour }, 1},
		"nobody has noticed it yet":              {func(time.Duration) time.Duration { return 0 }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			place(t)
			c := start(t, console.Spec{Name: "k"})
			s, err := c.Status(t.Context())
			require.NoError(t, err)
			dead := killHost(t, s.HostPID)
			if dead.DeadSince = tt.seen(dead.DeadSince); dead.DeadSince < 0 {
				t.Skip("the machine was started less than a day ago")
			}
			file := console.NoteStatus(t, c, dead)
			old := time.Now().AddDate(-1, 0, 0)
			require.NoError(t, os.Chtimes(file, old, old))
			all, err := console.List(t.Context(), os.Getenv)
			require.NoError(t, err)
			require.Len(t, all, tt.left)
			if tt.left == 0 {
				return
			}
			again, err := console.List(t.Context(), os.Getenv)
			require.NoError(t, err)
			assert.Equal(t, all, again, "retention has started, and does not start again")
			require.NoError(t, c.End(t.Context(), false))
		})
	}
}

// killHost kills the host of the only console and returns the status reported afterwards.
func killHost(t *testing.T, pid int) console.Status {
	t.Helper()
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	var all []console.Status
	require.Eventually(t, func() bool {
		var err error
		all, err = console.List(t.Context(), os.Getenv)
		require.NoError(t, err)
		require.Len(t, all, 1)
		return all[0].State == console.Dead
	}, testkit.Patience(30*time.Second), 5*time.Millisecond)
	return all[0]
}

// awaitDeath waits until a process has ended.
func awaitDeath(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(t, func() bool { return !alive(pid) }, testkit.Patience(30*time.Second), time.Millisecond)
}

func alive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func TestAMissingProgram(t *testing.T) {
	place(t)
	_, _, err := console.Start(t.Context(), []string{os.Args[0]}, os.Getenv, console.Spec{Adapter: "bash", Executable: "/nowhere/bash"})
	requireFault(t, console.FaultProgramMissing, err)
	all, err := console.List(t.Context(), os.Getenv)
	require.NoError(t, err)
	assert.Empty(t, all)
}

func TestAMissingDirectory(t *testing.T) {
	place(t)
	for _, spec := range []console.Spec{{Adapter: "bash", Dir: "/nowhere"}, {Adapter: "bash", Dir: "/dev/null"}} {
		_, _, err := console.Start(t.Context(), []string{os.Args[0]}, os.Getenv, spec)
		assert.ErrorContains(t, requireFault(t, console.FaultBadRequest, err), fmt.Sprintf("working directory %q is not a directory", spec.Dir))
	}
}

func TestAFullScreenProgram(t *testing.T) {
	place(t)
	c := start(t, console.Spec{})
	exec(t, c, `printf '\033[?1049h'`) // another one was killed
	a, err := c.Exec(t.Context(), console.ExecRequest{Code: `printf '\033[?1049h\033[2J\033[HHELLO'; read -n1 x; printf '\033[?1049l'`}, nil)
	require.NoError(t, err)
	assert.Equal(t, "waiting", a.Reason)
	assert.Equal(t, console.Fullscreen, a.Status.State)
	text, _, err := c.Screen(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "HELLO", strings.TrimSpace(text))
	_, err = c.Send(t.Context(), console.SendRequest{Keys: []string{"q"}, OnlyIfWaiting: true})
	require.NoError(t, err)
	a, err = c.Wait(t.Context(), console.WaitRequest{}, nil)
	require.NoError(t, err)
	assert.Equal(t, "done", a.Reason)
}

// A full-screen program that was killed does not make the next commands full-screen ones: their questions for secrets are known, and
// a client waits for their end.
func TestCommandsAfterAKilledFullScreenProgram(t *testing.T) {
	secret := map[string]string{"bash": "read -r -s -p 'Password: ' x", "zsh": "read -s 'x?Password: '", "python": "import getpass; x = getpass.getpass()"}
	leave := map[string]string{"bash": `printf '\033[?1049h'`, "zsh": `printf '\033[?1049h'`, "python": `print("\033[?1049h", end="")`}
	slow := map[string]string{"bash": "sleep 0.5; echo end", "zsh": "sleep 0.5; echo end", "python": "import time; time.sleep(0.5); print('end')"}
	for adapter, code := range secret {
		t.Run(adapter, func(t *testing.T) {
			place(t)
			c := start(t, console.Spec{Adapter: adapter})
			exec(t, c, leave[adapter])
			a, err := c.Exec(t.Context(), console.ExecRequest{Code: slow[adapter]}, nil)
			require.NoError(t, err)
			assert.Equal(t, "done", a.Reason)
			a, err = c.Exec(t.Context(), console.ExecRequest{Code: code}, nil)
			require.NoError(t, err)
			assert.Equal(t, "waiting", a.Reason)
			assert.Equal(t, console.WaitingSecret, a.Status.State)
			_, err = c.Send(t.Context(), console.SendRequest{Text: "hunter2\n", OnlyIfWaiting: true})
			requireFault(t, console.FaultSecret, err)
			_, err = c.Send(t.Context(), console.SendRequest{Keys: []string{"C-c"}})
			require.NoError(t, err)
			_, err = c.Wait(t.Context(), console.WaitRequest{}, nil)
			require.NoError(t, err)
			// One command that draws and asks.
			a, err = c.Exec(t.Context(), console.ExecRequest{Code: leave[adapter] + "; " + code}, nil)
			require.NoError(t, err)
			assert.Equal(t, console.WaitingSecret, a.Status.State)
		})
	}
}

func TestAStoppedHostIsNotDead(t *testing.T) {
	place(t)
	c := start(t, console.Spec{Name: "stopped"})
	s, err := c.Status(t.Context())
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(s.HostPID, syscall.SIGSTOP))
	require.Eventually(t, func() bool { return stopped(s.HostPID) }, testkit.Patience(20*time.Second), time.Millisecond)
	all, err := console.List(t.Context(), os.Getenv)
	assert.NoError(t, err)
	require.Len(t, all, 1)
	assert.Equal(t, console.Unresponsive, all[0].State)
	_, _, err = console.Start(t.Context(), []string{os.Args[0]}, os.Getenv, console.Spec{Adapter: "bash", Name: "stopped"})
	requireFault(t, console.FaultNameInUse, err)
	require.NoError(t, syscall.Kill(s.HostPID, syscall.SIGCONT))
	out, _ := exec(t, c, `echo "$RIPPLE_CONSOLE"`)
	assert.Equal(t, "stopped\n", out)
}

// stopped reports whether all threads of a process are stopped: a stop signal takes effect one
// thread after another.
func stopped(pid int) bool {
	stats, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, file := range stats {
		stat, err := os.ReadFile(file)
		_, after, _ := bytes.Cut(stat, []byte(") "))
		if err != nil || !bytes.HasPrefix(after, []byte("T")) {
			return false
		}
	}
	return len(stats) > 0
}

func TestAnAdapterFileOfTheStartersDirectory(t *testing.T) {
	place(t)
	dir := t.TempDir()
	t.Chdir(dir)
	text, err := fs.ReadFile(adapters.FS, "bash.yaml")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("mine.yaml", text, 0o600))
	c := start(t, console.Spec{Adapter: "./mine.yaml"})
	assert.Equal(t, "mine-1", c.Name)
	out, _ := exec(t, c, "pwd")
	assert.Equal(t, dir+"\n", out)
}

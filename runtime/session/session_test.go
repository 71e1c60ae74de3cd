package session_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/adapters"
	scripts "example.org/ripple/integration-scripts"
	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// adapter returns an embedded adapter, or one from this package's testdata. It skips the test if
// the adapter's program is not installed.
func adapter(t testing.TB, name string) *schema.Adapter {
	t.Helper()
	if path := filepath.Join("testdata", name+".yaml"); fileExists(path) {
		name = path
	}
	r, err := registry.Open(registry.Sources{Embedded: adapters.FS, Scripts: []fs.FS{scripts.FS}})
	require.NoError(t, err)
	e, err := r.Find(name)
	require.NoError(t, err)
	if _, err := launch.Locate(e.Adapter, launch.OSHost(), ""); err != nil {
		t.Skip(err)
	}
	return e.Adapter
}

func fileExists(path string) bool { _, err := os.Stat(path); return err == nil }

// deadline is far longer than anything a test waits for; reaching it is a failure.
func deadline(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience(60*time.Second))
	t.Cleanup(cancel)
	return ctx
}

// open starts a session in an empty HOME and closes it after the test.
func open(t testing.TB, name string, o session.Options) *session.Session {
	t.Helper()
	o.Env = append([]string{"HOME=" + t.TempDir()}, o.Env...)
	s, err := session.Open(deadline(t), adapter(t, name), o)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close(context.Background())) })
	return s
}

// trace reports the terminal's input and output, with times, if the test has failed.
func trace(t testing.TB) session.Observer {
	var mu sync.Mutex
	var lines []string
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		if t.Failed() {
			t.Logf("the terminal:\n%s", strings.Join(lines, "\n"))
		}
	})
	return session.ObserverFunc(func(e session.Event) {
		mu.Lock()
		defer mu.Unlock()
		line := fmt.Sprintf("%10s %-7s %s", e.At.Round(10*time.Microsecond), e.Kind, e.Text)
		if e.Kind == session.EventRead || e.Kind == session.EventWrite {
			line += fmt.Sprintf("%q", e.Data)
		}
		lines = append(lines, line)
	})
}

func eval(t testing.TB, s *session.Session, code string) session.Result {
	t.Helper()
	r, err := s.Eval(deadline(t), code)
	require.NoError(t, err, "output: %q", r.Output)
	require.Empty(t, r.Fault)
	return r
}

// timeout runs code until the deadline passes, which it must.
func timeout(t testing.TB, s *session.Session, code string, d time.Duration) session.Result {
	t.Helper()
	for {
		ctx, cancel := context.WithTimeout(context.Background(), d)
		r, err := s.Eval(ctx, code)
		cancel()
		if late, is := errors.AsType[*session.TimeoutError](err); is && late.Unsent {
			continue // a busy machine: the deadline passed before the start
		}
		require.ErrorIs(t, err, session.ErrTimeout, "output: %q", r.Output)
		require.Equal(t, session.ByTimeout, r.CompletedBy)
		return r
	}
}

// leave runs code until a state is reached, and leaves it running in that state.
func leave(t testing.TB, s *session.Session, code string, when func(session.State) bool) session.Result {
	t.Helper()
	ctx, cancel := context.WithCancel(deadline(t))
	go func() {
		defer cancel()
		_, err := s.WaitState(ctx, when)
		assert.NoError(t, err)
	}()
	r, err := s.Eval(ctx, code)
	require.ErrorIs(t, err, session.ErrTimeout, "output: %q", r.Output)
	require.Equal(t, session.ByTimeout, r.CompletedBy)
	return r
}

// If a deadline passes while a command ends, either the command has ended or it still runs, never a
// mixture.
func TestDeadlineAtTheEndOfACommand(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	evaluated, last := make(chan struct{}), make(chan struct{})
	s := open(t, "bash", session.Options{Output: func(b []byte) {
		if strings.Contains(string(b), "last") {
			cancel()
			<-evaluated // so that the deadline passes before the end is known
			close(last)
		}
	}})
	r, err := s.Eval(ctx, "echo last")
	close(evaluated)
	require.ErrorIs(t, err, session.ErrTimeout)
	assert.Equal(t, session.ByTimeout, r.CompletedBy)
	assert.Equal(t, "last\n", r.Output)
	<-last
	r, err = s.Wait(deadline(t))
	require.NoError(t, err)
	assert.Equal(t, session.ByMarker, r.CompletedBy)
	assert.Equal(t, "last\n", r.Output)

	for i := range 50 {
		leave(t, s, "read -r line", func(st session.State) bool { return st.Phase == session.PhaseRunning })
		require.NoError(t, s.Send(deadline(t), []byte("go\n")))
		_, err := s.WaitState(deadline(t), func(session.State) bool { return s.Ended() })
		require.NoError(t, err)
		r, err := s.Wait(ctx)
		require.NoError(t, err, "wait %d: the command has ended, whatever the deadline", i)
		require.Equal(t, session.ByMarker, r.CompletedBy)
	}
}

func code(r session.Result) int {
	if r.ExitCode == nil {
		return -999
	}
	return *r.ExitCode
}

func TestOutputIsExact(t *testing.T) {
	s := open(t, "bash", session.Options{})
	for _, row := range []struct {
		name, code, want string
		exit             int
	}{
		{"a line", "echo hello", "hello\n", 0},
		{"no newline at the end", "printf abc", "abc", 0},
		{"nothing", "true", "", 0},
		{"empty input", "", "", 0},
		{"a comment", "# nothing", "", 0},
		{"an exit code", "false", "", 1},
		{"blank lines and leading blanks", `printf '\n\n  a\n\n b\n\n'`, "\n\n  a\n\n b\n\n", 0},
		{"tabs", `printf 'a\tb\n\tc'`, "a\tb\n\tc", 0},
		{"text that looks like the echo", "echo echo", "echo\n", 0},
		{"the command printed by the command", "echo 'echo hi'; echo hi", "echo hi\nhi\n", 0},
		{"unicode", "echo 'äöü € 漢字 e\u0301 👩‍👩‍👧'", "äöü € 漢字 e\u0301 👩‍👩‍👧\n", 0},
		{"carriage returns resolve", `printf '10%%\r50%%\r100%%\n'`, "100%\n", 0},
		{"several lines", "x=1\ny=2\necho $((x+y))\nfalse", "3\n", 1},
		{"a here document", "cat <<EOF\n  one\n\ntwo\nEOF", "  one\n\ntwo\n", 0},
		{"a tab in the code", "echo 'a\tb'", "a\tb\n", 0},
		{"an exclamation mark", `echo "hi!"`, "hi!\n", 0},
		{"a pipeline", "false | true", "", 0},
		{"a signal", "sh -c 'kill -TERM $$'", "Terminated\n", 143},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := eval(t, s, row.code)
			assert.Equal(t, row.want, r.Output)
			assert.Equal(t, row.exit, code(r))
			assert.Equal(t, session.ByMarker, r.CompletedBy)
			assert.EqualValues(t, len(r.Output), r.Bytes)
		})
	}
}

func TestManyCommandsGetTheirOwnAnswers(t *testing.T) {
	t.Parallel()
	s := open(t, "bash", session.Options{})
	for i := range testkit.Fewer(t, 100, testkit.Times(t, 150, 10_000)) {
		if r := eval(t, s, fmt.Sprintf("echo %d", i)); r.Output != fmt.Sprintf("%d\n", i) {
			t.Fatalf("command %d answered %q", i, r.Output)
		}
	}
}

func TestEndOfTheProgramKeepsTheLastLine(t *testing.T) {
	s := open(t, "bash", session.Options{})
	r, err := s.Eval(deadline(t), "echo last words; exit 3")
	require.ErrorIs(t, err, session.ErrExited)
	var exit *session.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, 3, exit.Code)
	assert.Equal(t, 3, code(r))
	assert.Equal(t, session.ByExit, r.CompletedBy)
	assert.Contains(t, r.Output, "last words\n")
	_, err = s.Eval(deadline(t), "true")
	assert.ErrorIs(t, err, session.ErrExited, "and it reports that again")
}

func TestTimeoutKeepsTheSession(t *testing.T) {
	s := open(t, "bash", session.Options{})
	r := leave(t, s, "echo before; read answer; echo after $answer", func(st session.State) bool { return st.Partial != "" })
	assert.Equal(t, "before\n", r.Output)
	_, err := s.Eval(deadline(t), "true")
	require.ErrorIs(t, err, session.ErrBusy)
	require.NoError(t, s.Send(deadline(t), []byte("x\n")))
	r, err = s.Wait(deadline(t))
	require.NoError(t, err)
	assert.Equal(t, "before\nafter x\n", r.Output)
	assert.Equal(t, "ok\n", eval(t, s, "echo ok").Output)
}

func TestInterrupt(t *testing.T) {
	s := open(t, "bash", session.Options{Observer: trace(t)})
	for _, busy := range []string{"while :; do :; done", "sleep 1000", "echo started; cat"} {
		timeout(t, s, busy, 100*time.Millisecond)
		r, err := s.Interrupt(deadline(t))
		require.NoError(t, err)
		assert.Equal(t, session.ByInterrupt, r.CompletedBy, busy)
		assert.Equal(t, 130, code(r), "%s: %q", busy, r.Output)
		assert.Equal(t, "ok\n", eval(t, s, "echo ok").Output, busy)
	}
	_, err := s.Interrupt(deadline(t))
	assert.NoError(t, err, "without a running command there is nothing to do")
}

// A program that has just received a command may lose an early interrupt.
func TestEarlyInterruptIsRepeated(t *testing.T) {
	s := open(t, "bash", session.Options{})
	timeout(t, s, "trap 'trap - INT' INT; while :; do :; done", 20*time.Millisecond)
	r, err := s.Interrupt(deadline(t))
	require.NoError(t, err)
	assert.Equal(t, session.ByInterrupt, r.CompletedBy)
	assert.Equal(t, "ok\n", eval(t, s, "echo ok").Output)
}

// A shell that is about to start a job receives the interrupt in place of the job.
func TestInterruptMissedByJobIsRepeated(t *testing.T) {
	s := open(t, "bash", session.Options{})
	timeout(t, s, `trap 'had=it' INT; while [ -z "$had" ]; do :; done; trap - INT; sleep 1000`, 150*time.Millisecond)
	r, err := s.Interrupt(deadline(t))
	require.NoError(t, err)
	assert.Equal(t, session.ByInterrupt, r.CompletedBy)
	assert.Equal(t, "ok\n", eval(t, s, "echo ok").Output)
}

// A job that has received its interrupt, and takes its time, does not get another one.
func TestJobGetsInterruptOnce(t *testing.T) {
	s := open(t, "bash", session.Options{})
	timeout(t, s, `sh -c 'n=0; trap "n=\$((n+1))" INT; while [ $n = 0 ]; do :; done; sleep 0.5; echo $n'`, time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), 150*time.Millisecond)
	defer cancel()
	_, err := s.Wait(ctx) // the line has been sent: an early interrupt would be repeated
	require.ErrorIs(t, err, session.ErrTimeout)
	r, err := s.Interrupt(deadline(t))
	require.NoError(t, err)
	assert.Equal(t, "1\n", r.Output)
}

// An interrupt that is answered by a question is not repeated.
func TestInterruptAnsweredByQuestion(t *testing.T) {
	a := adapter(t, "bash")
	yes := "y\n"
	a.Signals.InterruptConfirm = &yes
	s, err := session.Open(deadline(t), a, session.Options{Env: []string{"HOME=" + t.TempDir()}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close(context.Background())) })
	timeout(t, s, `trap 'read -p "stop? " x; trap - INT; [ "$x" = y ] && kill -INT $$' INT; while :; do :; done`, 20*time.Millisecond)
	start := time.Now()
	r, err := s.Interrupt(deadline(t))
	require.NoError(t, err)
	assert.Equal(t, session.ByInterrupt, r.CompletedBy)
	assert.Contains(t, r.Output, "stop? ")
	assert.Less(t, time.Since(start), testkit.Patience(2*time.Second), "the question was answered late")
	assert.Equal(t, "ok\n", eval(t, s, "echo ok").Output)
}

// overdue is a context whose deadline has passed and whose timer fires when it is waited for, as on
// a busy machine.
type overdue struct {
	context.Context
	end context.CancelFunc
}

func (overdue) Deadline() (time.Time, bool) { return time.Now().Add(-time.Second), true }

func (o overdue) Done() <-chan struct{} {
	o.end()
	return o.Context.Done()
}

func TestLateTimer(t *testing.T) {
	s := open(t, "bash", session.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	r, err := s.Eval(overdue{ctx, cancel}, "echo ran")
	late, _ := errors.AsType[*session.TimeoutError](err)
	require.NotNil(t, late, "%v", err)
	assert.True(t, late.Unsent)
	assert.Equal(t, session.ByTimeout, r.CompletedBy)
	assert.Equal(t, "ok\n", eval(t, s, "echo ok").Output)
}

// At any time, an interrupt ends the command and nothing else.
func TestInterruptAtAnyMoment(t *testing.T) {
	t.Parallel()
	for name, echo := range map[string]string{"bash": "echo ok", "python": "print('ok')", "node": "console.log('ok')"} {
		t.Run(name, func(t *testing.T) {
			s := open(t, name, session.Options{})
			busy := adapter(t, name).Samples.Busy
			n := testkit.Times(t, 5, 50)
			for i := 0; i < 50; i += 50 / n {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i*i)*time.Microsecond)
				r, err := s.Eval(ctx, busy)
				cancel()
				late, _ := errors.AsType[*session.TimeoutError](err)
				require.NotNil(t, late, "after %d µs: %+v, %v", i*i, r, err)
				if late.Unsent {
					continue
				}
				r, err = s.Interrupt(deadline(t))
				require.NoError(t, err, "after %d µs", i*i)
				require.Contains(t, []session.CompletedBy{session.ByInterrupt, session.ByMarker}, r.CompletedBy)
				require.Regexp(t, `^ok\n`, eval(t, s, echo).Output, "after %d µs", i*i)
			}
		})
	}
}

// An interrupt ends a whole block: in a statement that others follow, and between two statements,
// where there is nothing to stop (Clojure's second form is being read when it arrives).
func TestInterruptEndsTheWholeBlock(t *testing.T) {
	for name, block := range map[string]struct{ first, then, want string }{
		"clojure": {"(Thread/sleep 150)\n#=(eval (do (println \"reading\") (Thread/sleep 50)))", "(* 6 7)", "42\n"},
		"ghci":    {"putStrLn \"reading\" >> GHC.Conc.threadDelay 100000000", "6 * 7", "42\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, name, session.Options{})
			code := block.first + "\n" + adapter(t, name).Samples.Busy
			leave(t, s, code, func(st session.State) bool { return strings.Contains(st.Partial, "reading") })
			r, err := s.Interrupt(deadline(t))
			require.NoError(t, err)
			assert.Equal(t, session.ByInterrupt, r.CompletedBy)
			assert.Equal(t, block.want, eval(t, s, block.then).Output)
		})
	}
}

// A command that ends by itself at that moment shows a prompt that does not answer the interrupt,
// which is still pending and must not hit the next line. The interrupt never hits bash while it
// starts the job, which would make bash exit.
func TestInterruptOfACommandThatEnds(t *testing.T) {
	t.Parallel()
	s := open(t, "bash", session.Options{})
	for i := range 100 {
		after := 9*time.Millisecond + time.Duration(i*30)*time.Microsecond
		ctx, cancel := context.WithTimeout(context.Background(), after)
		_, err := s.Eval(ctx, "sleep 0.01")
		cancel()
		if err != nil {
			_, err = s.Interrupt(deadline(t))
		}
		require.NoError(t, err, "after %s", after)
		require.Equal(t, "ok\n", eval(t, s, "echo ok").Output, "after %s", after)
	}
}

// An interrupt of a shell that works towards its job waits for the job.
func TestInterruptWaitsForTheJob(t *testing.T) {
	t.Parallel()
	s := open(t, "bash", session.Options{})
	const code = "trap 'echo early' INT; echo x; i=0; while ((i < 300)); do ((i += 1)); done; sleep 100"
	for range 20 {
		leave(t, s, code, func(st session.State) bool { return strings.Contains(st.Partial, "x") })
		r, err := s.Interrupt(deadline(t))
		require.NoError(t, err)
		require.Regexp(t, `^x\n(\^C)?\n?$`, r.Output)
		require.Equal(t, 130, *r.ExitCode)
	}
}

// slowJob is a shell that waits for its job before the job has taken the terminal, as shells may on a
// busy machine.
const slowJob = `
import os, signal, time
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
signal.signal(signal.SIGINT, lambda *_: os.write(1, b"early\n"))
while input("prompt> "):
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        os.write(1, b"x\n")
        DELAY
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.tcsetpgrp(0, os.getpid())
        time.sleep(1000)
    os.waitpid(job, 0)
    os.tcsetpgrp(0, os.getpid())
`

// An interrupt of a shell that waits for its new job waits until the job has taken the terminal. If the job works for
// nothing, as while it waits for a disk, the shell gets the interrupt, and the job another one.
func TestInterruptWaitsForTheJobToTakeTheTerminal(t *testing.T) {
	t.Parallel()
	for name, job := range map[string]struct{ delay, want string }{
		"works": {"while time.process_time() < 0.01: pass", `^x\n(\^C)?\n?$`},
		"waits": {"time.sleep(0.15)", `^x\n(early\n)?(\^C)?\n?$`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			interruptSlowJobs(t, job.delay, job.want)
		})
	}
}

func interruptSlowJobs(t *testing.T, delay, want string) {
	file := filepath.Join(t.TempDir(), "shell.py")
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(slowJob, "DELAY", delay)), 0o600))
	a := *adapter(t, "regexsh")
	a.Process.CommandTemplate = `"{shell_path}" -c 'exec python3 ` + file + `'`
	a.Capabilities.JobControl = true
	s, err := session.Open(deadline(t), &a, session.Options{})
	require.NoError(t, err)
	defer s.Close(context.Background())
	for range 10 {
		leave(t, s, "job", func(st session.State) bool { return strings.Contains(st.Partial, "x") })
		r, err := s.Interrupt(deadline(t))
		require.NoError(t, err, "output: %q", r.Output)
		require.Regexp(t, want, r.Output)
	}
}

// An interrupt that a shell handles itself is sent once, however long the shell works on it.
func TestInterruptOfABusyShellIsSentOnce(t *testing.T) {
	t.Parallel()
	s := open(t, "bash", session.Options{})
	const code = "n=0; e=; t=$((${EPOCHREALTIME/[.,]/} + 200000)); while ((${EPOCHREALTIME/[.,]/} < t)); do :; done; " +
		"trap 'n=$((n + 1)); for ((k = 0; k < 300000; k++)); do :; done; e=1' INT; echo x; while [ -z $e ]; do :; done; trap - INT; echo $n"
	leave(t, s, code, func(st session.State) bool { return strings.Contains(st.Partial, "x") })
	r, err := s.Interrupt(deadline(t))
	require.NoError(t, err)
	assert.Regexp(t, `^x\n(\^C)?1\n$`, r.Output)
}

// A prompt pattern that includes the previous line holds that line back; it is still output when
// the next line of a block is sent.
func TestPromptPatternOfSeveralLines(t *testing.T) {
	a := *adapter(t, "regexsh")
	a.Prompt.Primary = `^(?<!^never\r?\n)prompt> $`
	s, err := session.Open(deadline(t), &a, session.Options{})
	require.NoError(t, err)
	defer s.Close(context.Background())
	assert.Equal(t, "a\nb\nc\n", eval(t, s, "echo a\necho b\necho c").Output)
	assert.Equal(t, "a b\n", eval(t, s, "printf 'a '\necho b").Output)
}

// Blocks are sent in a here-document whose last line is the block's own exit code.
func TestHeredoc(t *testing.T) {
	a := *adapter(t, "regexsh")
	a.Input.MultilineDelivery = schema.DeliverHeredoc
	s, err := session.Open(deadline(t), &a, session.Options{})
	require.NoError(t, err)
	defer s.Close(context.Background())
	r := eval(t, s, "f() {\n\n\techo \"in f: $1\"\n}\nx='it''s'\nf \"$x\"\ncat <<EOF\nbody\nEOF")
	assert.Equal(t, "in f: its\nbody\n", r.Output)
	assert.Equal(t, "in f: later\n", eval(t, s, "f later").Output, "the block ran in the shell itself")
	assert.Equal(t, "1\n", eval(t, s, "(\nexit 1\n)\necho $?").Output)
}

// A block is sent as one line that decodes it, or, if that is too long for a line, in a file.
func TestScriptblock(t *testing.T) {
	a := *adapter(t, "regexsh")
	a.Process.CommandTemplate = `"{shell_path}" -c 'while printf "prompt> "; IFS= read -r line; do printf "%s\n" "$line"; done'` // it prints what it is sent
	a.Process.TTY.Echo, a.Process.TTY.Canonical, a.Output.InputEchoStrategy = false, false, schema.EchoNone
	a.Input.MultilineDelivery = schema.DeliverEncodedScriptblock
	a.Input.Tempfile = &schema.InputTempfile{Prefix: ".ripple-exec-", Extension: ".ps1", InvocationTemplate: "file {path}"}
	s, err := session.Open(deadline(t), &a, session.Options{})
	require.NoError(t, err)
	defer s.Close(context.Background())
	assert.Equal(t, "$h.one\n", eval(t, s, "$h.one").Output)
	assert.Equal(t, ". ([ScriptBlock]::Create([Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('JGggPSBAewogIG9uZSA9IDEKfQokaC5vbmU='))))\n",
		eval(t, s, "$h = @{\n  one = 1\n}\n$h.one").Output)
	assert.Regexp(t, `^file /.*/\.ripple-exec-.*\.ps1\n$`, eval(t, s, "one\n"+strings.Repeat("x", 30_000)).Output)
}

// A line that the program would cut is sent in a file, or refused before a byte is sent.
func TestLineTooLongForProgram(t *testing.T) {
	a := *adapter(t, "regexsh")
	a.Input.MaxLineBytes = 20
	s, err := session.Open(deadline(t), &a, session.Options{})
	require.NoError(t, err)
	defer s.Close(context.Background())
	assert.Equal(t, "345678901234567\n", eval(t, s, "echo 345678901234567").Output)
	_, err = s.Eval(deadline(t), "echo 3456789012345678")
	require.ErrorContains(t, err, "a line of 21 bytes is longer than the 20 that the program reads (input.max_line_bytes)")
	assert.Equal(t, "ok\n", eval(t, s, "echo ok").Output)

	b := a
	b.Input.Tempfile = &schema.InputTempfile{Prefix: ".t-", InvocationTemplate: ". '{path}'"}
	s2, err := session.Open(deadline(t), &b, session.Options{})
	require.NoError(t, err)
	defer s2.Close(context.Background())
	assert.Equal(t, "3456789012345678\n", eval(t, s2, "echo 3456789012345678").Output)
}

// A program that loses an early interrupt and keeps printing gets another one, also if it prints nothing for a while because
// it, or the machine, is busy. On a busy machine an interrupt may be sent too late to be repeated: then the test kills the
// program, and tries again.
func TestEarlyInterruptAnsweredByOutputIsRepeated(t *testing.T) {
	for name, trap := range map[string]string{
		"at once":           "x=y",
		"after silent work": "echo w; end=$((${EPOCHREALTIME/./} + 300000)); while ((${EPOCHREALTIME/./} < end)); do :; done; x=y",
	} {
		t.Run(name, func(t *testing.T) { earlyInterruptIsRepeated(t, trap) })
	}
}

func earlyInterruptIsRepeated(t *testing.T, trap string) {
	const surelyEarly = 50 * time.Millisecond // half of the time after which an interrupt is not early
	sent := make(chan time.Time, 1)
	s := open(t, "bash", session.Options{Window: 1000, Observer: session.ObserverFunc(func(e session.Event) {
		if e.Kind != session.EventSignal {
			return
		}
		select {
		case sent <- time.Now():
		default: // only the first one counts
		}
	})})
	for early := false; !early; {
		began := time.Now()
		var all sync.WaitGroup
		all.Go(func() {
			_, err := s.Eval(deadline(t), "(x=x; trap 'trap - INT; "+trap+"' INT; while :; do echo $x; done)")
			assert.NoError(t, err)
		})
		_, err := s.WaitState(deadline(t), func(st session.State) bool { return strings.Contains(st.Partial, "x") })
		require.NoError(t, err)
		var r session.Result
		all.Go(func() {
			var err error
			r, err = s.Interrupt(deadline(t))
			assert.NoError(t, err)
		})
		var at time.Time
		select {
		case at = <-sent:
		case <-deadline(t).Done():
			require.Fail(t, "no interrupt was sent")
		}
		if early = at.Sub(began) < surelyEarly; !early {
			_ = s.Signal(os.Kill) // the command may have ended
		}
		all.Wait()
		if early {
			assert.Equal(t, session.ByInterrupt, r.CompletedBy)
		}
		select {
		case <-sent: // of a further signal
		default:
		}
	}
}

// A program may lose an interrupt between reading a command and starting it: node then reads keys only when the command
// has ended. The report of the start is not an answer to the interrupt, which is repeated.
func TestInterruptLostBeforeTheStartIsRepeated(t *testing.T) {
	s := open(t, "node", session.Options{})
	eval(t, s, `(() => {
		const { setRawMode } = process.stdin
		process.stdin.setRawMode = function (mode) {
			const end = mode ? 0 : Date.now() + 150
			while (Date.now() < end);
			return setRawMode.call(this, mode)
		}
	})()`)
	timeout(t, s, adapter(t, "node").Samples.Busy, 20*time.Millisecond)
	r, err := s.Interrupt(deadline(t))
	require.NoError(t, err)
	assert.Equal(t, session.ByInterrupt, r.CompletedBy)
	assert.Regexp(t, `^ok\n`, eval(t, s, "console.log('ok')").Output)
}

// An interrupt that hits a program in the middle of printing leaves nothing stuck.
func TestInterruptWhileTheProgramPrints(t *testing.T) {
	t.Parallel()
	for name, code := range map[string][2]string{
		"bash":   {"while :; do echo x; done", "echo ok"},
		"python": {"exec('while True: print(1)')", "print('ok')"},
		"node":   {"while (true) console.log('x')", "console.log('ok')"},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, name, session.Options{Window: -1})
			for range testkit.Times(t, 3, 30) {
				timeout(t, s, code[0], 10*time.Millisecond)
				r, err := s.Interrupt(deadline(t))
				require.NoError(t, err)
				require.Equal(t, session.ByInterrupt, r.CompletedBy)
				require.NotZero(t, eval(t, s, code[1]).Bytes, "it prints again")
			}
		})
	}
}

func TestWaitingForInputIsReported(t *testing.T) {
	s := open(t, "bash", session.Options{})
	for code, want := range map[string]session.Waiting{
		"read -p 'name? ' x; echo \"got $x\"":          session.WaitingInput,
		"read -s -p 'name? ' x; echo \"got $x\"":       session.WaitingSecret,
		"read -s -t 60 -p 'name? ' x; echo \"got $x\"": session.WaitingSecret,
	} {
		done := make(chan session.Result, 1)
		go func() {
			r, err := s.Eval(deadline(t), code)
			assert.NoError(t, err)
			done <- r
		}()
		st, err := s.WaitState(deadline(t), func(st session.State) bool { return st.Waiting != session.WaitingNone })
		require.NoError(t, err)
		assert.Equal(t, want, st.Waiting)
		assert.Equal(t, "name? ", st.Partial)
		require.NoError(t, s.Send(deadline(t), []byte("bob\n")))
		assert.Equal(t, "name? got bob\n", strings.ReplaceAll((<-done).Output, "? \n", "? "), "the echo of the answer is not output")
	}
}

func TestIncompleteInputIsWithdrawn(t *testing.T) {
	for _, name := range []string{"bash", "dash", "regexsh"} { // with C, without it, without any marker
		t.Run(name, func(t *testing.T) {
			s := open(t, name, session.Options{})
			for _, code := range []string{"if true", "echo 'open", "cat <<EOF", "for i in 1 2; do"} {
				r, err := s.Eval(deadline(t), code)
				require.ErrorIs(t, err, session.ErrIncompleteInput, code)
				assert.Empty(t, r.Output, "neither the continuation prompt nor the withdrawal is output")
				assert.Nil(t, r.ExitCode, "the exit code of the withdrawal is not the code's")
				assert.Equal(t, "ok\n", eval(t, s, "echo ok").Output, "after %q", code)
			}
		})
	}
}

// The program's reaction to a withdrawal is reported.
func TestWithdrawalThatFailsIsReported(t *testing.T) {
	interrupt, quiet := "\x03", `%SIG = (INT => IGNORE); `
	for _, row := range []struct {
		name, program  string
		escape         string
		interrupt, eof *string
		want           string
	}{
		{"ends at the escape", `exit 3 if /drop/; `, "drop\n", &interrupt, nil, `the program ended with exit code 3 (before that the program asked for another line, and "drop\n" (prompt.continuation_escape) was sent to withdraw the input)`},
		{"ends by the interrupt", "", "", &interrupt, nil, `the program was ended by a signal: SIGINT (before that the program asked for another line, and "\x03" (signals.interrupt) was sent to withdraw the input)`},
		{"keeps asking", "", "drop\n", &interrupt, nil, `timed out; the command is still running: the program asked for another line, and "drop\n" (prompt.continuation_escape) was sent to withdraw the input, and no prompt followed`},
		{"ignores the interrupt", quiet, "", &interrupt, nil, `timed out; the command is still running: the program asked for another line, and "\x03" (signals.interrupt) was sent to withdraw the input, and no prompt followed`},
		{"nothing to withdraw with", "", "", nil, nil, `timed out; the command is still running: the program asked for another line, and the adapter has nothing to withdraw the input with (prompt.continuation_escape, signals.interrupt or signals.eof), and no prompt followed`},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := adapter(t, "regexsh")
			a.Process.Executable = "perl"
			a.Process.CommandTemplate = `"{shell_path}" -e '$| = 1; while (1) { print $more ? "more> " : "prompt> "; $_ = <STDIN> // last; ` + row.program + `$more ||= /more/ }'`
			a.Prompt.ContinuationEscape, a.Signals.Interrupt, a.Signals.EOF = row.escape, row.interrupt, row.eof
			s, err := session.Open(deadline(t), a, session.Options{})
			require.NoError(t, err)
			t.Cleanup(func() { _ = s.Close(context.Background()) })
			soon, cancel := context.WithTimeout(deadline(t), 50*time.Millisecond)
			defer cancel()
			_, err = s.Eval(soon, "more")
			for all := deadline(t); errors.Is(err, session.ErrTimeout) && !strings.Contains(err.Error(), "asked") && all.Err() == nil; {
				soon, cancel := context.WithTimeout(all, 50*time.Millisecond)
				_, err = s.Wait(soon)
				cancel()
			}
			if errors.Is(err, session.ErrTimeout) && strings.Contains(row.want, "ended") {
				_, err = s.Wait(deadline(t))
			}
			assert.EqualError(t, err, row.want)
		})
	}
}

func TestEmptyContinuationPromptIsRecognizedBySilence(t *testing.T) {
	t.Parallel()
	s := open(t, "silentsh", session.Options{})
	for _, code := range []string{"if true", "echo 'open", "cat <<EOF", "for i in 1 2; do", "echo 1\necho 'open"} {
		r, err := s.Eval(deadline(t), code)
		require.ErrorIs(t, err, session.ErrIncompleteInput, code)
		assert.NotContains(t, r.Output, "prompt>", code)
		assert.Equal(t, "ok\n", eval(t, s, "sleep 0.05; echo ok").Output, "after %q: silent work is not waiting", code)
	}
	assert.Equal(t, "1\n2\n", eval(t, s, "for i in 1 2; do\n  echo $i\ndone").Output)
}

func TestForgedMarkersAreOutput(t *testing.T) {
	s := open(t, "bash", session.Options{})
	for _, forged := range []string{`\e]633;D;77\a\e]633;A\a`, `\e]633;P;Cwd=/forged\a`, `\e]633;D;77\e\\\\\e]633;A\e\\\\`, `\x9d633;D;77\x9c`, `\e]633;A;0123456789abcdef0123456789abcdef\a`} {
		r := eval(t, s, "printf '"+forged+"'; echo end; (exit 5)")
		assert.Equal(t, 5, code(r), forged)
		assert.Contains(t, r.Output, "end\n")
		assert.NotEqual(t, "/forged", r.Cwd)
	}
}

func TestLongInputArrivesWhole(t *testing.T) {
	s := open(t, "bash", session.Options{})
	long := strings.Repeat("x", 64<<10)
	assert.Equal(t, fmt.Sprintln(len(long)), eval(t, s, "v="+long+"; echo ${#v}").Output)
	var block strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&block, "echo line %d\n", i)
	}
	assert.Equal(t, 2000, strings.Count(eval(t, s, block.String()).Output, "\n"))
	big := strings.Repeat("y", 1<<20)
	assert.Equal(t, fmt.Sprintln(len(big)), eval(t, s, "v="+big+"\necho ${#v}").Output)
}

func TestOutputBeyondTheWindowIsSpilled(t *testing.T) {
	s := open(t, "bash", session.Options{Window: 1000})
	r := eval(t, s, "for i in {1..10000}; do echo line $i; done")
	require.True(t, r.Truncated)
	whole, err := os.ReadFile(r.SpillPath)
	require.NoError(t, err)
	assert.EqualValues(t, r.Bytes, len(whole))
	assert.True(t, strings.HasSuffix(string(whole), "line 9999\nline 10000\n"))
	assert.True(t, strings.HasPrefix(r.Output, "line 1\n") && strings.HasSuffix(r.Output, "line 10000\n"))
	assert.Contains(t, r.Output, r.SpillPath)
}

func TestOutputIsPassedOnAsItArrives(t *testing.T) {
	var mu sync.Mutex
	var got strings.Builder
	first := make(chan struct{}, 1)
	s := open(t, "bash", session.Options{Output: func(b []byte) {
		mu.Lock()
		defer mu.Unlock()
		got.Write(b)
		select {
		case first <- struct{}{}:
		default:
		}
	}})
	done := make(chan session.Result, 1)
	go func() { r, _ := s.Eval(deadline(t), "echo one; read x; printf two"); done <- r }()
	<-first
	mu.Lock()
	assert.Equal(t, "one\n", got.String())
	mu.Unlock()
	_, err := s.WaitState(deadline(t), func(st session.State) bool { return st.Waiting != session.WaitingNone })
	require.NoError(t, err)
	require.NoError(t, s.Send(deadline(t), []byte("\n")))
	r := <-done
	assert.Equal(t, r.Output, got.String())
	assert.Equal(t, "one\ntwo", r.Output)
}

// Evals wait for each other. While a command runs for which none waits, Eval returns at once. Submit always does.
func TestEvalsWaitForEachOther(t *testing.T) {
	t.Parallel()
	s := open(t, "bash", session.Options{})
	output := func(code string) <-chan string {
		output := make(chan string, 1)
		go func() {
			r, err := s.Eval(deadline(t), code)
			assert.NoError(t, err)
			output <- r.Output
		}()
		return output
	}
	first := output("read -r line; echo $line")
	_, err := s.WaitState(deadline(t), func(st session.State) bool { return st.Waiting == session.WaitingInput })
	require.NoError(t, err)
	_, err = s.Submit(deadline(t), "true")
	require.ErrorIs(t, err, session.ErrBusy)
	second := output("echo second")
	require.NoError(t, s.Send(deadline(t), []byte("first\n")))
	assert.Equal(t, "first\n", <-first)
	assert.Equal(t, "second\n", <-second)

	wait, err := s.Submit(deadline(t), "read -r line")
	require.NoError(t, err)
	_, err = s.Eval(deadline(t), "true")
	require.ErrorIs(t, err, session.ErrBusy)
	_, err = s.Submit(deadline(t), "true")
	require.ErrorIs(t, err, session.ErrBusy)
	require.NoError(t, s.Send(deadline(t), []byte("\n")))
	_, err = wait(deadline(t))
	require.NoError(t, err)
}

func TestKilledProgramIsATypedErrorAndRestarts(t *testing.T) {
	s := open(t, "bash", session.Options{})
	program, err := os.FindProcess(s.State().PID)
	require.NoError(t, err)
	require.NoError(t, program.Kill())
	<-s.Done()
	_, err = s.Eval(deadline(t), "true")
	var exit *session.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, "SIGKILL", exit.Signal)
	require.NoError(t, s.Restart(deadline(t)))
	assert.Equal(t, "ok\n", eval(t, s, "echo ok").Output)
}

func TestRestartByPolicy(t *testing.T) {
	s := open(t, "bash", session.Options{Restart: true})
	for range 20 { // the next command comes at once, while the reader is still finishing
		_, err := s.Eval(deadline(t), "kill -9 $$")
		require.ErrorIs(t, err, session.ErrExited)
		assert.Equal(t, "ok\n", eval(t, s, "echo ok").Output)
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	before := scratchDirs(t)
	s := open(t, "bash", session.Options{OwnsOrphans: true})
	// The number distinguishes these from processes of another run of the tests on this machine.
	mine := fmt.Sprintf("100.%d", os.Getpid())
	r := eval(t, s, strings.ReplaceAll("sleep N & echo $!; nohup sleep N >/dev/null 2>&1 & echo $!; setsid sleep N & sleep 0.05; pgrep -f 'sleep N' | tr '\\n' ' '", "N", mine))
	pids := strings.Fields(r.Output)
	require.GreaterOrEqual(t, len(pids), 3, r.Output)
	require.NoError(t, s.Close(context.Background()))
	for _, pid := range pids {
		assert.NoFileExists(t, "/proc/"+pid+"/exe", "process %s still exists", pid)
	}
	assert.Equal(t, before, scratchDirs(t))
	_, err := s.Eval(deadline(t), "true")
	assert.ErrorIs(t, err, session.ErrClosed)
	assert.NoError(t, s.Close(context.Background()), "closing twice is not an error")
	assert.ErrorIs(t, s.Restart(deadline(t)), session.ErrClosed)
	assert.Equal(t, before, scratchDirs(t), "nothing was started again")
}

func scratchDirs(t *testing.T) []string {
	found, err := filepath.Glob(filepath.Join(os.TempDir(), fmt.Sprintf("ripple-%d-*", os.Getpid())))
	require.NoError(t, err)
	return found
}

func TestStartThatFails(t *testing.T) {
	a := *adapter(t, "bash")
	a.Process.CommandTemplate = `"{shell_path}" -c "echo no luck; exit 7"`
	_, err := session.Open(deadline(t), &a, session.Options{})
	var start *session.StartError
	require.ErrorAs(t, err, &start)
	assert.Contains(t, start.Output, "no luck")
	assert.ErrorIs(t, err, session.ErrNotReady)
	assert.ErrorIs(t, err, session.ErrExited)

	a.Process.CommandTemplate = `"{shell_path}" -c "echo hm; read x"`
	ctx, cancel := context.WithCancel(deadline(t))
	defer cancel()
	// EventRead would be too early: it comes before the session processes what it read.
	_, err = session.Open(ctx, &a, session.Options{Observer: pieceObserver(func(p session.Piece) {
		if strings.Contains(string(p.Data), "hm") {
			cancel()
		}
	})})
	require.ErrorAs(t, err, &start)
	assert.Contains(t, start.Output, "hm")
	assert.ErrorIs(t, err, context.Canceled)
}

// pieceObserver is a function that observes the classification of the output and ignores events.
type pieceObserver func(session.Piece)

func (pieceObserver) Observe(session.Event)          {}
func (f pieceObserver) ObservePiece(p session.Piece) { f(p) }

// A service that a program needs and does not find is named, whether the program ends or continues
// without it.
func TestMissingNeedIsNamed(t *testing.T) {
	a := *adapter(t, "regexsh")
	a.Ready.Needs = &schema.Needs{What: "a server", Missing: "^no server"}
	a.Process.CommandTemplate = `"{shell_path}" -c "echo no server; exit 2"`
	_, err := session.Open(deadline(t), &a, session.Options{})
	var start *session.StartError
	require.ErrorAs(t, err, &start)
	assert.Equal(t, "a server", start.MissingService)
	assert.EqualError(t, err, a.Name+": needs a server: the program ended with exit code 2")
	for printed, want := range map[string]string{"no server": "a server", "there it is": ""} {
		a.Process.CommandTemplate = `"{shell_path}" -c "echo ` + printed + `; printf 'prompt> '; read x"`
		s, err := session.Open(deadline(t), &a, session.Options{})
		require.NoError(t, err)
		assert.Equal(t, want, s.State().MissingService)
		assert.NoError(t, s.Close(deadline(t)))
	}
}

// The output of a program that ended before it received a command says why.
func TestEndAfterFirstPromptIsReportedWithOutput(t *testing.T) {
	a := adapter(t, "regexsh")
	a.Process.CommandTemplate = `"{shell_path}" -c "trap 'echo no memory; exit 4' TERM; printf 'prompt> '; read x"`
	s, err := session.Open(deadline(t), a, session.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close(deadline(t)) })
	require.NoError(t, s.Signal(syscall.SIGTERM))
	<-s.Done()
	_, err = s.Eval(deadline(t), "echo a")
	var exit *session.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, 4, exit.Code)
	assert.Contains(t, exit.Output, "no memory")
}

func TestStartThatCannotSucceedIsNotWaitedFor(t *testing.T) {
	session.ShortenStuckGap(t)
	for waited, ready := range map[string]schema.Ready{
		`a prompt that matches prompt.primary "^another> $" while the program waits for input`:  {WaitForEvent: schema.ReadyRegex},
		`ready.pattern "^welcome" at the end of the program's output, while it waits for input`: {WaitForEvent: schema.ReadyRegex, Pattern: "^welcome"},
	} {
		a := *adapter(t, "regexsh")
		a.Prompt.Primary, a.Ready = `^another> $`, ready
		_, err := session.Open(deadline(t), &a, session.Options{})
		var start *session.StartError
		require.ErrorAs(t, err, &start)
		assert.Equal(t, "prompt> ", start.Output)
		assert.ErrorContains(t, err, "waits for input")
		assert.ErrorContains(t, err, "(waited for "+waited+")")
	}
}

// A script of the adapter that is not delivered is named as the possible reason.
func TestStartWithoutItsScript(t *testing.T) {
	session.ShortenStuckGap(t)
	a := *adapter(t, "regexsh")
	a.Prompt.Primary, a.Script, a.Init.Delivery = `^another> $`, "PS1='another> '\n", schema.DeliverNone
	_, err := session.Open(deadline(t), &a, session.Options{})
	assert.ErrorContains(t, err, "; nothing passes the integration script to the program: init.delivery is none): ")
}

// For a program that polls for input the kernel cannot report that it waits: its prompt and silence
// have to suffice, also for the first prompt.
func TestFirstPromptOfAProgramThatPolls(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	const code = `import select, sys
while True:
    print("polls> ", end="", flush=True)
    while not select.select([0], [], [], 0.01)[0]: pass
    line = sys.stdin.readline()
    if not line: break
    print(line.strip()[::-1])`
	a := *adapter(t, "regexsh")
	a.Process.Executable, a.Process.CommandTemplate, a.Process.Args = python, `"{shell_path}"`, []string{"-c", code}
	a.Prompt.Primary, a.Lifecycle = "^polls> $", schema.Lifecycle{}
	s, err := session.Open(deadline(t), &a, session.Options{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, s.Close(context.Background())) }()
	assert.Equal(t, "cba\n", eval(t, s, "abc").Output)
}

// That a program polls with a timeout tells a question from its prompt only if it is known how it
// waits at the prompt, also if nobody has asked for its state there.
func TestAPollIsAQuestionInTheFirstCommand(t *testing.T) {
	if !pty.Tells {
		t.Skip("needs a kernel that reports what a program waits for")
	}
	t.Parallel()
	s := open(t, "bash", session.Options{})
	wait, err := s.Submit(deadline(t), "read -t 600 -p 'name? ' x; echo is $x")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return s.State().Waiting == session.WaitingInput }, testkit.Patience(20*time.Second), 10*time.Millisecond)
	require.NoError(t, s.Send(deadline(t), []byte("me\r")))
	r, err := wait(deadline(t))
	require.NoError(t, err)
	assert.Contains(t, r.Output, "is me\n")
}

// The wait function of Submit returns the error of Eval if the code is not sent.
func TestSubmittedCodeThatIsNotSent(t *testing.T) {
	a := *adapter(t, "regexsh")
	a.Input.Tempfile = nil
	s, err := session.Open(deadline(t), &a, session.Options{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, s.Close(deadline(t))) }()
	wait, err := s.Submit(deadline(t), "echo \x01")
	require.NoError(t, err)
	r, err := wait(deadline(t))
	require.ErrorContains(t, err, "input not sent: ")
	assert.Empty(t, r.CompletedBy)
}

// A prompt of several lines is recognized by any pattern that names its line breaks, the first time
// and every other; output ends where it begins.
func TestPromptsOfSeveralLines(t *testing.T) {
	for _, c := range []struct{ prompt, pattern string }{
		{"[dir 1]\n$ ", `^\[dir \d+\]\n\$ $`},
		{"[dir 1]\n$ ", `^\[dir \d+\]\s\$ $`},
		{"[dir 1]\n$ ", "^\\[dir \\d+\\]\n\\$ $"},
		{"[dir 1]\n$ ", `^\[dir \d+\][\r\n]+\$ $`},
		{"[dir]\n\n\n$ ", `^\[dir\]\n+\$ $`},
		{"ready?\n\n", `^ready\?\n+$`},
	} {
		a := *adapter(t, "regexsh")
		a.Process.Env = map[string]string{"PS1": c.prompt, "ENV": ""}
		a.Process.TTY.Echo, a.Process.TTY.Canonical = false, false
		a.Output.InputEchoStrategy = schema.EchoNone
		a.Prompt.Primary = c.pattern
		s, err := session.Open(deadline(t), &a, session.Options{})
		require.NoError(t, err, c.pattern)
		for _, want := range []string{"", "a\n", "a\n\nb\n"} {
			assert.Equal(t, want, eval(t, s, "printf '"+strings.ReplaceAll(want, "\n", `\n`)+"'").Output, c.pattern)
		}
		assert.NoError(t, s.Close(deadline(t)))
	}
}

// A mode may be recognized by the text before its prompt.
func TestModeIsRecognizedByLineBeforePrompt(t *testing.T) {
	a := *adapter(t, "regexsh")
	a.Process.TTY.Echo, a.Process.TTY.Canonical = false, false
	a.Output.InputEchoStrategy = schema.EchoNone
	a.Modes = []schema.Mode{{Name: "main", Default: true}, {Name: "question", Primary: `(?<=\?)\n\n$`}, {Name: "two", Primary: `^prompt2> $`}}
	s, err := session.Open(deadline(t), &a, session.Options{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, s.Close(deadline(t))) }()
	r := eval(t, s, `echo first; printf 'sure?\n\n'; read answer`)
	assert.Equal(t, "question", r.Mode)
	assert.Equal(t, "first\nsure?", r.Output)
	assert.Equal(t, "main", eval(t, s, "yes").Mode)
	assert.Equal(t, "yes\n", eval(t, s, `echo "$answer"`).Output)
	r = eval(t, s, "PS1='prompt2> '; printf unfinished")
	assert.Equal(t, "unfinished", r.Output)
	assert.Equal(t, "two", r.Mode, "text before a prompt on its line is not part of it")
}

// A program that announces its prompts may still ask for more in silence.
func TestSilenceAsksForMoreWithMarkers(t *testing.T) {
	a := *adapter(t, "regexsh")
	a.Process.Executable = "bash"
	a.Process.CommandTemplate = `"{shell_path}" {script_path}`
	a.Process.TTY.Echo, a.Process.TTY.Canonical = false, false
	a.Init = schema.Init{Strategy: schema.InitShellIntegration, Delivery: schema.DeliverLaunchCommand, Tempfile: &schema.InitTempfile{Extension: ".sh"}}
	a.Prompt = schema.Prompt{
		Strategy: schema.PromptShellIntegration, ShellIntegration: &schema.ShellIntegration{Nonce: "required"},
		Continuation: `\A\z`, ContinuationEscape: "\n",
	}
	a.Output.InputEchoStrategy = schema.EchoOSCBoundaries
	a.Script = `mark() { printf '\e]633;%s;{nonce}\a' "$1"; }
mark A; mark B
while IFS= read -r line; do
  while [[ $line = *\\ ]]; do IFS= read -r more; line=${line%\\}$more; done
  mark C; eval "$line"; mark "D;$?"; mark A; mark B
done`
	s, err := session.Open(deadline(t), &a, session.Options{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, s.Close(deadline(t))) }()
	assert.Equal(t, "ab\n", eval(t, s, "echo a\\\nb").Output)
	_, err = s.Eval(deadline(t), "echo a\\")
	require.ErrorIs(t, err, session.ErrIncompleteInput)
	require.Eventually(t, s.KnowsItsWait, testkit.Patience(10*time.Second), time.Millisecond, "before the next line arrives, the program waits at its prompt")
	assert.Equal(t, "c\n", eval(t, s, "sleep 0.05; echo c").Output)
}

// A program may not answer an empty line at all.
func TestEmptyLineNeedNotBeSent(t *testing.T) {
	a := *adapter(t, "regexsh")
	a.Process.CommandTemplate = `"{shell_path}" -c 'printf "prompt> "; while read -r l; do test -z "$l" || { eval "$l"; printf "prompt> "; }; done'`
	a.Input.EmptyLine = "none"
	s, err := session.Open(deadline(t), &a, session.Options{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, s.Close(deadline(t))) }()
	for _, code := range []string{"", " ", "\n"} {
		assert.Empty(t, eval(t, s, code).Output)
	}
	assert.Equal(t, "a\n", eval(t, s, "echo a").Output)
}

// A line that a line editor would break up is sent in a file.
func TestNonASCIILineIsSentInFile(t *testing.T) {
	a := *adapter(t, "regexsh")
	a.Input.LineCharset = "ascii"
	a.Input.Tempfile = &schema.InputTempfile{Prefix: "block-", InvocationTemplate: ". '{path}'"}
	var sent strings.Builder
	s, err := session.Open(deadline(t), &a, session.Options{Observer: session.ObserverFunc(func(e session.Event) {
		if e.Kind == session.EventWrite {
			sent.Write(e.Data)
		}
	})})
	require.NoError(t, err)
	assert.Equal(t, "grüße\n", eval(t, s, "echo grüße").Output)
	assert.Equal(t, "plain\n", eval(t, s, "echo plain").Output)
	require.NoError(t, s.Close(deadline(t)))
	assert.NotContains(t, sent.String(), "grüße")
	assert.Contains(t, sent.String(), "echo plain\n")

	a.Input.Tempfile = nil
	s, err = session.Open(deadline(t), &a, session.Options{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, s.Close(deadline(t))) }()
	_, err = s.Eval(deadline(t), "echo grüße")
	assert.ErrorContains(t, err, "the character at byte 8 is not ASCII, and the program reads only ASCII on a line (input.line_charset), and the adapter has no input.tempfile")
}

// A caller's text is shown at the start, in the adapter's way.
func TestBanner(t *testing.T) {
	for mode, want := range map[string]string{
		"write_before_pty":    "Welcome, Ann\r\nfor: an audit\r\n",
		"prepend_to_tempfile": "<Welcome, Ann>\r\n",
		"none":                "",
	} {
		a := *adapter(t, "bash")
		a.Init.BannerInjection = &schema.BannerInjection{Mode: mode, ReasonTemplate: "for: {reason}"}
		if mode == "prepend_to_tempfile" {
			a.Init.BannerInjection.BannerTemplate, a.Init.BannerInjection.ReasonTemplate = "echo '<{banner}>'", ""
		}
		var read strings.Builder
		s, err := session.Open(deadline(t), &a, session.Options{
			Env: []string{"HOME=" + t.TempDir()}, Banner: "Welcome, Ann", Reason: "an audit",
			Observer: session.ObserverFunc(func(e session.Event) {
				if e.Kind == session.EventRead {
					read.Write(e.Data)
				}
			}),
		})
		require.NoError(t, err)
		require.NoError(t, s.Close(deadline(t)))
		shown, _, _ := strings.Cut(read.String(), "\x1b")
		assert.Equal(t, want, shown, mode)
	}
}

// For a patient session only the context bounds the time to the first prompt.
func TestPatience(t *testing.T) {
	session.ShortenStuckGap(t)
	a := *adapter(t, "regexsh")
	a.Prompt.Primary = `^another> $`
	ctx, cancel := context.WithTimeout(deadline(t), 500*time.Millisecond)
	defer cancel()
	questions := 0
	_, err := session.Open(ctx, &a, session.Options{Attended: true, OnQuestion: func() { questions++ }})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Equal(t, 1, questions)
	_, err = session.Open(deadline(t), &a, session.Options{})
	require.Error(t, err)
	assert.NotErrorIs(t, err, context.DeadlineExceeded)
}

func TestCwdIsReported(t *testing.T) {
	s := open(t, "bash", session.Options{Dir: "/"})
	dir := filepath.Join(t.TempDir(), "a b;c\\d ü")
	require.NoError(t, os.Mkdir(dir, 0o755))
	r := eval(t, s, "cd '"+dir+"'")
	assert.Equal(t, dir, r.Cwd)
	assert.True(t, r.CwdReported)
	assert.Equal(t, dir, s.State().Cwd)
}

// In a program known only by a prompt pattern, a command ends at the prompt while the kernel
// reports that the program waits for input.
func TestPromptPatternIsConfirmedByKernel(t *testing.T) {
	s := open(t, "regexsh", session.Options{})
	r := eval(t, s, `printf 'prompt> '; sleep 0.2; echo done`)
	assert.Equal(t, "prompt> done\n", r.Output)
	assert.Equal(t, session.ByPrompt, r.CompletedBy)
	assert.Equal(t, "prompt> ", eval(t, s, "printf 'prompt> '").Output)
	assert.Equal(t, "a\n", eval(t, s, "echo a").Output)
	assert.Equal(t, "3\nx\n", eval(t, s, "echo 3\necho x").Output, "lines sent at once: the last prompt counts")
	_, err := s.Eval(deadline(t), "if true")
	require.ErrorIs(t, err, session.ErrIncompleteInput)
	assert.Equal(t, "ok\n", eval(t, s, "echo ok").Output)
}

// A program that is seen to wait at its prompt is busy when it sleeps in any other call, although
// the kernel's answer is ambiguous then.
func TestProgramThatWaitsVisiblyIsBusyOtherwise(t *testing.T) {
	t.Parallel()
	for name, wait := range map[string]string{
		"in a read": "",
		"in a poll": `$in = q(); vec($in, 0, 1) = 1; select($in, undef, undef, undef);`,
	} {
		t.Run(name, func(t *testing.T) {
			a := adapter(t, "regexsh")
			a.Process.Executable = "perl"
			a.Process.CommandTemplate = `"{shell_path}" -e '$| = 1; while (1) { print "prompt> "; ` + wait + ` $_ = <STDIN> // last; eval }'`
			s, err := session.Open(deadline(t), a, session.Options{})
			require.NoError(t, err)
			t.Cleanup(func() { _ = s.Close(deadline(t)) })
			r := eval(t, s, `print "a\n"; print "prompt> "; select(undef, undef, undef, 0.3); print "done\n"`)
			assert.Equal(t, "a\nprompt> done\n", r.Output)
			assert.Equal(t, session.ByPrompt, r.CompletedBy)
		})
	}
}

// If markers announce the main prompt, a mode's prompt is recognized by a pattern: printing it is
// not waiting at it.
func TestPromptOfModeIsConfirmedByKernel(t *testing.T) {
	t.Parallel()
	s := open(t, "python", session.Options{})
	r := eval(t, s, `import time; print("(Pdb) ", end="", flush=True); time.sleep(0.3); print("done")`)
	assert.Equal(t, "(Pdb) done\n", r.Output)
	assert.Equal(t, session.ByMarker, r.CompletedBy)
	assert.Equal(t, "main", r.Mode)
	assert.Equal(t, "pdb", eval(t, s, "import pdb; pdb.set_trace()").Mode)
	assert.Equal(t, "main", eval(t, s, "continue").Mode)
}

// The groups are those of the primary prompt, however its end was recognized.
func TestGroupsOfThePromptAreReported(t *testing.T) {
	for name, primary := range map[string]string{"regexsh": `^(pro)mpt> $`, "bash": `^(.)[$#] $`} {
		t.Run(name, func(t *testing.T) {
			a := adapter(t, name)
			a.Prompt.Primary = primary
			a.Prompt.GroupCaptures = []schema.GroupCapture{{Name: "start", Group: 1}}
			s, err := session.Open(deadline(t), a, session.Options{Env: []string{"HOME=" + t.TempDir()}})
			require.NoError(t, err)
			t.Cleanup(func() { _ = s.Close(deadline(t)) })
			if name == "bash" {
				require.Empty(t, eval(t, s, "true").Captures["start"], "another prompt")
				assert.Equal(t, map[string]any{"start": "7"}, eval(t, s, `PS1='7$ '`).Captures)
				return
			}
			assert.Equal(t, map[string]any{"start": "pro"}, eval(t, s, "true").Captures)
		})
	}
}

// A literal marker with the nonce, injected through the PTY.
func TestLiteralMarkerInjected(t *testing.T) {
	s := open(t, "markersh", session.Options{})
	assert.Equal(t, "hello\n", eval(t, s, "echo hello").Output)
	assert.Equal(t, "MARK:0000> no\n", eval(t, s, "echo 'MARK:0000> no'").Output)
	assert.Equal(t, session.ByMarker, eval(t, s, "true").CompletedBy)
	assert.Equal(t, "a\nb\n", eval(t, s, "for x in a b\ndo echo $x\ndone").Output, "line by line over continuation prompts")
}

// The short nonce is sufficient too: its marker confirms a prompt without the kernel's help.
func TestLiteralMarkerWithTheShortNonce(t *testing.T) {
	a := adapter(t, "markersh")
	a.Init.Marker.Primary = "M:{nonce_short}> "
	s, err := session.Open(deadline(t), a, session.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close(deadline(t)) })
	r := eval(t, s, "echo 'M:0000000000000000> '")
	assert.Equal(t, "M:0000000000000000> \n", r.Output)
	assert.Equal(t, session.ByMarker, r.CompletedBy)
}

// If markers announce the prompt, a continuation prompt without one is recognized by its pattern.
func TestContinuationPromptWithoutAMarker(t *testing.T) {
	t.Parallel()
	a := adapter(t, "bash")
	a.Prompt.Continuation = "^rest> $"
	s, err := session.Open(deadline(t), a, session.Options{Env: []string{"HOME=" + t.TempDir()}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close(deadline(t)) })
	eval(t, s, "PROMPT_COMMAND=(\"${PROMPT_COMMAND[@]}\" \"PS2='rest> '\")")
	for range 10 {
		_, err = s.Eval(deadline(t), "for x in a b")
		require.ErrorIs(t, err, session.ErrIncompleteInput)
		assert.Equal(t, "usable\n", eval(t, s, "echo usable").Output)
	}
	assert.Equal(t, "rest> \nno\n", eval(t, s, "echo 'rest> '; echo no").Output)
}

// A byte that the terminal would treat as a key is sent in a file, in a block as in a line.
func TestUntypableBlockIsSentInFile(t *testing.T) {
	a := adapter(t, "regexsh")
	s, err := session.Open(deadline(t), a, session.Options{})
	require.NoError(t, err)
	_, err = s.Eval(deadline(t), "echo a\nprintf 'b\x01c'")
	require.ErrorContains(t, err, "line 2: byte 0x01 at column 10 would be taken as a key")
	require.NoError(t, s.Close(deadline(t)))
	a.Input.Tempfile = &schema.InputTempfile{InvocationTemplate: ". '{path}'"}
	s, err = session.Open(deadline(t), a, session.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close(deadline(t)) })
	assert.Equal(t, "a\nb\x01c", eval(t, s, "echo a\nprintf 'b\x01c'").Output)
}

// In a program without prompts each command is followed by one that prints the marker.
func TestWrapperThatPrintsTheMarker(t *testing.T) {
	a := adapter(t, "markersh")
	a.Script = "PS1=; PS2=; printf '{marker}'"
	a.Init.Marker = &schema.Marker{Primary: "END:{nonce}"}
	a.Input.MultilineDelivery = schema.DeliverWrapper
	a.Input.MultilineWrapper = &schema.MultilineWrapper{Open: "x=1\n:", Close: ":\nprintf '{marker}'", Trigger: "always"}
	a.Process.TTY.Echo, a.Output.InputEchoStrategy = false, schema.EchoNone
	s, err := session.Open(deadline(t), a, session.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close(deadline(t)) })
	for range 20 {
		r := eval(t, s, "echo $x")
		assert.Equal(t, "1\n", r.Output)
		assert.Equal(t, session.ByMarker, r.CompletedBy)
	}
	assert.Equal(t, "a\nb\n", eval(t, s, "echo a\necho b").Output)
	assert.Empty(t, eval(t, s, "").Output)
}

// A line of the block that would end its wrapper early is refused: the following lines would run as
// separate commands, and each result would be attributed to the next command.
func TestBlockThatEndsItsWrapperIsNotSent(t *testing.T) {
	for _, c := range []struct{ name, end, code, line string }{
		{"the whole close", "}", "echo a\n}\n{ echo b", `line 2 ("}")`},
		{"between blanks", "}", "echo a\n\necho b\n } \n{ echo c", `line 4 (" } ")`},
		{"the first line of a longer close", "}\ntrue", "}\n{ echo a", `line 1 ("}")`},
		{"not a part of a line", "}", "echo '}'\necho }", ""},
		{"not the second line of a longer close", "}\ntrue", "echo a\ntrue", ""},
		{"not an empty line", "\n}", "echo a\n\necho b", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := adapter(t, "markersh")
			a.Input.MultilineDelivery = schema.DeliverWrapper
			a.Input.MultilineWrapper = &schema.MultilineWrapper{Open: "{", Close: c.end}
			s, err := session.Open(deadline(t), a, session.Options{})
			require.NoError(t, err)
			t.Cleanup(func() { _ = s.Close(deadline(t)) })
			_, err = s.Eval(deadline(t), c.code)
			if c.line == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, "input not sent: "+c.line)
				require.ErrorContains(t, err, "input.multiline_wrapper.close")
			}
			assert.Equal(t, "usable\n", eval(t, s, "echo usable").Output)
		})
	}
}

// Adapters of v1 have a tempfile without the line that runs it: a block is typed then, and text
// that cannot be typed is refused and not sent as an empty line.
func TestTempfileWithoutInvocation(t *testing.T) {
	a := adapter(t, "markersh")
	a.Input.MultilineDelivery = schema.DeliverTempfile
	a.Input.Tempfile = &schema.InputTempfile{Prefix: ".v1-", Extension: ".sh"}
	s, err := session.Open(deadline(t), a, session.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close(deadline(t)) })
	assert.Equal(t, "a\nb\n", eval(t, s, "for x in a b; do\n  echo $x\ndone").Output)
	_, err = s.Eval(deadline(t), "echo \x01")
	require.ErrorContains(t, err, "input not sent: ")
	require.ErrorContains(t, err, "no input.tempfile.invocation_template to deliver it by")
	assert.Equal(t, "usable\n", eval(t, s, "echo usable").Output)
}

func TestErrorsAreTyped(t *testing.T) {
	_, err := session.Open(deadline(t), adapter(t, "bash"), session.Options{Executable: "no-such-shell"})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "no-such-shell")
	s := open(t, "bash", session.Options{})
	assert.ErrorIs(t, s.Send(deadline(t), []byte("x")), session.ErrIdle)
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = s.Eval(canceled, "sleep 1000")
	assert.True(t, errors.Is(err, session.ErrTimeout) || errors.Is(err, context.Canceled))
}

// Much work in a few bytes: the deadline holds, the session is usable, and the output so far is
// available.
func TestExpensiveSequencesDoNotBlock(t *testing.T) {
	s := open(t, "bash", session.Options{})
	for _, final := range "b@PXSTLMIZ" {
		r := eval(t, s, fmt.Sprintf(`printf 'ab\e[2;1Hcd\e[999999999%cend\n'`, final))
		assert.Contains(t, strings.ReplaceAll(r.Output, "\n", ""), "end", "%c", final)
	}
	r := timeout(t, s, `printf '\e[2;2H'; while :; do printf 'x\e[999999999@'; done`, 500*time.Millisecond)
	assert.Equal(t, session.ByTimeout, r.CompletedBy)
	_, err := s.Interrupt(deadline(t))
	require.NoError(t, err)
	assert.Equal(t, "here\n", eval(t, s, "echo here").Output)
}

// Text after a continuation prompt at which the program did not wait is output.
func TestTextAfterAContinuationPromptIsOutput(t *testing.T) {
	s := open(t, "moresh", session.Options{})
	for _, code := range []string{"F", "G", "A"} {
		assert.Equal(t, "text\n", eval(t, s, code).Output, code)
	}
}

// The same with literal markers, with a nonce and without.
func TestTextAfterALiteralContinuationPromptIsOutput(t *testing.T) {
	t.Parallel()
	for _, m := range []schema.Marker{
		{Primary: "MARK:{nonce}> ", Continuation: "MORE:{nonce}> "},
		{Primary: "mark> ", Continuation: "more> "},
	} {
		a := *adapter(t, "markersh")
		a.Process.CommandTemplate = `"{shell_path}" {script_path}`
		a.Process.TTY.Echo, a.Output.InputEchoStrategy = false, schema.EchoNone
		a.Init = schema.Init{Strategy: schema.InitMarker, Delivery: schema.DeliverLaunchCommand, Marker: &m, Tempfile: &schema.InitTempfile{Extension: ".sh"}}
		a.Script = `printf '{marker}'
while IFS= read -r line; do case $line in
F) printf '{marker_continuation}text\n' ;;
late) printf '{marker_continuation}'; sleep 0.2; printf 'text\n' ;;
both) printf '{marker_continuation}text\n{marker_continuation}text\n' ;;
more) printf '{marker_continuation}'; IFS= read -r line || exit ;;
*) eval "$line" ;;
esac; printf '{marker}'; done`
		a.Prompt.ContinuationEscape = "\n"
		t.Run(m.Primary, func(t *testing.T) {
			s, err := session.Open(deadline(t), &a, session.Options{})
			require.NoError(t, err)
			defer func() { assert.NoError(t, s.Close(deadline(t))) }()
			for range 3 {
				for code, want := range map[string]string{"F": "text\n", "late": "text\n", "both": "text\ntext\n", "echo a": "a\n"} {
					r := eval(t, s, code)
					assert.Equal(t, want, withoutMarkers(r.Output), code)
				}
			}
			_, err = s.Eval(deadline(t), "more")
			require.ErrorIs(t, err, session.ErrIncompleteInput)
		})
	}
}

// withoutMarkers removes continuation prompts of a program that prints them like any other text.
func withoutMarkers(output string) string { return strings.ReplaceAll(output, "more> ", "") }

// Escape sequences that code prints are its output, in a REPL as in a shell; the REPL's own output
// has none.
func TestSequencesThatCodePrints(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, code, fails string }{
		{"bash", `printf '\e[31mred\e[m\n'`, "nonexistent-command-x"},
		{"python", `print("\x1b[31mred\x1b[m")`, "1/0"},
		{"node", `console.log("\x1b[31mred\x1b[m")`, "null.x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, tt.name, session.Options{})
			assert.Contains(t, eval(t, s, tt.code).Output, "\x1b[31mred\x1b[m\n")
			r := eval(t, s, tt.fails)
			assert.True(t, r.Failed)
			assert.NotContains(t, r.Output, "\x1b")
		})
	}
}

// A line that is wider than the terminal is one line, also after the cursor was addressed; tabs are
// preserved, and so is the last line end.
func TestLinesStayLinesAfterTheCursorWasAddressed(t *testing.T) {
	s := open(t, "bash", session.Options{})
	long := strings.Repeat("0", 299) + "1\n"
	assert.Equal(t, long+"a\tb\n", eval(t, s, `printf '\e7\e8%0300d\na\tb\n' 1`).Output)
	assert.Equal(t, long, eval(t, s, `printf 'x\e[2;1H\e[H%0300d\n' 1`).Output)
}

// An unfinished line is output as soon as a caller learns that the program waits at its end.
func TestOutputPrecedesWaitState(t *testing.T) {
	var mu sync.Mutex
	var printed []byte
	s := open(t, "bash", session.Options{Window: -1, Output: func(b []byte) {
		for range 10_000 { // the receiver is slow
			runtime.Gosched()
		}
		mu.Lock()
		defer mu.Unlock()
		printed = append(printed, b...)
	}})
	for range 20 {
		done := make(chan error, 1)
		go func() {
			_, err := s.Eval(deadline(t), `read -p 'go on? ' x`)
			done <- err
		}()
		_, err := s.WaitState(deadline(t), func(st session.State) bool { return st.NeedsInput })
		require.NoError(t, err)
		mu.Lock()
		require.Equal(t, "go on? ", string(printed))
		printed = nil
		mu.Unlock()
		require.NoError(t, s.Send(t.Context(), []byte("y\n")))
		require.NoError(t, <-done)
		printed = nil
	}
}

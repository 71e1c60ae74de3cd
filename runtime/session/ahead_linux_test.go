//go:build linux

package session_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/session"
)

// runs enters a command of a user, and returns when it has run for longer than a second and sleeps in a read of
// the named pipe that it gets in place of FIFO. end ends that read.
func (p *typist) runs(code string) (end func()) {
	p.t.Helper()
	fifo := filepath.Join(p.t.TempDir(), "fifo")
	require.NoError(p.t, unix.Mkfifo(fifo, 0o600))
	p.takes(1)
	require.NoError(p.t, p.Enter(1, []byte(strings.ReplaceAll(code, "FIFO", fifo)+"\r")))
	p.shows("is la" + "te")
	f, err := os.OpenFile(fifo, os.O_WRONLY, 0) // returns when the program has opened it
	require.NoError(p.t, err)
	p.t.Cleanup(func() { _ = f.Close() }) // the test may have closed it
	require.Eventually(p.t, func() bool { return sleepsIn(fifo) }, testkit.Patience(30*time.Second), time.Millisecond)
	return func() { require.NoError(p.t, f.Close()) }
}

// sleepsIn reports whether another process that has a file open sleeps.
func sleepsIn(file string) bool {
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*") // the pattern is valid
	for _, link := range links {
		pid := strings.Split(link, "/")[2]
		if to, _ := os.Readlink(link); to != file || pid == strconv.Itoa(os.Getpid()) { // "": it has ended, or closed the file
			continue
		}
		if stat, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil && bytes.Contains(stat, []byte(") S ")) {
			return true
		}
	}
	return false
}

// Keys that a user types while a command of a user runs that does not read are held, however long it runs, and
// are edited at the next prompt, in order.
func TestKeysAheadOfThePromptAreEdited(t *testing.T) {
	const shell = `sleep 1.2; echo "is la""te"; cat FIFO`
	for name, code := range map[string]string{
		"bash": shell, "zsh": shell, "fish": shell,
		"python": "import time; time.sleep(1.2); print('is la' 'te'); open('FIFO').read() and None",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := atTerminal(t, name, session.Options{})
			end := p.runs(code)
			for _, key := range "echo 漢" {
				require.NoError(t, p.TypeDraft(1, []byte(string(key))))
			}
			assert.Equal(t, map[int]int{1: len("echo 漢")}, p.State().Held)
			require.NoError(t, p.TypeDraft(1, []byte(" two\rnext")))
			end()
			d := p.ran(1)
			require.NoError(t, d.err)
			assert.True(t, strings.HasPrefix(d.output, "is late\n"), d.output)
			assert.NotContains(t, d.output, "echo", "a terminal would have echoed keys that it was given")
			assert.Equal(t, "echo 漢 two\rnext", p.takes(1))
		})
	}
}

// jobs is a shell that runs many short jobs, each with a new process group in the foreground and in the terminal's usual modes,
// and is in its own modes before and after each.
const jobs = `
import os, signal, termios, tty
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
usual = termios.tcgetattr(0)
print('is la' 'te', flush=True)
for _ in range(JOBS):
    tty.setcbreak(0, termios.TCSANOW)
    termios.tcsetattr(0, termios.TCSANOW, usual)
    r, w = os.pipe()
    job = os.fork()
    if job == 0:
        os.close(w)
        os.read(r, 1)
        os._exit(0)
    os.setpgid(job, job)
    os.tcsetpgrp(0, job)
    os.close(w)
    os.close(r)
    os.waitpid(job, 0)
    os.tcsetpgrp(0, os.getpgrp())
    tty.setcbreak(0, termios.TCSANOW)
    for _ in range(10000): pass
termios.tcsetattr(0, termios.TCSANOW, usual)
`

// The modes that a shell sets for itself between its jobs are not those of a job: keys remain held.
func TestKeysAheadAreNotGivenBetweenJobs(t *testing.T) {
	n := testkit.Fewer(t, 30, testkit.Times(t, 50, 300))
	file := filepath.Join(t.TempDir(), "jobs.py")
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(jobs, "JOBS", strconv.Itoa(n))), 0o600))
	p := atTerminal(t, "python", session.Options{})
	p.takes(1)
	require.NoError(t, p.Enter(1, fmt.Appendf(nil, "exec(open(%q).read())\r", file)))
	p.shows("is la" + "te")
	keys := strings.Repeat("next", 2*n)
	for i := range len(keys) { // with each key the session checks whether the command reads
		require.NoError(t, p.TypeDraft(1, []byte{keys[i]}))
	}
	require.NoError(t, p.ran(1).err)
	assert.Equal(t, keys, p.takes(1))
}

// A secret that is typed before the command asks for it is not echoed.
func TestASecretAheadIsNotEchoed(t *testing.T) {
	p := atTerminal(t, "bash", session.Options{})
	end := p.runs(`sleep 1.2; echo "is la""te"; cat FIFO; read -rsp 'PW? ' x; echo "it has ${#x}"`)
	require.NoError(t, p.TypeDraft(1, []byte("typedahead\r")))
	end()
	assert.Equal(t, "is late\nPW? it has 10\n", p.ran(1).output)
	p.readMu.Lock()
	defer p.readMu.Unlock()
	assert.NotContains(t, string(p.read), "typedahead")
}

// Ctrl-C acts at once while keys are held, and discards them.
func TestCtrlCPassesHeldKeys(t *testing.T) {
	p := atTerminal(t, "bash", session.Options{})
	_ = p.runs(`sleep 1.2; echo "is la""te"; cat FIFO`)
	require.NoError(t, p.TypeDraft(1, []byte("never\r\x03")))
	assert.Equal(t, 130, *p.ran(1).result.ExitCode)
	assert.Empty(t, p.takes(1))
}

// The beginning of a line that a command was given, but has not read at its end, is edited at the next prompt, together with the
// rest. Text that was typed without an echo is not.
func TestHalfOfALineIsEditedAtTheNextPrompt(t *testing.T) {
	for name, tt := range map[string]struct{ options, next string }{"echo": {"-rt", "halfrest"}, "secret": {"-rst", "rest"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := atTerminal(t, "bash", session.Options{})
			p.takes(1)
			require.NoError(t, p.Enter(1, []byte("read "+tt.options+" "+seconds+" x; echo \"[$x]\"\r")))
			p.is(func(st session.State) bool { return st.Waiting != session.WaitingNone })
			require.NoError(t, p.TypeDraft(1, []byte("half")))
			assert.Empty(t, p.State().Held, "the command has been given it")
			assert.Contains(t, p.ran(1).output, "[")
			require.NoError(t, p.TypeDraft(1, []byte("rest")))
			var line string
			require.Eventually(t, func() bool { line += string(p.Prompt(1).Keys); return len(line) >= len(tt.next) }, testkit.Patience(30*time.Second), time.Millisecond)
			assert.Equal(t, tt.next, line)
		})
	}
}

// The beginning of a line that a command was given and has read in raw mode is not edited at the next prompt, too: each key is
// delivered once, wherever the input is cut.
func TestHalfOfALineIsDeliveredOnce(t *testing.T) {
	const keys = "abcd"
	perProgram := testkit.Times(t, 1, len(keys)+1)
	for i, tt := range []struct{ name, adapter, code, output string }{
		{"bash", "bash", `read -t ` + seconds + ` x; echo "is ra""w"; read -n 4 y; echo "[$x][$y]"`, "[][abcd]\n"},
		{"bash ends", "bash", `read -t ` + seconds + ` x; echo "is ra""w"; read -t 1 -n 6 y; echo "[$x][$y]"`, "[][abcd]\n"},
		{"zsh", "zsh", `read -t ` + seconds + ` x; echo "is ra""w"; read -k 4 y; echo "[$x][$y]"`, "[][abcd]\n"},
		{"child", "bash", `read -t ` + seconds + ` x; echo "is ra""w"; stty -icanon; y=$(head -c 4); stty icanon; echo "[$x][$y]"`, "[][abcd]\n"},
		{"python", "python", `import os, select, termios, tty; _ = select.select([0], [], [], ` + seconds + `); old = termios.tcgetattr(0); tty.setcbreak(0, termios.TCSANOW); print('is ra' 'w', flush=True); ` +
			`y = b''.join(os.read(0, 1) for _ in range(4)); termios.tcsetattr(0, termios.TCSANOW, old); print([y])`, "[b'abcd']\n"},
	} {
		for k := range perProgram {
			cut := (i + 2*k) % (len(keys) + 1) // each cut, also with one for each program
			t.Run(fmt.Sprint(tt.name, cut), func(t *testing.T) {
				t.Parallel()
				p := atTerminal(t, tt.adapter, session.Options{})
				p.takes(1)
				require.NoError(t, p.Enter(1, []byte(tt.code+"\r")))
				p.is(func(st session.State) bool { return st.Waiting != session.WaitingNone })
				require.NoError(t, p.TypeDraft(1, []byte(keys[:cut])))
				p.shows("is raw")
				require.NoError(t, p.TypeDraft(1, []byte(keys[cut:])))
				assert.True(t, strings.HasSuffix(p.ran(1).output, tt.output), "%q", p.ran(1).output)
				assert.Empty(t, p.takes(1))
			})
		}
	}
}

// A program in raw mode is given no more keys than it reads at once: those that it has not read at its end are edited at the next
// prompt, wherever the input is cut. A key of several bytes is not cut.
func TestKeysThatACommandHasNotReadAreEdited(t *testing.T) {
	const raw = `import os, termios; old = termios.tcgetattr(0); now = termios.tcgetattr(0); now[3] &= ~termios.ICANON; termios.tcsetattr(0, termios.TCSANOW, now); ` +
		`y = os.read(0, 2); termios.tcsetattr(0, termios.TCSANOW, old); print(y)`
	rests := []string{"", "x", "echo", "漢", "echo 漢\r", "echo 漢\rnext"}
	perProgram := testkit.Fewer(t, 1, testkit.Times(t, 2, len(rests)))
	for i, tt := range []struct{ adapter, code string }{
		{"bash", `read -n 2 x; echo "$x"`},
		{"zsh", `read -k 2 x; echo "$x"`},
		{"python", raw},
	} {
		for k := range perProgram {
			rest := rests[(2*i+k)%len(rests)] // two for each program are all
			t.Run(fmt.Sprintf("%s %q", tt.adapter, rest), func(t *testing.T) {
				t.Parallel()
				p := atTerminal(t, tt.adapter, session.Options{})
				p.takes(1)
				require.NoError(t, p.Enter(1, []byte(tt.code+"\r")))
				p.is(func(st session.State) bool { return st.Waiting != session.WaitingNone })
				require.NoError(t, p.TypeDraft(1, []byte("ab"+rest)))
				assert.Contains(t, p.ran(1).output, "ab")
				assert.Equal(t, rest, p.takes(1))
			})
		}
	}
}

// seconds is how long a command waits for a line: long enough to type a key.
const seconds = "3"

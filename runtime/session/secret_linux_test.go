//go:build linux

package session_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.org/ripple/runtime/session"
)

// asksSecret is a program that writes its process ID to FILE and asks for a secret. When SIGTERM ends it, it switches the echo on again,
// as a program does whose question has timed out.
const asksSecret = `bash -c 'echo $$ >FILE; read -r -s x; echo "got [$x]"'`

// asks runs code that contains asksSecret until it asks. end ends the question.
func (p *typist) asks(code string) (end func(syscall.Signal), result <-chan session.Result) {
	p.t.Helper()
	file := strings.TrimPrefix(code, "bash ") + ".pid"
	if !fileExists(strings.TrimSuffix(file, ".pid")) { // it is not a script
		file = filepath.Join(p.t.TempDir(), "pid")
	}
	done := make(chan session.Result, 1)
	go func() {
		r, err := p.Eval(deadline(p.t), strings.ReplaceAll(code, "FILE", file))
		assert.NoError(p.t, err)
		done <- r
	}()
	p.is(func(st session.State) bool { return st.Waiting == session.WaitingSecret })
	return func(sig syscall.Signal) {
		p.t.Helper()
		text, err := os.ReadFile(file)
		require.NoError(p.t, err)
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		require.NoError(p.t, err)
		require.NoError(p.t, syscall.Kill(pid, sig))
	}, done
}

// The part of a secret that a user has typed when the question ends by itself is dropped, also in programs whose own line editor
// would read it at the prompt.
func TestSecretThatNobodyReadIsDropped(t *testing.T) {
	inNode := "try { child_process.execSync(`" + strings.ReplaceAll(asksSecret, "$x", "\\$x") + "`, {stdio: 'inherit'}) } catch {}"
	for name, tt := range map[string]struct {
		adapter, code string
		end           syscall.Signal
		next, output  string
	}{
		"fish":        {"fish", asksSecret, syscall.SIGTERM, "echo ok", "ok\n"},
		"fish killed": {"fish", asksSecret, syscall.SIGKILL, "echo ok", "ok\n"}, // with the echo off
		"busybox":     {"busybox", asksSecret, syscall.SIGTERM, "echo ok", "ok\n"},
		"ksh93":       {"ksh93", asksSecret, syscall.SIGTERM, "echo ok", "ok\n"},
		"nu":          {"nu", asksSecret, syscall.SIGTERM, "echo ok", "ok\n"},
		"node":        {"node", inNode, syscall.SIGTERM, "6*7", "42\n"},
		"bash":        {"bash", asksSecret, syscall.SIGTERM, "echo ok", "ok\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := atTerminal(t, tt.adapter, session.Options{})
			end, result := p.asks(tt.code)
			for _, key := range "hunter" {
				require.NoError(t, p.TypeDraft(1, []byte(string(key))))
			}
			assert.Empty(t, p.State().Held, "nobody sees how long it is")
			end(tt.end)
			r := <-result
			assert.NotContains(t, r.Output+r.OutOfBand, "hunter")
			p.is(ready)
			r = eval(t, p.Session, tt.next)
			assert.Equal(t, tt.output, r.Output)
			assert.NotContains(t, r.OutOfBand+p.displayed(), "hunter")
		})
	}
}

// displayed returns all that the program has displayed.
func (p *typist) displayed() string {
	p.readMu.Lock()
	defer p.readMu.Unlock()
	return string(p.read)
}

// A command that asks for a secret gets it whole: with the effects of the keys that erase, and without what a signal has
// discarded.
func TestSecretIsGivenAsALine(t *testing.T) {
	const two = `echo $$ >FILE; read -r -s x; read -r -s y; echo "got [$x] [$y]"`
	for name, tt := range map[string]struct{ script, keys, output string }{
		"erased":              {`echo $$ >FILE; read -r -s x; echo "got [$x]"`, "hunx\x7fter2\r", "got [hunter2]"},
		"killed":              {`echo $$ >FILE; read -r -s x; echo "got [$x]"`, "wrong\x15hunter2\r", "got [hunter2]"},
		"end of input":        {`stty -echo; head -c 7; stty echo`, "hunter2\x04", "hunter2"},
		"two lines":           {two, "one\rtwo\r", "got [one] [two]"},
		"interrupt":           {asksTwice, "wrong\x03", "got [right]"},
		"a key for interrupt": {"stty intr ^X\n" + asksTwice, "wrong\x18", "got [right]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := atTerminal(t, "fish", session.Options{})
			_, result := p.asks("bash " + p.script(tt.script))
			require.NoError(t, p.Type(1, []byte(tt.keys)))
			if strings.Contains(tt.script, asksTwice) {
				p.shows("again")
				p.is(func(st session.State) bool { return st.Waiting == session.WaitingSecret })
				p.types("right\r")
			}
			assert.Contains(t, (<-result).Output, tt.output)
			p.is(ready)
			assert.Equal(t, "ok\n", eval(t, p.Session, "echo ok").Output)
			assert.NotContains(t, p.displayed(), "wrong")
		})
	}
}

// asksTwice asks for a secret in a program of its own, and asks again when a signal has ended that program.
const asksTwice = `trap : INT; bash -c 'echo $$ >FILE; read -r -s x'; echo again; read -r -s x; echo "got [$x]"`

// script writes a file with shell code and returns its path.
func (p *typist) script(code string) string {
	p.t.Helper()
	path := filepath.Join(p.t.TempDir(), "script")
	require.NoError(p.t, os.WriteFile(path, []byte(strings.ReplaceAll(code, "FILE", path+".pid")), 0o600))
	return path
}

// The beginning of a secret answers no other question. If that is for a secret, too, or its answer is edited by the terminal, what the
// user types is dropped up to the end of the line; a program that reads keys gets what is typed when it does.
func TestSecretForAnotherQuestion(t *testing.T) {
	const next = `read -r x; echo "got [$x]"`
	for name, tt := range map[string]struct {
		then, waits, typed, output string
		late                       []int
	}{
		"secret":         {"echo again; read -r -s x; echo \"got [$x]\"", "again", "cond\rright\r", "got [right]", []int{1}},
		"shown":          {"echo again; " + next, "again", "cond\rright\r", "got [right]", []int{1}},
		"shown and none": {"echo again; " + next, "again", "\rright\r", "got [right]", []int{1}},
		"keys":           {"echo again; read -r -n 1 x; echo \"got [$x]\"", "again", "y", "got [y]", nil},
	} {
		for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
			t.Run(name+" "+sig.String(), func(t *testing.T) {
				t.Parallel()
				p := atTerminal(t, "fish", session.Options{})
				end, result := p.asks("bash " + p.script(asksSecret+"; stty "+map[bool]string{true: "-echo", false: "echo"}[name == "secret"]+"; "+tt.then))
				p.types("se")
				end(sig)
				p.shows(tt.waits)
				p.is(func(st session.State) bool {
					return (st.Waiting == session.WaitingSecret || st.Waiting == session.WaitingInput) && slices.Equal(st.LateSecrets, tt.late)
				})
				p.types(tt.typed)
				assert.Contains(t, (<-result).Output, tt.output)
				assert.NotContains(t, p.displayed(), "se"+"cond")
				p.is(func(st session.State) bool { return st.LateSecrets == nil })
			})
		}
	}
}

// A program may ask for another secret at once, and switch the terminal's echo on only for a moment between the two. While other
// programs print something, or the terminal gets another size, it is still the same question.
func TestSecretForTheNextQuestion(t *testing.T) {
	p := atTerminal(t, "bash", session.Options{})
	fifo := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, unix.Mkfifo(fifo, 0o600))
	end, result := p.asks(`cat ` + fifo + ` & python3 -c '
import getpass, os, signal
def end(*_): raise TimeoutError
signal.signal(signal.SIGTERM, end)
open("FILE", "w").write(str(os.getpid()))
try: getpass.getpass("One: ")
except TimeoutError: pass
print("got", getpass.getpass("Two: "), getpass.getpass("Three: "))'`)
	p.types("first")
	end(syscall.SIGTERM)
	p.shows("Two: ")
	p.is(func(st session.State) bool { return st.Waiting == session.WaitingSecret && st.LateSecrets != nil })
	p.types("rest\rsec")
	p.is(func(st session.State) bool { return st.LateSecrets == nil })
	f, err := os.OpenFile(fifo, os.O_WRONLY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() }) // a program reads it
	_, err = f.WriteString("printed by another program\n")
	require.NoError(t, err)
	p.shows("printed by another program")
	require.NoError(t, p.Resize(90, 30))
	p.types("ond\r")
	p.shows("Three: ")
	p.types("third\r")
	assert.Contains(t, (<-result).Output, "got second third")
}

// A secret that a user has begun, or begun and erased, does not delay the line of another user, and answers no other question.
func TestSecretsOfTwoUsers(t *testing.T) {
	for name, tt := range map[string]struct{ adapter, begun string }{
		"begun":         {"bash", "mi"},
		"begun in fish": {"fish", "mi"},
		"erased":        {"bash", "m\x7f"},
		"killed":        {"busybox", "my\x15"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := atTerminal(t, tt.adapter, session.Options{})
			_, result := p.asks("bash " + p.script(`echo $$ >FILE; read -r -s x; echo again; read -r -s y; echo "got [$x] [$y]"`))
			p.types(tt.begun)
			require.NoError(t, p.Type(2, []byte("other\r")))
			p.shows("again")
			p.is(func(st session.State) bool { return st.Waiting == session.WaitingSecret })
			assert.Equal(t, []int{1}, p.State().LateSecrets)
			p.types("ne\rmine\r")
			assert.Contains(t, (<-result).Output, "got [other] [mine]")
			assert.Equal(t, "ok\n", eval(t, p.Session, "echo ok").Output)
		})
	}
}

// What a user types up to the end of the line after the question is over may be the rest of the secret: it is dropped, and the
// state reports that. The next line is held for the prompt.
func TestRestOfASecretIsReported(t *testing.T) {
	for _, adapter := range []string{"bash", "fish"} {
		t.Run(adapter, func(t *testing.T) {
			t.Parallel()
			p := atTerminal(t, adapter, session.Options{})
			fifo := filepath.Join(t.TempDir(), "fifo")
			require.NoError(t, unix.Mkfifo(fifo, 0o600))
			end, result := p.asks("bash " + p.script(asksSecret+"; cat "+fifo))
			p.types("hun")
			assert.Empty(t, p.State().LateSecrets)
			end(syscall.SIGTERM)
			f, err := os.OpenFile(fifo, os.O_WRONLY, 0) // returns when the command has opened it, after the question
			require.NoError(t, err)
			t.Cleanup(func() { _ = f.Close() }) // the test may have closed it
			require.NoError(t, p.Type(2, []byte("#")))
			p.types("ter2")
			st := p.State()
			assert.Equal(t, []int{1}, st.LateSecrets)
			assert.Equal(t, map[int]int{2: 1}, st.Held)
			p.Detach(2)
			p.types("\r")
			p.types("echo mine\r")
			st = p.State()
			assert.Empty(t, st.LateSecrets)
			assert.Equal(t, map[int]int{1: len("echo mine\r")}, st.Held)
			require.NoError(t, f.Close())
			assert.NotContains(t, (<-result).Output, "ter2")
			assert.Equal(t, "echo mine", p.ran(1).code)
			assert.Empty(t, p.State().LateSecrets)
			assert.NotContains(t, p.displayed(), "ter2")
		})
	}
}

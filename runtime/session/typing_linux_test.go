//go:build linux

package session_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/session"
)

// typist is a user at a session, with the results of their input.
type typist struct {
	*session.Session
	t *testing.T

	mu       sync.Mutex
	commands []*did
	changes  chan struct{} // one is sent after a change of commands, if it is empty

	readMu sync.Mutex // the observer must not wait for mu, whose owners may wait for the session
	read   []byte     // all that the program has displayed
}

// did is a command that the user typed, with the output delivered since its start.
type did struct {
	code, output string
	result       session.Result
	err          error
	done         bool
}

func atTerminal(t *testing.T, adapter string, o session.Options) *typist {
	t.Helper()
	p := &typist{t: t, changes: make(chan struct{}, 1)}
	o.Output = func(b []byte) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if n := len(p.commands); n > 0 {
			p.commands[n-1].output += string(b)
		}
	}
	o.OnTyped = func(c *session.TypedCommand) {
		p.mu.Lock()
		defer p.mu.Unlock()
		d := &did{code: c.Code()}
		p.commands = append(p.commands, d)
		p.changed()
		go func() {
			r, err := c.Wait()
			p.mu.Lock()
			defer p.mu.Unlock()
			d.code, d.result, d.err, d.done = c.Code(), r, err, true
			p.changed()
		}()
	}
	o.Observer = p.trace()
	p.Session = open(t, adapter, o)
	return p
}

// trace reports the terminal's input and output, with times, if the test has failed.
func (p *typist) trace() session.Observer {
	report := trace(p.t)
	return session.ObserverFunc(func(e session.Event) {
		if e.Kind == session.EventRead {
			p.readMu.Lock()
			p.read = append(p.read, e.Data...)
			p.readMu.Unlock()
		}
		report.Observe(e)
	})
}

// types sends input as a user would, a byte at a time.
func (p *typist) types(text string) {
	p.t.Helper()
	for i := range len(text) {
		require.NoError(p.t, p.Type(1, []byte{text[i]}))
	}
}

// shows waits until the program has displayed a text.
func (p *typist) shows(text string) {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		p.readMu.Lock()
		defer p.readMu.Unlock()
		return bytes.Contains(p.read, []byte(text))
	}, testkit.Patience(30*time.Second), time.Millisecond)
}

// changed reports a change of commands to ran.
func (p *typist) changed() {
	select {
	case p.changes <- struct{}{}:
	default:
	}
}

// ran waits until n commands have ended and returns the last.
func (p *typist) ran(n int) (last did) {
	p.t.Helper()
	for late := time.After(testkit.Patience(30 * time.Second)); ; {
		p.mu.Lock()
		began := len(p.commands)
		if began == n {
			last = *p.commands[n-1]
		}
		p.mu.Unlock()
		if last.done {
			return last
		}
		select {
		case <-p.changes:
		case <-late:
			require.FailNow(p.t, "not ended", "%d commands have begun, not %d, or the last one, %q, has not ended: %q", began, n, last.code, last.output)
		}
	}
}

func (p *typist) is(want func(session.State) bool) session.State {
	p.t.Helper()
	st, err := p.WaitState(deadline(p.t), want)
	require.NoErrorf(p.t, err, "%+v", st)
	return st
}

func ready(st session.State) bool { return st.Phase == session.PhaseReady && !st.Typing }

// Input at the prompt becomes a command with its boundaries, in programs of every kind: markers
// around the output, markers of the prompt alone, patterns, a line editor of its own or the
// terminal's, or none at all.
func TestTypedLineIsCommand(t *testing.T) {
	programs := []struct{ adapter, line, output, next, result string }{ // the first ten are of every kind
		{"bash", "echo one; echo two", "one\ntwo\n", "echo x", "x\n"},
		{"fish", "echo one; echo two", "one\ntwo\n", "echo x", "x\n"},
		{"dash", "echo one; echo two", "one\ntwo\n", "echo x", "x\n"},
		{"node", "6*7", "42\n", "1+1", "2\n"},
		{"sqlite3", "select 6*7;", "42\n", "select 2;", "2\n"},
		{"gdb", "output 6*7", "42", "output 2", "2"},
		{"bc", "6*7", "42\n", "1+1", "2\n"},
		{"python", "print(6*7)", "42\n", "1+1", "2\n"},
		{"lua", "print(6*7)", "42\n", "1+1", "2\n"},
		{"tcsh", "echo one; echo two", "one\ntwo\n", "echo x", "x\n"},
		{"zsh", "echo one; echo two", "one\ntwo\n", "echo x", "x\n"},
		{"mksh", "echo one; echo two", "one\ntwo\n", "echo x", "x\n"},
		{"ipython", "print(6*7)", "42\n", "print(2)", "2\n"},
		{"irb", "puts 6*7", "42\n=> nil\n", "1+1", "=> 2\n"},
		{"dc", "6 7 * p", "42\n", "2p", "2\n"},
		{"tclsh", "puts [expr 6*7]", "42\n", "expr 2", "2\n"},
		{"guile", "(display 42)", "42", "(display 2)", "2"},
		{"sbcl", "(print 42)", "\n42 \n42\n", "(+ 1 1)", "2\n"},
		{"ghci", "6*7", "42\n", "1+1", "2\n"},
		{"r", "6*7", "[1] 42\n", "1+1", "[1] 2\n"},
		{"php", "echo 42;", "42\n", "echo 2;", "2"},
		{"erl", "6*7.", "42\n", "1+1.", "2\n"},
		{"ocaml", "6*7;;", "- : int = 42\n", "1+1;;", "- : int = 2\n"},
	}
	for _, tt := range programs[:testkit.Fewer(t, 5, testkit.Times(t, 10, len(programs)))] {
		t.Run(tt.adapter, func(t *testing.T) {
			t.Parallel()
			p := atTerminal(t, tt.adapter, session.Options{})
			p.types(tt.line + "\r")
			d := p.ran(1)
			require.NoError(t, d.err)
			assert.Equal(t, tt.line, d.code)
			assert.Equal(t, tt.output, d.output)
			p.is(ready)
			assert.Equal(t, tt.result, eval(t, p.Session, tt.next).Output)
			require.NoError(t, p.Type(1, []byte(tt.line+"\r"+tt.line+"\r"))) // typed ahead
			d = p.ran(3)
			assert.Equal(t, tt.line, d.code)
			p.is(ready)
			r := eval(t, p.Session, tt.next)
			assert.Equal(t, tt.result, r.Output)
			assert.Empty(t, r.OutOfBand)
		})
	}
}

// A line that a user types where the program's line editor echoes, because a command has turned the echo on, is a command, too.
func TestTypedLineThatAnEditorEchoes(t *testing.T) {
	for name, code := range map[string][2]string{
		"sqlite3": {".shell stty sane", "select 6*7;"},
		"lua":     {`os.execute("stty sane")`, "print(6*7)"},
		"gdb":     {"shell stty sane", `echo 42\n`},
	} {
		t.Run(name, func(t *testing.T) {
			p := atTerminal(t, name, session.Options{Cols: 80, Rows: 24})
			eval(t, p.Session, code[0])
			for n := 1; n < 4; n++ {
				p.types(code[1] + "\r")
				d := p.ran(n)
				require.NoError(t, d.err)
				assert.Equal(t, code[1], d.code)
				assert.Equal(t, "42\n", d.output)
				p.is(ready)
				assert.Equal(t, "42\n", eval(t, p.Session, code[1]).Output)
			}
		})
	}
}

// A command of several lines is recorded as a whole, even if the program's own editor draws all of them
// once more at its end.
func TestTypedLinesAreOneCommand(t *testing.T) {
	for _, tt := range []struct {
		adapter      string
		lines        []string
		code, output string
	}{
		{"nu", []string{"if true {", "print one", "", "print two", "}"}, "if true {\nprint one\n\nprint two\n}", "one\ntwo\n"},
		{"ipython", []string{"if True:", "    print(1)", ""}, "if True:\n    print(1)", "1\n"},
		{"bash", []string{"if true", "then echo one", "", "fi"}, "if true\nthen echo one\n\nfi", "one\n"},
	} {
		t.Run(tt.adapter, func(t *testing.T) {
			t.Parallel()
			p := atTerminal(t, tt.adapter, session.Options{})
			for _, line := range tt.lines {
				p.types(line + "\r")
			}
			d := p.ran(1)
			assert.Equal(t, tt.code, d.code)
			assert.Equal(t, tt.output, d.output)
			assert.Empty(t, d.result.OutOfBand)
			p.is(ready)
			assert.Empty(t, eval(t, p.Session, adapter(t, tt.adapter).Samples.Comment).OutOfBand)
		})
	}
}

// Keys that a user types before the first prompt is drawn become a line without the prompt, and so do keys at whose
// arrival the program draws the prompt and the line once more.
func TestALineBeforeTheFirstPromptIsDrawn(t *testing.T) {
	for _, waits := range []bool{false, true} {
		p := atTerminal(t, "latesh", session.Options{})
		for _, line := range []string{"a", "ab"} {
			p.types(line[len(line)-1:])
			if waits {
				p.shows("B\a" + line)
			}
		}
		p.types("\r")
		d := p.ran(1)
		assert.Equal(t, "ab", d.code)
		assert.Equal(t, "ab\n", d.output)
		assert.Empty(t, d.result.OutOfBand)
	}
}

// While a user types at the prompt other commands are not sent, and are not mixed with the user's
// input.
func TestTypingKeepsOthersOut(t *testing.T) {
	for _, adapter := range []string{"bash", "zsh", "fish", "python", "lua"} {
		t.Run(adapter, func(t *testing.T) {
			t.Parallel()
			p := atTerminal(t, adapter, session.Options{})
			p.types("1+")
			_, err := p.Eval(deadline(t), "2+2")
			require.ErrorIs(t, err, session.ErrTyping)
			assert.True(t, p.State().Typing)
			assert.Equal(t, 1, p.State().TypingUser)
			p.types("\x7f\x7f")
			p.is(ready)
			eval(t, p.Session, "1")
			p.types("1+")
			p.Detach(1)
			p.is(ready)
			assert.Empty(t, eval(t, p.Session, "1").OutOfBand)
			if adapter == "lua" {
				return // it exits on Ctrl-C at its prompt
			}
			p.types("\x03")
			p.is(ready)
			eval(t, p.Session, "1")
		})
	}
}

// Keys that are typed while a command runs are held; they go to the program if it reads, otherwise
// to the prompt.
func TestKeysAreHeldWhileACommandRuns(t *testing.T) {
	p := atTerminal(t, "bash", session.Options{})
	file := t.TempDir() + "/go"
	leave(t, p.Session, "until test -e "+file+"; do sleep 0.01; done; read -r x; echo \"[$x]\"", func(st session.State) bool {
		return st.Phase == session.PhaseRunning
	})
	p.types("answer\r" + "echo mine\r")
	assert.Equal(t, len("answer\recho mine\r"), p.State().Held[1])
	require.NoError(t, writeFile(file))
	r, err := p.Wait(deadline(t))
	require.NoError(t, err)
	assert.Equal(t, "[answer]\n", r.Output)
	d := p.ran(1)
	assert.Equal(t, "echo mine", d.code)
	assert.Equal(t, "mine\n", d.output)
}

func writeFile(name string) error { return os.WriteFile(name, nil, 0o600) }

// Ctrl-C passes, and held keys are discarded.
func TestCtrlCPasses(t *testing.T) {
	p := atTerminal(t, "bash", session.Options{})
	leave(t, p.Session, "sh -c 'echo on; exec sleep 300'", func(st session.State) bool { return st.Partial == "on\n" }) // earlier, it might hit the shell itself
	p.types("never\x03")
	r, err := p.Wait(deadline(t))
	require.NoError(t, err)
	assert.Equal(t, 130, *r.ExitCode)
	p.is(ready)
	assert.Equal(t, "1\n", eval(t, p.Session, "echo 1").Output)
}

// The end of typed input is recognized in all cases: syntax errors, empty lines, continuation
// lines, an editor's own redrawing.
func TestLinesOfEveryKind(t *testing.T) {
	p := atTerminal(t, "bash", session.Options{})
	p.types("\r\r")
	p.is(ready)
	p.types("for i in 1 2; do\recho $i\rdone\r")
	d := p.ran(1)
	assert.Equal(t, "for i in 1 2; do\necho $i\ndone", d.code)
	assert.Equal(t, "1\n2\n", d.output)
	p.types(")\r")
	d = p.ran(2)
	assert.Equal(t, ")", d.code)
	assert.Contains(t, d.output, "syntax error")
	assert.Equal(t, 2, *d.result.ExitCode)
	p.types("(exit 3)\r")
	d = p.ran(3)
	assert.Equal(t, 3, *d.result.ExitCode)
	assert.Empty(t, d.output)
	p.types("cd /usr\r")
	d = p.ran(4)
	assert.Equal(t, "/usr", d.result.Cwd)
	p.is(ready)
	assert.Equal(t, "/usr\n", eval(t, p.Session, "pwd").Output)
}

// A user's own command reads the terminal like any other: questions, secrets, whole screens.
func TestTypedCommandReadsTerminal(t *testing.T) {
	p := atTerminal(t, "bash", session.Options{})
	eval(t, p.Session, "true") // its second prompt: the end of the first one is unknown
	p.types("read -r x; read -rs y; echo \"[$x] ${#y}\"\r")
	p.is(func(st session.State) bool { return st.Waiting == session.WaitingInput })
	p.types("one\r")
	p.is(func(st session.State) bool { return st.Waiting == session.WaitingSecret })
	p.types("secret\r")
	d := p.ran(1)
	assert.Equal(t, "[one] 6\n", d.output)
	_, err := p.Eval(deadline(t), "echo x")
	require.NoError(t, err)
	p.types("cat\r")
	p.is(func(st session.State) bool { return st.Waiting == session.WaitingInput })
	_, err = p.Eval(deadline(t), "echo x")
	require.ErrorIs(t, err, session.ErrBusy)
	p.types("a line\r\x04")
	d = p.ran(2)
	assert.Equal(t, "a line\n", d.output)
}

// Commands of callers and lines of a user at the same time: each gets its own results.
func TestUserAndCallerAtOnce(t *testing.T) {
	p := atTerminal(t, "bash", session.Options{})
	const each = 40
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range each {
			for {
				r, err := p.Eval(deadline(t), fmt.Sprintf("echo program %d", i))
				if errors.Is(err, session.ErrTyping) || errors.Is(err, session.ErrBusy) {
					p.is(ready)
					continue
				}
				if assert.NoError(t, err) {
					assert.Equal(t, fmt.Sprintf("program %d\n", i), r.Output)
				}
				break
			}
		}
	}()
	for i := range each {
		p.types(fmt.Sprintf("echo person %d\r", i))
	}
	p.ran(each)
	<-done
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, d := range p.commands {
		assert.Equal(t, fmt.Sprintf("echo person %d", i), d.code)
		assert.Contains(t, d.output, fmt.Sprintf("person %d\n", i))
		assert.Equal(t, int64(len(fmt.Sprintf("person %d\n", i))), d.result.Bytes)
	}
}

// Each of several users who type at the same time has their own lines; a user who waits for another
// one's unfinished line can discard it.
func TestUsersAtOnce(t *testing.T) {
	for _, adapter := range []string{"bash", "zsh", "python", "fish"} {
		t.Run(adapter, func(t *testing.T) {
			t.Parallel()
			p := atTerminal(t, adapter, session.Options{})
			say := "echo %q"
			if adapter == "python" {
				say = "print(%q)"
			}
			each := testkit.Times(t, 3, 10)
			var all sync.WaitGroup
			for who := range 3 {
				all.Go(func() {
					for i := range each {
						for _, c := range []byte(fmt.Sprintf(say, fmt.Sprintf("person %d.%d", who, i)) + "\r") {
							assert.NoError(t, p.Type(1+who, []byte{c}))
						}
					}
				})
			}
			all.Wait()
			p.ran(3 * each)
			p.mu.Lock()
			var lines []string
			for _, d := range p.commands {
				lines = append(lines, d.output)
				assert.Equal(t, fmt.Sprintf(say, strings.TrimSuffix(d.output, "\n")), d.code)
			}
			p.mu.Unlock()
			slices.Sort(lines)
			for who := range 3 {
				for i := range each {
					assert.Contains(t, lines, fmt.Sprintf("person %d.%d\n", who, i))
				}
			}
			require.NoError(t, p.Type(1, []byte("unfinished")))
			require.NoError(t, p.Type(2, []byte("held")))
			p.is(func(st session.State) bool { return st.Held[1] == 0 })
			assert.Equal(t, map[int]int{2: len("held")}, p.State().Held)
			p.Detach(1)
			p.is(func(st session.State) bool { return st.Held == nil })
			p.Detach(2)
			p.is(ready)
		})
	}
}

// A line that a command reads belongs to one user.
func TestUsersAnswerInTurn(t *testing.T) {
	p := atTerminal(t, "bash", session.Options{})
	leave(t, p.Session, "read -r x; read -r y; echo \"[$x] [$y]\"", func(st session.State) bool { return st.Waiting == session.WaitingInput })
	for i := range "12345" {
		for who := 1; who <= 2; who++ {
			require.NoError(t, p.Type(who, []byte{"12345"[i] + byte(5*(who-1))}))
		}
	}
	require.NoError(t, p.Type(2, []byte("\r")))
	require.NoError(t, p.Type(1, []byte("\r")))
	r, err := p.Wait(deadline(t))
	require.NoError(t, err)
	assert.Equal(t, "[12345] [6789:]\n", r.Output)
}

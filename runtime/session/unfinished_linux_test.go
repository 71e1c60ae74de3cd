//go:build linux

package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/ripple/internal/testkit"
	"example.com/ripple/runtime/session"
)

// besides is a user at a program with a background process that prints what the test writes.
type besides struct {
	*typist
	pipe *os.File

	mu   sync.Mutex
	said strings.Builder // the unsolicited output
}

// printer starts cat in the background, which copies a named pipe to the terminal.
var printer = map[string]string{
	"bash": "cat %s &", "zsh": "cat %s &", "fish": "cat %s &", "dash": "cat %s &",
	"python": "import subprocess; p = subprocess.Popen(['cat', '%s'])",
}

// says collects unsolicited output as it arrives.
func (b *besides) says(text []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said.Write(text)
}

func atTerminalBeside(t *testing.T, adapter string, said func(*besides, []byte)) *besides {
	t.Helper()
	b := &besides{}
	o := session.Options{Dir: t.TempDir()}
	if said != nil {
		o.OutOfBand = func(text []byte) { said(b, text) }
	}
	b.typist = atTerminal(t, adapter, o)
	name := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	eval(t, b.Session, fmt.Sprintf(printer[adapter], name))
	pipe, err := os.OpenFile(name, os.O_WRONLY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = pipe.Close() })
	b.pipe = pipe
	b.flush()
	return b
}

// flush forgets the unsolicited output so far.
func (b *besides) flush() {
	eval(b.t, b.Session, "1")
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said.Reset()
}

// prints makes the background process print text, and waits until the session has read it.
func (b *besides) prints(text string) {
	b.t.Helper()
	b.growsBy(len(strings.ReplaceAll(text, "\n", "\r\n")), func() {
		_, err := b.pipe.WriteString(text)
		require.NoError(b.t, err)
	})
}

func (b *besides) growsBy(n int, do func()) {
	b.t.Helper()
	before := b.Prompt(1).Read
	do()
	require.Eventually(b.t, func() bool { return b.Prompt(1).Read >= before+int64(n) }, testkit.Patience(30*time.Second), time.Millisecond)
}

// typesShown types text and waits until the program has shown it.
func (b *besides) typesShown(text string) {
	b.t.Helper()
	for i := range len(text) {
		b.growsBy(1, func() { b.types(text[i : i+1]) })
	}
}

// saysAtOnce requires the unsolicited output so far to become want, before the line is finished.
func (b *besides) saysAtOnce(want string) {
	b.t.Helper()
	require.EventuallyWithT(b.t, func(c *assert.CollectT) {
		b.mu.Lock()
		defer b.mu.Unlock()
		assert.Equal(c, want, b.said.String())
	}, testkit.Patience(10*time.Second), time.Millisecond)
}

func sayIn(adapter, text string) string {
	if adapter == "python" {
		return fmt.Sprintf("print(%q)", text)
	}
	return fmt.Sprintf("echo %q", text)
}

// Output of another program that arrives while a user has typed half a line is unsolicited output:
// all of it, once, in whatever pieces it arrives, and the line does not contain it.
func TestOutputWhileALineIsTyped(t *testing.T) {
	const said = "job 1\n"
	for adapter := range printer {
		t.Run(adapter, func(t *testing.T) {
			t.Parallel()
			b := atTerminalBeside(t, adapter, (*besides).says)
			n := 0
			line := sayIn(adapter, "hello")
			half := len(line) - 5
			finish := func(rest, line, output string) {
				t.Helper()
				b.types(rest + "\r")
				n++
				d := b.ran(n)
				assert.Equal(t, line, d.code)
				assert.Equal(t, output, d.output)
				assert.Empty(t, d.result.OutOfBand)
				b.is(ready)
			}
			for cut := range len(said) { // at 0 in one piece
				if cut > 0 && adapter == "fish" {
					break // it draws the line once more at its own time, and may do so within the piece
				}
				b.flush()
				b.typesShown(line[:half])
				for _, piece := range []string{said[:cut], said[cut:]} {
					if piece != "" {
						b.prints(piece)
					}
				}
				b.saysAtOnce(said)
				finish(line[half:], line, "hello\n")
			}
			b.flush()
			b.typesShown(line[:half])
			b.prints("one\ntwo\n")
			b.typesShown("l")
			b.prints("three\n")
			b.types("\x7f")
			finish(line[half:], line, "hello\n")
			b.saysAtOnce("one\ntwo\nthree\n")
		})
	}
}

// Such output is in the result of the command that the line becomes, once; also if the user edits
// the line in their own terminal.
func TestOutputWhileALineIsTypedIsInItsResult(t *testing.T) {
	for adapter := range printer {
		t.Run(adapter, func(t *testing.T) {
			t.Parallel()
			b := atTerminalBeside(t, adapter, nil)
			line := sayIn(adapter, "hello")
			finished := func(n int) {
				t.Helper()
				d := b.ran(n)
				assert.Equal(t, line, d.code)
				assert.Equal(t, "hello\n", d.output)
				assert.Equal(t, "job 1\n", d.result.OutOfBand)
				b.is(ready)
				assert.Empty(t, eval(t, b.Session, "1").OutOfBand)
			}
			b.typesShown(line[:8])
			b.prints("job 1\n")
			b.types(line[8:] + "\r")
			finished(1)

			b.takes(1)
			require.NoError(t, b.Offer(1, []byte(line[:8])))
			assert.Equal(t, line[:8], b.takes(1))
			b.prints("job 1\n")
			require.NoError(t, b.Enter(1, []byte(line+"\r")))
			finished(2)
		})
	}
}

// While another program prints line after line, a user types commands: each line arrives once,
// between the commands or in the output of one, and the commands are those that were typed.
func TestOutputAllTheTimeWhileLinesAreTyped(t *testing.T) {
	const commands = 30
	for adapter := range printer {
		t.Run(adapter, func(t *testing.T) {
			t.Parallel()
			b := atTerminalBeside(t, adapter, (*besides).says)
			stop, printed := make(chan struct{}), make(chan int)
			go func() {
				lines := 0
				defer func() { printed <- lines }()
				for ; ; lines++ {
					select {
					case <-stop:
						return
					default:
						b.prints(fmt.Sprintf("#%d\n", lines))
					}
				}
			}()
			var codes []string
			for i := range commands {
				codes = append(codes, sayIn(adapter, fmt.Sprint("hello ", i)))
				b.types(codes[i] + "\r")
				b.ran(i + 1)
			}
			close(stop)
			lines := <-printed
			b.is(ready)
			b.prints("#end\n")
			var all string
			require.EventuallyWithT(t, func(c *assert.CollectT) {
				b.mu.Lock()
				defer b.mu.Unlock()
				all = b.said.String()
				assert.Contains(c, all, "#end\n")
			}, testkit.Patience(10*time.Second), time.Millisecond)
			for i, code := range codes {
				d := b.commands[i]
				if adapter != "fish" { // its redrawing leaves parts of earlier ones on the screen when others print
					assert.Equal(t, code, d.code)
				}
				assert.Equal(t, 1, strings.Count(d.output, fmt.Sprintf("hello %d\n", i)), "%q", d.output)
				all += d.output
			}
			for i := range lines {
				assert.Equal(t, 1, strings.Count(all, fmt.Sprintf("#%d\n", i)), "#%d of %d", i, lines)
			}
		})
	}
}

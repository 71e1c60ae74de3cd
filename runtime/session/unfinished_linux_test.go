//go:build linux

package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/session"
)

// besides is a user at a program with a background process that prints what the test writes.
type besides struct {
	*typist
	adapter string
	pipe    *os.File

	mu   sync.Mutex
	said strings.Builder // the unsolicited output
}

// printer starts cat in the background, which copies a named pipe to the terminal.
var printer = map[string]string{
	"bash": "cat %s &", "zsh": "cat %s &", "fish": "cat %s &", "dash": "cat %s &",
	"python":  "import subprocess; p = subprocess.Popen(['cat', '%s'])",
	"sqlite3": ".shell cat %s &",
}

// printers are the adapters of printer. Tests take some: bash is like zsh, and dash like sqlite3.
var printers = []string{"zsh", "bash", "dash", "fish", "python", "sqlite3"}

// somePrinters returns the adapters that a test takes: of bash, dash, fish and python, two under -short.
func somePrinters(t *testing.T) []string {
	return testkit.FewerOf(t, 2, testkit.Sample(t, 4, printers))
}

// says collects unsolicited output as it arrives.
func (b *besides) says(text []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said.Write(text)
}

func atTerminalBeside(t *testing.T, adapter string, said func(*besides, []byte)) *besides {
	t.Helper()
	b := &besides{adapter: adapter}
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
	eval(b.t, b.Session, sayIn(b.adapter, "1"))
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
	before := b.Prompt(1).BytesRead
	do()
	require.Eventually(b.t, func() bool { return b.Prompt(1).BytesRead >= before+int64(n) }, testkit.Patience(30*time.Second), time.Millisecond)
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
	switch adapter {
	case "python":
		return fmt.Sprintf("print(%q)", text)
	case "sqlite3":
		return fmt.Sprintf("select '%s';", text)
	}
	return fmt.Sprintf("echo %q", text)
}

// Output of another program that arrives while a user has typed half a line is unsolicited output:
// all of it, once, in whatever pieces it arrives, and the line does not contain it.
func TestOutputWhileALineIsTyped(t *testing.T) {
	const said = "job 1\n"
	for _, adapter := range somePrinters(t) {
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

// A job prints a line while a user types one, in each state of that line: the job's line is
// unsolicited output, once and whole, whether the program gets each key or the user edits the line
// in their own terminal.
func TestAJobPrintsInEachStateOfALine(t *testing.T) {
	const job = "hello from the job\n" // it has the same letters as the typed text
	continued := map[string][]string{
		"bash": {"for i in 1; do", "echo hello", "done"}, "zsh": {"for i in 1; do", "echo hello", "done"},
		"dash": {"for i in 1; do", "echo hello", "done"}, "fish": {"for i in 1", "echo hello", "end"},
		"python": {"for i in 1,:", " print('hello')", ""}, "sqlite3": {"select", "'hello'", ";"},
	}
	for _, adapter := range somePrinters(t) {
		t.Run(adapter, func(t *testing.T) {
			t.Parallel()
			b := atTerminalBeside(t, adapter, (*besides).says)
			line, n := sayIn(adapter, "hello"), 0
			ends := func(want string) {
				t.Helper()
				n++
				d := b.ran(n)
				assert.Equal(t, want, d.code)
				assert.Equal(t, "hello\n", d.output)
				b.is(ready)
				b.saysAtOnce(job)
			}
			for name, types := range map[string]func(){
				"before typing":         func() { b.prints(job); b.types(line + "\r") },
				"within the first word": func() { b.typesShown(line[:2]); b.prints(job); b.types(line[2:] + "\r") },
				"after a backspace": func() {
					b.typesShown(line[:4] + "x")
					b.types("\x7f")
					b.prints(job)
					b.types(line[4:] + "\r")
				},
				"after a key that was not shown yet": func() { b.types(line[:4]); b.prints(job); b.types(line[4:] + "\r") },
				"just before Enter": func() {
					b.typesShown(line)
					b.prints(job)
					b.types("\r")
				},
				"in the user's own editor": func() {
					b.takes(1)
					require.NoError(t, b.TypeDraft(1, []byte(line[:4])))
					assert.Equal(t, line[:4], b.takes(1))
					b.prints(job)
					require.NoError(t, b.Enter(1, []byte(line+"\r")))
				},
			} {
				t.Log(name)
				b.flush()
				types()
				ends(line)
			}
			b.flush()
			b.typesShown(line)
			_, err := b.pipe.WriteString(job)
			require.NoError(t, err)
			b.types("\r")
			n++
			b.ran(n)
			b.is(ready)
			d := b.ran(n)
			// The job prints when it has read the pipe, which may be before or after the program has
			// read the line: the line is then unsolicited or in the output, as on any terminal, and
			// no evidence could show another order. Either way it must arrive once and whole.
			require.EventuallyWithT(t, func(c *assert.CollectT) {
				b.mu.Lock()
				defer b.mu.Unlock()
				said := b.said.String()
				all := d.output + said
				assert.Equal(c, 1, strings.Count(all, job), "%q", all)
				assert.Contains(c, []string{"", job}, said)
				assert.Equal(c, "hello\n", strings.Replace(all, job, "", 1))
			}, testkit.Patience(10*time.Second), time.Millisecond)
			assert.Equal(t, line, d.code)
			b.flush()
			lines := continued[adapter]
			for i, l := range lines {
				if i > 0 {
					b.asked()
				}
				half := len(l) / 2
				b.typesShown(l[:half])
				if i == 1 {
					b.prints(job)
				}
				b.types(l[half:] + "\r")
			}
			if adapter == "fish" { // the screen shows the job's line within the user's
				n++
				d := b.ran(n)
				assert.Equal(t, "hello\n", d.output)
				b.is(ready)
				b.saysAtOnce(job)
			} else {
				ends(strings.TrimSuffix(strings.Join(lines, "\n"), "\n"))
			}
			if adapter == "dash" || adapter == "sqlite3" {
				return // a command runs by then, and Detach discards only a line at the prompt
			}
			b.flush()
			b.types(lines[0] + "\r")
			b.asked()
			b.typesShown(lines[1][:2])
			b.prints(job)
			b.Detach(1)
			b.is(ready)
			said := job
			if adapter == "python" { // its answer to the interrupt is kept, too
				said += "KeyboardInterrupt\n"
			}
			b.saysAtOnce(said)
			if adapter == "bash" || adapter == "zsh" {
				return // bash keeps the text before the interrupt; zsh notices it only at the next line
			}
			assert.Equal(t, "hello\n", eval(t, b.Session, line).Output)
			b.saysAtOnce(said)
		})
	}
}

// asked waits until the program wants another line of the user.
func (b *besides) asked() {
	b.t.Helper()
	if b.adapter == "fish" { // its editor has the whole command
		return
	}
	require.Eventually(b.t, func() bool { return b.Prompt(1).Editable }, testkit.Patience(30*time.Second), time.Millisecond)
}

// A job prints a part of a line right before the echo of Enter, which ends that line: the command's
// output is delivered while it runs.
func TestAPartOfALineBeforeTheEchoOfEnter(t *testing.T) {
	b := atTerminalBeside(t, "dash", (*besides).says)
	const line = "echo hello; read -r x; echo $x"
	b.typesShown(line)
	b.TypeUnread(1, "\r", func() {
		_, err := b.pipe.WriteString("job")
		require.NoError(t, err)
	})
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		b.typist.mu.Lock()
		defer b.typist.mu.Unlock()
		if assert.Len(c, b.commands, 1) {
			assert.Equal(c, "hello\n", b.commands[0].output)
		}
	}, testkit.Patience(3*time.Second), time.Millisecond)
	b.saysAtOnce("job")
	b.types("more\r")
	d := b.ran(1)
	assert.Equal(t, line, d.code)
	assert.Equal(t, "hello\nmore\n", d.output)
}

// Such output is in the result of the command that the line becomes, once; also if the user edits
// the line in their own terminal.
func TestOutputWhileALineIsTypedIsInItsResult(t *testing.T) {
	for _, adapter := range somePrinters(t) {
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
				assert.Empty(t, eval(t, b.Session, sayIn(adapter, "1")).OutOfBand)
			}
			b.typesShown(line[:8])
			b.prints("job 1\n")
			b.types(line[8:] + "\r")
			finished(1)

			b.takes(1)
			require.NoError(t, b.TypeDraft(1, []byte(line[:8])))
			assert.Equal(t, line[:8], b.takes(1))
			b.prints("job 1\n")
			require.NoError(t, b.Enter(1, []byte(line+"\r")))
			finished(2)
		})
	}
}

var jobLine = regexp.MustCompile(`#\d+\n`)

// While another program prints line after line, a user types commands: each line arrives once,
// between the commands or in the output of one, and the commands are those that were typed.
func TestOutputAllTheTimeWhileLinesAreTyped(t *testing.T) {
	commands := testkit.Times(t, 5, 30)
	for _, adapter := range somePrinters(t) {
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
				own := jobLine.ReplaceAllString(d.output, "") // a job may print between a program's text and its line end
				assert.Equal(t, fmt.Sprintf("hello %d\n", i), own, "%q", d.output)
				all += d.output
			}
			for i := range lines {
				assert.Equal(t, 1, strings.Count(all, fmt.Sprintf("#%d\n", i)), "#%d of %d", i, lines)
			}
		})
	}
}

// A prompt for more of a command is the program's, even if it has several lines.
func TestAContinuationPromptOfTwoLines(t *testing.T) {
	b := atTerminalBeside(t, "bash", (*besides).says)
	eval(t, b.Session, `PS2=$'more:\n> '`)
	b.types("for i in 1; do\r")
	b.asked()
	b.types("echo hello\r")
	b.asked()
	b.types("done\r")
	d := b.ran(1)
	assert.Equal(t, "for i in 1; do\necho hello\ndone", d.code)
	assert.Equal(t, "hello\n", d.output)
	b.is(ready)
	b.saysAtOnce("")
}

// A job prints more at once than is kept while a user types: each of its lines arrives once, in
// order, and the user's line is not changed.
func TestABurstWhileALineIsTyped(t *testing.T) {
	const lines = 40_000
	var burst strings.Builder
	for i := range lines {
		fmt.Fprintf(&burst, "#%d\n", i)
	}
	for _, adapter := range somePrinters(t) {
		t.Run(adapter, func(t *testing.T) {
			t.Parallel()
			b := atTerminalBeside(t, adapter, (*besides).says)
			line, half := sayIn(adapter, "hello"), 6
			b.types(line[:4])
			wrote := make(chan error)
			go func() {
				_, err := b.pipe.WriteString(burst.String())
				wrote <- err
			}()
			b.types(line[4:half])
			require.NoError(t, <-wrote)
			require.Eventually(t, func() bool {
				b.mu.Lock()
				defer b.mu.Unlock()
				return strings.HasSuffix(b.said.String(), fmt.Sprintf("#%d\n", lines-1))
			}, testkit.Patience(30*time.Second), time.Millisecond)
			b.types(line[half:] + "\r")
			d := b.ran(1)
			assert.Equal(t, "hello\n", d.output)
			b.is(ready)
			b.mu.Lock()
			defer b.mu.Unlock()
			said := b.said.String()
			assert.Equal(t, line, d.code)
			same := 0
			for same < min(len(said), burst.Len()) && said[same] == burst.String()[same] {
				same++
			}
			assert.True(t, said == burst.String(), "%d bytes of %d; they differ at %d: %q", len(said), burst.Len(), same, said[max(0, same-20):min(len(said), same+40)])
		})
	}
}

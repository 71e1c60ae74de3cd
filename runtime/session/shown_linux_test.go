package session_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/session"
	"example.org/ripple/runtime/terminal"
)

// watched is a session whose terminal somebody looks at.
type watched struct {
	*session.Session
	t      *testing.T
	term   *terminal.Terminal
	prompt string
}

func watch(t *testing.T, adapter string) *watched {
	t.Helper()
	w := &watched{t: t}
	w.Session = open(t, adapter, session.Options{Cols: 200, Rows: 120, OnTerminal: func(t *terminal.Terminal) { w.term = t }})
	text := w.text()
	w.prompt = text[strings.LastIndexByte(text, '\n')+1:]
	require.NotEmpty(t, w.prompt)
	return w
}

// text returns what is on the screen, without blanks at its end.
func (w *watched) text() (text string) {
	w.term.WithScreen(func(screen *vt.Screen) { text = strings.TrimRight(string(screen.AppendText(nil)), " \n") })
	return text
}

// shows runs code and checks that the screen then shows, after the prompt, the text and another prompt.
func (w *watched) shows(code, text string) {
	w.t.Helper()
	want := w.text() + " " + text + "\n" + w.prompt
	_, _ = w.Eval(deadline(w.t), code)
	if !assert.Eventually(w.t, func() bool { return w.text() == want }, testkit.Patience(5*time.Second), time.Millisecond) {
		require.Equal(w.t, want, w.text())
	}
}

// The screen shows code that the program does not echo, and code that is sent in a file.
func TestTheScreenShowsTheCode(t *testing.T) {
	for _, tt := range []struct{ adapter, quiet, one, two string }{
		{"python", "x = 5", "x - 2 # 漢字", "x = 3\nif x:\n\tx"},
		{"sqlite3", "select 5 where 0;", "select 3; -- 漢字", "select\n\t3;"},
		{"node", "var x", "1 + 2 // 漢字", "{\n  3\n}"},
		{"lua", "x = 5", "x - 2 -- 漢字", "x = 3\nx"},
		{"bash", "x=5", "echo $((x-2)) # 漢字", "x=3\necho $x"},
		{"zsh", "x=5", "echo $((x-2)) # 漢字", "x=3\necho $x"},
		{"dash", "x=5", "echo $((x-2)) # 漢字", "x=3\necho $x"},
		{"tclsh", "proc f {} {}", "expr 1 + 2;# 漢字", "set x 3\nset x"},
	} {
		t.Run(tt.adapter, func(t *testing.T) {
			t.Parallel()
			w := watch(t, tt.adapter)
			for range 2 {
				_, err := w.Eval(deadline(t), tt.quiet)
				require.NoError(t, err)
				w.shows(tt.one, tt.one+"\n3")
				w.shows(tt.two, strings.ReplaceAll(tt.two, "\n", "\n  ")+"\n3")
			}
			assert.Equal(t, 2, strings.Count(w.text(), tt.quiet))
		})
	}
}

// A program of which the adapter does not say that it does not echo shows this with its first command.
func TestTheScreenShowsTheCodeOfAProgramThatTurnsOutToBeSilent(t *testing.T) {
	w := watch(t, "sbcl")
	eval(t, w.Session, "0")
	w.shows("(+ 1 2)", "(+ 1 2)\n3")
	require.NoError(t, w.Enter(1, []byte("(+ 2 3)\r")))
	require.Eventually(t, func() bool { return strings.HasSuffix(w.text(), "(+ 2 3)\n5\n"+w.prompt) }, testkit.Patience(5*time.Second), time.Millisecond)
	w.shows("(+ 1 3)", "(+ 1 3)\n4")
}

// Control characters in code are visible, and long code is shortened.
func TestTheScreenShowsTheBeginningOfLongCode(t *testing.T) {
	w := watch(t, "python")
	w.shows("0 # \x1b[2J\u202e\u009b", "0 # ^[[2J\ufffd\ufffd\n0")
	lines := make([]string, 20)
	for i := range lines {
		lines[i] = fmt.Sprintf("x = %d", i)
	}
	all := strings.Join(lines, "\n")
	shown := strings.Join(lines, "\n  ")
	w.shows(all, shown)
	w.shows(all+"\nx + 1", shown+"\n  … 1 more line\n20")
	w.shows(all+"\n\n\nx + 1\n\n", shown+"\n  … 3 more lines\n20")
	w.shows("\n \t\n"+strings.Repeat("\n", 20)+all+"\nx + 1", shown+"\n  … 1 more line\n20")
	w.shows(strings.Repeat("7", 1100)+" and 0", strings.Repeat("7", 1000)+"… 106 more characters\n0")
}

// The input of a command is not shown, nor is code at a prompt where the echo was switched off.
func TestTheScreenShowsNoSecrets(t *testing.T) {
	w := watch(t, "python")
	w.shows("import getpass", "import getpass")
	done := make(chan session.Result)
	go func() {
		r, err := w.Eval(deadline(t), "len(getpass.getpass())")
		assert.NoError(t, err)
		done <- r
	}()
	_, err := w.WaitState(deadline(t), func(s session.State) bool { return s.Waiting == session.WaitingSecret })
	require.NoError(t, err)
	require.NoError(t, w.Send(deadline(t), []byte("hidden\n")))
	assert.Contains(t, (<-done).Output, "6\n")
	assert.NotContains(t, w.text(), "hidden")
	w = watch(t, "bash")
	eval(t, w.Session, "stty -echo")
	eval(t, w.Session, "x=hidden")
	eval(t, w.Session, "x=hidden\necho shown")
	assert.NotContains(t, w.text(), "hidden")
}

// Users see the code, and their own lines are echoed as before.
func TestUsersSeeTheCode(t *testing.T) {
	var term *terminal.Terminal
	p := atTerminal(t, "python", session.Options{OnTerminal: func(t *terminal.Terminal) { term = t }})
	one := &onlooker{t: t, sub: term.Subscribe()}
	two := &onlooker{t: t, sub: term.SubscribeWindow(40, 10, 0)}
	assert.Equal(t, "3\n", eval(t, p.Session, "1 + 2").Output)
	for _, o := range []*onlooker{one, two} {
		o.sees(">>> 1 + 2")
		o.sees("3")
	}
	before := p.Prompt(1).BytesRead
	require.NoError(t, p.Enter(1, []byte("2 + 3\r")))
	assert.Equal(t, "5\n", p.ran(1).output)
	for _, o := range []*onlooker{one, two} {
		o.sees(">>> 2 + 3")
		o.sees("5")
	}
	assert.Greater(t, p.Prompt(1).BytesRead, before)
	late := &onlooker{t: t, sub: term.Subscribe()}
	late.sees(">>> 1 + 2")
}

// The screen does not show how ripple withdraws an incomplete command, nor the error that it causes.
func TestTheScreenShowsNoEscape(t *testing.T) {
	for way, withdraw := range map[string]func(w *watched){
		"Ctrl-C":          func(w *watched) { require.NoError(t, w.TypeDraft(1, []byte("\x03"))) },
		"send":            func(w *watched) { require.NoError(t, w.Send(deadline(t), []byte("\x03"))) },
		"the user leaves": func(w *watched) { w.Detach(1) },
	} {
		t.Run(way, func(t *testing.T) {
			w := watch(t, "sqlite3")
			for range 2 {
				before := w.text()
				require.NoError(t, w.Enter(1, []byte("select (1\r")))
				require.Eventually(t, func() bool { return w.Prompt(1).Continuation && w.Prompt(1).Editable }, testkit.Patience(10*time.Second), time.Millisecond)
				withdraw(w)
				_, err := w.WaitState(deadline(t), ready)
				require.NoError(t, err)
				want := before + " select (1\n. ^C\n" + w.prompt
				require.Eventually(t, func() bool { return w.text() == want }, testkit.Patience(10*time.Second), time.Millisecond, "%s", w.text())
				w.shows("select 3;", "select 3;\n3")
			}
		})
	}
	w := watch(t, "sqlite3")
	w.shows("select (1", "select (1\n. ^C")
	w.shows("select 3;", "select 3;\n3")
}

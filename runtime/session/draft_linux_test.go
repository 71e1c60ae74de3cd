//go:build linux

package session_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/session"
)

// takes waits until a user may edit a line, and returns the keys typed for it.
func (p *typist) takes(who int) string {
	p.t.Helper()
	var typed []byte
	require.Eventually(p.t, func() bool {
		now := p.Prompt(who)
		typed = append(typed, now.Keys...)
		return now.Editable
	}, testkit.Patience(30*time.Second), time.Millisecond)
	return string(typed)
}

// A line that a user has edited in their own terminal is a command like any other, in programs of
// every kind.
func TestEnteredLineIsCommand(t *testing.T) {
	for _, tt := range []struct{ adapter, line, output, next, result string }{
		{"bash", "echo one; echo two", "one\ntwo\n", "echo x", "x\n"},
		{"zsh", "echo one; echo two", "one\ntwo\n", "echo x", "x\n"},
		{"fish", "echo one; echo two", "one\ntwo\n", "echo x", "x\n"},
		{"python", "print('漢字')", "漢字\n", "1+1", "2\n"},
		{"node", "6*7", "42\n", "1+1", "2\n"},
		{"sqlite3", "select 6*7;", "42\n", "select 2;", "2\n"},
	} {
		t.Run(tt.adapter, func(t *testing.T) {
			t.Parallel()
			p := atTerminal(t, tt.adapter, session.Options{})
			for n := 1; n < 4; n++ {
				assert.Empty(t, p.takes(1))
				require.NoError(t, p.TypeDraft(1, []byte("e")))
				assert.Empty(t, p.State().Held)
				assert.Equal(t, "e", p.takes(1))
				_, err := p.Eval(deadline(t), tt.next)
				require.ErrorIs(t, err, session.ErrTyping)
				require.NoError(t, p.Enter(1, []byte(tt.line+"\r")))
				d := p.ran(n)
				require.NoError(t, d.err)
				assert.Equal(t, tt.line, d.code)
				assert.Equal(t, tt.output, d.output)
				p.is(ready)
				r := eval(t, p.Session, tt.next)
				assert.Equal(t, tt.result, r.Output)
				assert.Empty(t, r.OutOfBand)
			}
		})
	}
}

// Input typed while a command runs goes to the command if it reads; otherwise it is edited.
func TestKeysForADraft(t *testing.T) {
	p := atTerminal(t, "bash", session.Options{})
	assert.Empty(t, p.takes(1))
	require.NoError(t, p.TypeDraft(1, []byte("ab")))
	assert.Equal(t, "ab", p.takes(1), "the program does not receive them")
	assert.True(t, p.State().Typing, "they are an unfinished line")
	assert.Equal(t, 1, p.State().TypingUser)
	p.EndDraft(1)
	p.is(ready)
	file := t.TempDir() + "/go"
	require.NoError(t, p.Enter(1, []byte("until test -e "+file+"; do sleep 0.01; done; read -r x; echo \"[$x]\"\r")))
	p.is(func(st session.State) bool { return st.Phase == session.PhaseRunning })
	require.NoError(t, p.TypeDraft(1, []byte("answer\rnext li")))
	assert.False(t, p.Prompt(1).Editable)
	require.NoError(t, writeFile(file))
	assert.Equal(t, "[answer]\n", p.ran(1).output)
	assert.Equal(t, "next li", p.takes(1))
	p.Detach(1)
	p.is(ready)
	assert.Equal(t, "x\n", eval(t, p.Session, "echo x").Output)
}

// Of two users one owns the line; keys of the other one wait, and that user's Ctrl-C discards the
// line.
func TestDraftsOfTwoUsers(t *testing.T) {
	p := atTerminal(t, "bash", session.Options{})
	p.takes(1)
	require.NoError(t, p.TypeDraft(1, []byte("first")))
	assert.True(t, p.State().Typing, "from the first key")
	assert.Equal(t, "first", p.takes(1))
	assert.False(t, p.Prompt(2).Editable)
	require.NoError(t, p.TypeDraft(2, []byte("mine")))
	assert.Equal(t, map[int]int{2: 4}, p.State().Held)
	require.NoError(t, p.Type(3, []byte("raw")))
	assert.Equal(t, map[int]int{2: 4, 3: 3}, p.State().Held)
	assert.Equal(t, 1, p.State().TypingUser)
	changes := p.Prompt(1).Changes
	require.NoError(t, p.Type(3, []byte("\x03")))
	select {
	case <-changes:
	default:
		t.Error("the user of the line is not notified")
	}
	assert.Equal(t, 1, p.Prompt(1).Dropped)
	assert.Equal(t, "mine", p.takes(2))
	p.Detach(2)
	p.takes(1)
}

// Ctrl-C removes the line of another user also at a prompt whose editor takes it as a key, as that of node.
func TestInterruptDropsALineInEachProgram(t *testing.T) {
	for _, adapter := range []string{"bash", "busybox", "fish", "ksh93", "node", "nu", "python", "sqlite3"} {
		t.Run(adapter, func(t *testing.T) {
			t.Parallel()
			p := atTerminal(t, adapter, session.Options{})
			p.takes(1)
			require.NoError(t, p.TypeDraft(1, []byte("half")))
			assert.Equal(t, "half", p.takes(1))
			require.NoError(t, p.TypeDraft(2, []byte("\x03")))
			p.is(ready)
			assert.Equal(t, 1, p.Prompt(1).Dropped)
			p.EndDraft(1)
			require.NoError(t, p.Type(1, []byte("half")))
			p.is(func(st session.State) bool { return st.TypingUser == 1 })
			require.NoError(t, p.Type(2, []byte("\x03")))
			if adapter == "fish" { // it loses a Ctrl-C that arrives just before it reads, also without ripple: a user presses it again
				require.Eventually(t, func() bool {
					short, end := context.WithTimeout(deadline(t), testkit.Patience(time.Second))
					defer end()
					if _, err := p.WaitState(short, ready); err == nil {
						return true
					}
					assert.NoError(t, p.Type(2, []byte("\x03")))
					return false
				}, testkit.Patience(20*time.Second), time.Millisecond)
			}
			p.is(ready)
			assert.Empty(t, p.State().Held)
		})
	}
}

// Ctrl-C at a prompt without a line starts none: a command can be sent at once.
func TestInterruptStartsNoDraft(t *testing.T) {
	for _, adapter := range []string{"bash", "zsh", "fish", "python"} {
		t.Run(adapter, func(t *testing.T) {
			t.Parallel()
			p := atTerminal(t, adapter, session.Options{})
			for range 3 {
				assert.Empty(t, p.takes(1))
				require.NoError(t, p.TypeDraft(1, []byte("\x03")))
				assert.Empty(t, p.Prompt(1).Keys)
				p.is(ready)
				assert.Equal(t, "42\n", eval(t, p.Session, map[bool]string{true: "print(42)", false: "echo 42"}[adapter == "python"]).Output)
			}
			assert.Empty(t, p.takes(1))
			require.NoError(t, p.TypeDraft(1, []byte("ab\x03")))
			assert.Empty(t, p.takes(1), "it drops what was typed before it")
			p.is(ready)
		})
	}
}

// At a prompt without echo the keys go to the program.
func TestNoDraftWithoutEcho(t *testing.T) {
	p := atTerminal(t, "bash", session.Options{})
	p.takes(1)
	require.NoError(t, p.Enter(1, []byte("stty -echo\r")))
	p.ran(1)
	p.is(ready)
	assert.False(t, p.Prompt(1).Editable)
	require.NoError(t, p.TypeDraft(1, []byte("echo hidden\r")))
	assert.Equal(t, "hidden\n", p.ran(2).output)
	require.NoError(t, p.TypeDraft(1, []byte("stty -a | grep -ow -e -echo\r")))
	assert.Equal(t, "-echo\n", p.ran(3).output, "and the echo is not turned on for them")
}

// When the echo is on again, lines are edited again. The terminal does not echo input while it is
// off, so nothing has to be undone after the command that turns it on.
func TestADraftAfterTheEchoWasOff(t *testing.T) {
	for _, line := range []string{"stty echo", "stty sane"} {
		t.Run(line, func(t *testing.T) {
			p := atTerminal(t, "bash", session.Options{})
			p.takes(1)
			require.NoError(t, p.Enter(1, []byte("stty -echo\r")))
			p.ran(1)
			p.is(ready)
			require.NoError(t, p.TypeDraft(1, []byte(line+"\r")))
			assert.Equal(t, line, p.ran(2).code)
			assert.Empty(t, p.takes(1))
			require.NoError(t, p.TypeDraft(1, []byte("x")))
			assert.Equal(t, "x", p.takes(1))
		})
	}
}

// After stty raw the program receives the keys, until the terminal edits lines again.
func TestADraftAfterRawMode(t *testing.T) {
	for _, line := range []string{"stty sane", "stty cooked"} {
		t.Run(line, func(t *testing.T) {
			p := atTerminal(t, "bash", session.Options{})
			p.takes(1)
			require.NoError(t, p.Enter(1, []byte("stty raw\r")))
			p.ran(1)
			p.is(ready)
			assert.False(t, p.Prompt(1).Editable)
			require.NoError(t, p.TypeDraft(1, []byte(line+"\n"))) // Ctrl-J: nothing makes a line feed of Enter now
			assert.Equal(t, line+"^J", p.ran(2).code, "as the terminal shows it")
			assert.Empty(t, p.takes(1))
			require.NoError(t, p.TypeDraft(1, []byte("x")))
			assert.Equal(t, "x", p.takes(1))
		})
	}
}

// If a program asks for more of a command, the next line is edited as well.
func TestDraftOfContinuationLine(t *testing.T) {
	for _, tt := range []struct {
		adapter      string
		lines        []string
		code, output string
	}{
		{"bash", []string{"for i in 1 2; do", "echo $i", "done"}, "for i in 1 2; do\necho $i\ndone", "1\n2\n"},
		{"zsh", []string{"for i in 1 2; do", "echo $i", "done"}, "for i in 1 2; do\necho $i\ndone", "1\n2\n"},
		{"python", []string{"for i in 1, 2:", " print(i)", ""}, "for i in 1, 2:\n print(i)", "1\n2\n"},
		{"node", []string{"[1,", "2].length"}, "[1,\n2].length", "2\n"},
		{"sqlite3", []string{"select 1,", "2;"}, "select 1,\n2;", "1|2\n"},
	} {
		t.Run(tt.adapter, func(t *testing.T) {
			t.Parallel()
			p := atTerminal(t, tt.adapter, session.Options{})
			for n := 1; n < 4; n++ {
				for i, line := range tt.lines {
					assert.Empty(t, p.takes(1))
					assert.Equal(t, i == 0, p.Prompt(2).Editable, "no other user may begin a line between them")
					require.NoError(t, p.TypeDraft(1, []byte("x")))
					assert.Equal(t, "x", p.takes(1))
					require.NoError(t, p.Enter(1, []byte(line+"\r")))
				}
				d := p.ran(n)
				assert.Equal(t, tt.code, d.code)
				assert.Equal(t, tt.output, d.output)
				p.is(ready)
			}
		})
	}
}

// If a program does not echo input and the terminal does so instead, the next line of a command is
// echoed as well; the echo is not output.
func TestContinuationLineIsEchoed(t *testing.T) {
	p := atTerminal(t, "sqlite3", session.Options{})
	p.types("select 1,\r")
	p.is(func(st session.State) bool { return st.Waiting != session.WaitingNone })
	p.types("2;\r")
	d := p.ran(1)
	assert.Equal(t, "select 1,\n2;", d.code)
	assert.Equal(t, "1|2\n", d.output)
}

// A line that is typed while a program waits for a child is edited at the next prompt: neither of them reads.
func TestKeysWhileAChildRuns(t *testing.T) {
	programs := []struct{ adapter, code string }{ // the first few: with editors of their own, with the terminal's, a shell
		{"node", `require("child_process").execSync("sleep 1.5"); 1`},
		{"python", `import os; os.system("sleep 1.5")`},
		{"sqlite3", `.shell sleep 1.5`},
		{"bash", `sleep 1.5`},
		{"php", `system("sleep 1.5");`},
		{"lua", `os.execute("sleep 1.5")`},
		{"irb", `system("sleep 1.5")`},
		{"ipython", `import subprocess; subprocess.run(["sleep", "1.5"])`},
	}
	for _, tt := range programs[:testkit.Times(t, 4, len(programs))] {
		t.Run(tt.adapter, func(t *testing.T) {
			t.Parallel()
			p := atTerminal(t, tt.adapter, session.Options{})
			p.takes(1)
			require.NoError(t, p.Enter(1, []byte(tt.code+"\r")))
			p.is(func(st session.State) bool { return st.Phase == session.PhaseRunning })
			require.NoError(t, p.TypeDraft(1, []byte("one\rtwo")))
			p.ran(1)
			assert.Equal(t, "one\rtwo", p.takes(1))
		})
	}
}

// Ctrl-C of another user or of a caller at the prompt for another line of a user's command discards what the user has begun of that line.
func TestAnInterruptDropsTheNextLine(t *testing.T) {
	for adapter, line := range map[string]string{"sqlite3": "select 1,", "lua": "for i = 1, 2 do", "node": "function f() {"} {
		t.Run(adapter, func(t *testing.T) {
			t.Parallel()
			p := atTerminal(t, adapter, session.Options{})
			for n, interrupt := range []func(){
				func() { require.NoError(t, p.Type(2, []byte("\x03"))) },
				func() { require.NoError(t, p.Send(deadline(t), []byte("\x03"))) },
			} {
				p.takes(1)
				p.begins(line)
				require.NoError(t, p.TypeDraft(1, []byte("half")))
				assert.Equal(t, "half", p.takes(1))
				changes := p.Prompt(1).Changes
				interrupt()
				select {
				case <-changes:
				case <-time.After(testkit.Patience(10 * time.Second)):
					t.Error("the user of the line is not notified")
				}
				assert.Equal(t, n+1, p.Prompt(1).Dropped)
				p.is(ready)
			}
		})
	}
}

// An interrupt at the prompt for another line of a user's command withdraws the command, in programs that
// would ignore the interrupt there or end.
func TestAnInterruptWithdrawsAnUnfinishedCommand(t *testing.T) {
	for _, tt := range []struct{ adapter, line, next, result string }{
		{"sqlite3", "select (1", "select 5;", "5\n"},
		{"sqlite3", "select 'x", "select 5;", "5\n"},
		{"lua", "print(", "2+3", "5\n"},
	} {
		t.Run(tt.adapter, func(t *testing.T) {
			t.Parallel()
			p := atTerminal(t, tt.adapter, session.Options{})
			for n, interrupt := range []func(){
				func() { require.NoError(t, p.TypeDraft(1, []byte("\x03"))) },
				func() { _, _ = p.Interrupt(deadline(t)) },
				func() { require.NoError(t, p.Send(deadline(t), []byte("\x03"))) },
			} {
				p.takes(1)
				require.NoError(t, p.Enter(1, []byte(tt.line+"\r")))
				require.Eventually(t, func() bool {
					now := p.Prompt(1)
					return now.Editable && now.Continuation
				}, testkit.Patience(10*time.Second), time.Millisecond)
				interrupt()
				p.is(ready)
				d := p.ran(2*n + 1)
				assert.Equal(t, tt.line, d.code)
				assert.Empty(t, d.output)
				require.NoError(t, p.Enter(1, []byte(tt.next+"\r")))
				assert.Equal(t, tt.result, p.ran(2*n+2).output)
				assert.Equal(t, tt.result, eval(t, p.Session, tt.next).Output)
			}
		})
	}
}

//go:build linux

package session_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/session"
)

// unfinished are commands of which programs ask for another line; next is a complete one.
var unfinished = []struct{ adapter, line, next string }{
	{"zsh", "for i in 1 2; do", "echo 5"},
	{"zsh", "echo \"abc", "echo 5"},
	{"node", "function f() {", "2+3"},
	{"sqlite3", "select (1", "select 5;"},
	{"bash", "for i in 1 2; do", "echo 5"},
	{"python", "for i in range(3):", "2+3"},
	{"lua", "print(", "2+3"},
	{"bc", "define f(x) {", "2+3"},
	{"bc", "x = \"abc", "2+3"},
	{"bc", "/* abc", "2+3"},
	{"dc", "[abc", "2 3+p"},
	{"dc", "[abc [d", "2 3+p"},
}

// begins enters a line of which the program asks for more, and waits until it does.
func (p *typist) begins(line string) {
	p.t.Helper()
	p.takes(1)
	require.NoError(p.t, p.Enter(1, []byte(line+"\r")))
	p.wantsMore()
}

// wantsMore waits until the program asks for another line of a command.
func (p *typist) wantsMore() {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		now := p.Prompt(1)
		return now.Editable && now.Continuation
	}, testkit.Patience(10*time.Second), time.Millisecond)
}

// While a user has an unfinished command, a command of another caller is refused, also after a begun next line, and keys of
// another user are held.
func TestAnUnfinishedCommandIsTyping(t *testing.T) {
	for _, tt := range unfinished {
		t.Run(tt.adapter+" "+tt.line, func(t *testing.T) {
			t.Parallel()
			p := atTerminal(t, tt.adapter, session.Options{})
			refused := func() {
				p.is(func(st session.State) bool { return st.Typing && st.TypingUser == 1 && st.Held[1] == 0 })
				_, err := p.Submit(deadline(t), tt.next)
				assert.ErrorIs(t, err, session.ErrTyping)
			}
			p.begins(tt.line)
			refused()
			require.NoError(t, p.Type(2, []byte("  x")))
			assert.Equal(t, 3, p.State().Held[2])
			p.types("  ab")
			refused()
			p.Detach(2)
			require.NoError(t, p.Type(2, []byte("\x03")))
			p.is(ready)
			assert.Equal(t, "5\n", eval(t, p.Session, tt.next).Output)
		})
	}
}

// A user withdraws an unfinished command by Ctrl-C, also one whose next line is started, or leaves. The next
// command runs.
func TestUnfinishedCommandIsWithdrawn(t *testing.T) {
	ways := map[string]func(p *typist){
		"Ctrl-C":                func(p *typist) { require.NoError(p.t, p.TypeDraft(1, []byte("\x03"))) },
		"Ctrl-C in a next line": func(p *typist) { p.types("  ab\x03") },
		"the user leaves":       func(p *typist) { p.Detach(1) },
		"the user leaves in a next line": func(p *typist) {
			p.types("  ab")
			p.Detach(1)
		},
	}
	for _, tt := range unfinished {
		for way, withdraw := range ways {
			t.Run(tt.adapter+" "+tt.line+" "+way, func(t *testing.T) {
				t.Parallel()
				p := atTerminal(t, tt.adapter, session.Options{})
				for range 2 { // before and after the first command that the program runs
					p.begins(tt.line)
					began := time.Now()
					withdraw(p)
					p.is(ready)
					assert.Less(t, time.Since(began), 4*time.Second) // less than the wait for keys without an effect
					assert.Equal(t, "5\n", eval(t, p.Session, tt.next).Output)
				}
			})
		}
	}
}

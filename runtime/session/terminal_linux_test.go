package session_test

import (
	"context"
	"io"
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

// onlooker follows a session's terminal, from its first byte on.
type onlooker struct {
	t    *testing.T
	sub  *terminal.Subscription
	grid *vt.Screen
}

// sees follows the terminal until a row of the screen equals text.
func (o *onlooker) sees(text string) {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience(20*time.Second))
	defer cancel()
	for {
		if o.grid != nil {
			_, rows := o.grid.Size()
			for y := range rows {
				if row, _ := o.grid.Row(y); row == text {
					return
				}
			}
		}
		p, err := o.sub.Next(ctx)
		if !assert.NoError(o.t, err, "waiting for %q", text) {
			o.t.FailNow()
		}
		if p.Snapshot {
			o.grid = vt.New(vt.Options{Cols: p.Cols, Rows: p.Rows})
		}
		o.grid.Write(p.Bytes)
	}
}

// Others follow the terminal of a session while it runs commands, and see text that is not output
// of commands: input that a user types there goes to the program.
func TestOthersSeeTheTerminal(t *testing.T) {
	var seen []*terminal.Terminal
	s := open(t, "bash", session.Options{Cols: 60, Rows: 10, OnTerminal: func(term *terminal.Terminal) { seen = append(seen, term) }})
	require.Len(t, seen, 1)
	o := &onlooker{t: t, sub: seen[0].Subscribe()}
	assert.Equal(t, "42\n", eval(t, s, "echo $((6*7))").Output)
	o.sees("42")
	done := make(chan session.Result)
	go func() {
		r, err := s.Eval(deadline(t), `read -p 'your name? ' x; printf 'hello %s\n' "$x"`)
		assert.NoError(t, err)
		done <- r
	}()
	o.sees("your name?")
	require.NoError(t, o.sub.Type([]byte("bob\n")))
	assert.Contains(t, (<-done).Output, "hello bob\n")
	o.sees("hello bob")
	require.NoError(t, s.Restart(deadline(t)))
	require.Len(t, seen, 2, "another program has another terminal")
	for {
		if _, err := o.sub.Next(deadline(t)); err != nil {
			assert.ErrorIs(t, err, io.EOF)
			break
		}
	}
}

// The random text that identifies a prompt is not displayed.
func TestThePromptIsShownWithoutItsNonce(t *testing.T) {
	var term *terminal.Terminal
	s := open(t, "sqlite3", session.Options{OnTerminal: func(t *terminal.Terminal) { term = t }})
	assert.Equal(t, "1\n", eval(t, s, "select 1;").Output)
	assert.Equal(t, "2\n", eval(t, s, "select 2;").Output)
	text := ""
	require.Eventually(t, func() bool {
		term.WithScreen(func(screen *vt.Screen) { text = string(screen.AppendText(nil)) })
		return strings.HasSuffix(text, "2\n>")
	}, testkit.Patience(30*time.Second), time.Millisecond)
	assert.Regexp(t, `\n> select 1;\n1\n> select 2;\n2\n>$`, text)
}

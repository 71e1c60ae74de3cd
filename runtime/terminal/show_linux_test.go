package terminal

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/pty"
	"example.org/ripple/schema"
)

// quiet starts a program that prints nothing: the test prints instead.
func quiet(t *testing.T, o Options) *started {
	return start(t, o, pty.Command{Size: pty.Size{Cols: 40, Rows: 10}}, "sleep", "1000")
}

// Wherever the output is split, the shown text replaces the other text, and comes before other
// output that arrives before that.
func TestShownTextReplacesOutput(t *testing.T) {
	const replaced = ". '/tmp/file-0123456789abcdef'\r\n"
	for _, tt := range []struct{ output, screen string }{
		{replaced + "result\r\n$ ", "$ code\nresult\n$ "},
		{"job\r\n" + replaced + "result\r\n" + replaced, "$ code\njob\nresult\n" + strings.TrimSuffix(replaced, "\r\n")},
		{". other\r\n$ ", "$ code\n. other\n$ "},
	} {
		for cut := range tt.output {
			term := quiet(t, Options{Screen: true})
			early := &user{t: t, sub: term.Subscribe()}
			term.printed([]byte("$ "))
			early.sees("$", true)
			term.Show([]byte("code\r\n"), []byte(replaced))
			term.printed([]byte(tt.output[:cut]))
			term.printed([]byte(tt.output[cut:]))
			want := strings.TrimRight(tt.screen, "\n ")
			early.sees(strings.TrimSuffix(want, "\n$"), true)
			assert.Equal(t, want, strings.TrimRight(text(term.Terminal), "\n "), "cut at %d", cut)
			assert.Equal(t, want, strings.TrimRight(early.text(), "\n "), "cut at %d", cut)
			late := &user{t: t, sub: term.Subscribe()}
			late.sees(strings.TrimSuffix(want, "\n$"), true)
			require.NoError(t, term.Close(context.Background()))
		}
	}
}

// A query in the output after shown text is answered with the position on the screen.
func TestShownTextMovesTheCursor(t *testing.T) {
	term := quiet(t, Options{Screen: true, Replies: []schema.TTYReply{schema.ReplyDSR}})
	var at [][2]int
	cursor := term.answers.cursor
	term.answers.cursor = func(end int64) (row, col int) {
		row, col = cursor(end)
		at = append(at, [2]int{row, col})
		return row, col
	}
	term.printed([]byte("$ "))
	term.Show([]byte("1\r\n22\r\n"), nil)
	term.printed([]byte("\x1b[6nx\x1b[6n"))
	assert.Equal(t, [][2]int{{3, 1}, {3, 2}}, at)
}

// Nothing is shown after the end of the output, and a reader that waits for more is woken by shown text.
func TestShownTextIsNews(t *testing.T) {
	term := quiet(t, Options{})
	more := term.MoreOutput()
	term.Show([]byte("code\r\n"), nil)
	select {
	case <-more:
	case <-time.After(testkit.Patience(10 * time.Second)):
		assert.Fail(t, "nobody was woken")
	}
	require.NoError(t, term.Close(context.Background()))
	term.Show([]byte("late\r\n"), nil)
	assert.Equal(t, "code", strings.TrimRight(text(term.Terminal), "\n "))
}

// The caller may use the slices again.
func TestShownTextIsCopied(t *testing.T) {
	const echo = ". '/tmp/file-0123456789abcdef'\r\n"
	shown, replaced := []byte("code\r\n"), []byte(echo)
	term := quiet(t, Options{Screen: true})
	term.Show(shown, replaced)
	clear(shown)
	clear(replaced)
	term.printed([]byte(echo + "result\r\n"))
	assert.Equal(t, "code\nresult", strings.TrimRight(text(term.Terminal), "\n "))
}

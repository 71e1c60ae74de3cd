package terminal

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/pty"
	"example.org/ripple/schema"
)

// A panic of the code that paints or reads the screen, or looks for queries, costs the content of the
// screen and open queries; the program and its subscribers continue.
func TestAPanicEndsNothing(t *testing.T) {
	faults := make(chan Fault, 10)
	term, err := Start(pty.Command{Path: "/bin/cat", Size: pty.Size{Cols: 40, Rows: 5}}, Options{Screen: true, Replies: []schema.TTYReply{schema.ReplyDA1}, OnFault: func(f Fault) { faults <- f }})
	require.NoError(t, err)
	sub := term.Subscribe()
	go func() { _ = term.Run(nil) }()
	ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience(20*time.Second))
	defer cancel()
	screen := func() (s string) {
		term.WithScreen(func(s2 *vt.Screen) { s = string(s2.AppendText(nil)) })
		return s
	}
	damage := func(f func()) {
		term.mu.Lock()
		defer term.mu.Unlock()
		f()
	}
	say := func(text string) {
		before := term.outputEnd()
		_, err := term.Write([]byte(text))
		require.NoError(t, err)
		for term.outputEnd() < before+int64(len(text)) {
			select {
			case <-term.MoreOutput():
			case <-ctx.Done():
				t.Fatal("the program's output stopped")
			}
		}
	}

	say("one\n")
	assert.Contains(t, screen(), "one")
	damage(func() { term.picture.screen = &vt.Screen{} })
	say("two\x1b[31m\n")
	assert.Contains(t, screen(), "two")
	assert.NotContains(t, screen(), "one")
	assert.Equal(t, "painting the screen", (<-faults).Doing)

	damage(func() { term.picture.screen = &vt.Screen{} })
	assert.Empty(t, screen())
	assert.Equal(t, "reading the screen", (<-faults).Doing)

	damage(func() { term.answers.handle = nil })
	say("three \x1b[c\n")
	assert.Equal(t, "looking for queries", (<-faults).Doing)
	assert.Contains(t, screen(), "three")

	damage(func() { term.picture.screen = &vt.Screen{} })
	piece, err := sub.Next(ctx)
	require.NoError(t, err)
	assert.True(t, piece.Snapshot)
	assert.Equal(t, "reading the screen", (<-faults).Doing)

	require.NoError(t, term.Close(context.Background()))
	for err == nil {
		_, err = sub.Next(ctx)
	}
	assert.ErrorIs(t, err, io.EOF)
}

func (t *Terminal) outputEnd() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.out.end
}

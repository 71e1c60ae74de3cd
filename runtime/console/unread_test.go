//go:build linux

package console_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/console"
)

// Text for a command that does not read is not typed, because it would become the next command.
// Signals are.
func TestTextIsTypedOnlyIfRead(t *testing.T) {
	place(t)
	dir := t.TempDir()
	c := start(t, console.Spec{Name: "a", Dir: dir})
	exec(t, c, "mkfifo fifo")
	first := queued(t, t.Context(), c, console.ExecRequest{Code: "cat fifo"}, 0)
	awaitStatus(t, c, func(s console.Status) bool { return s.Command.ID == 2 })
	_, err := c.Send(t.Context(), console.SendRequest{Text: "x", OnlyIfWaiting: true})
	requireFault(t, console.FaultNotWaiting, err)
	_, err = c.Send(t.Context(), console.SendRequest{Text: "x", OnlyIfWaiting: true, Secret: true})
	requireFault(t, console.FaultNotWaiting, err)
	_, err = c.Send(t.Context(), console.SendRequest{Keys: []string{"C-c"}, OnlyIfWaiting: true})
	require.NoError(t, err)
	require.NoError(t, (<-first).err)
	out, _ := exec(t, c, "echo ok")
	assert.Equal(t, "ok\n", out)
}

// Of several lines the command gets those that it reads. The others are not run as commands of the program, which the answer says.
func TestLinesThatTheCommandDoesNotReadAreNotTyped(t *testing.T) {
	place(t)
	dir := t.TempDir()
	c := start(t, console.Spec{Name: "a", Dir: dir})
	const text = "one\ntwo\ntouch oops\r\ntouch oops\n"
	asks := func(code string) {
		t.Helper()
		a, err := c.Exec(t.Context(), console.ExecRequest{Code: code, Wait: time.Minute}, nil)
		require.NoError(t, err)
		require.Equal(t, "waiting", a.Reason)
	}
	const both = `read -p "1? " a; read -p "2? " b; echo "[$a $b]"`
	asks(both)
	s, err := c.Send(t.Context(), console.SendRequest{Text: text, OnlyIfWaiting: true})
	require.NoError(t, err)
	assert.Equal(t, 2, s.Untyped)
	assert.Equal(t, "2 of 4 lines were typed: the command did not read more", s.Notice)
	asks(both)
	a, err := c.SendAndWait(t.Context(), console.SendRequest{Text: text, OnlyIfWaiting: true, Wait: time.Minute})
	require.NoError(t, err)
	assert.Equal(t, "done", a.Reason)
	assert.Equal(t, 2, a.Status.Untyped)
	asks("read -p '1? ' a; sleep 2; read -p '2? ' b") // it takes longer than a moment
	a, err = c.SendAndWait(t.Context(), console.SendRequest{Text: "one\ntwo\n", OnlyIfWaiting: true, Wait: time.Minute})
	require.NoError(t, err)
	assert.Zero(t, a.Status.Untyped)
	out, _ := exec(t, c, `echo "[$a $b]"; ls`)
	assert.Equal(t, "[one two]\n", out)
}

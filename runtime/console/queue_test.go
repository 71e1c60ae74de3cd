//go:build unix

package console_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/console"
)

// outcome is the result of a call.
type outcome struct {
	console.WaitResult
	err error
}

// queued sends a call that waits for its turn and returns when n calls wait.
func queued(t *testing.T, ctx context.Context, c *console.Client, q console.ExecRequest, n int) chan outcome {
	t.Helper()
	q.Queue, q.Quiet = true, true
	ended := make(chan outcome, 1)
	go func() {
		a, err := c.Exec(ctx, q, nil)
		ended <- outcome{a, err}
	}()
	awaitStatus(t, c, func(s console.Status) bool { return s.Queued == n })
	return ended
}

// blocked returns a console with a command that runs, with a client waiting for it, until release
// is called.
func blocked(t *testing.T) (c *console.Client, first chan outcome, release func()) {
	place(t)
	dir := t.TempDir()
	c = start(t, console.Spec{Name: "a", Dir: dir})
	exec(t, c, "mkfifo fifo")
	first = queued(t, t.Context(), c, console.ExecRequest{Code: "cat fifo"}, 0)
	awaitStatus(t, c, func(s console.Status) bool { return s.Command.ID == 2 })
	return c, first, func() { require.NoError(t, os.WriteFile(filepath.Join(dir, "fifo"), nil, 0)) }
}

func TestCallsRunInOrderOfArrival(t *testing.T) {
	c, first, release := blocked(t)
	var all []chan outcome
	for i := range 10 {
		all = append(all, queued(t, t.Context(), c, console.ExecRequest{Code: fmt.Sprintf("echo %d >> order", i)}, i+1))
	}
	_, err := c.Exec(t.Context(), console.ExecRequest{Code: "echo no"}, nil)
	assert.Contains(t, requireFault(t, console.FaultBusy, err).Message, "a: calls waiting for their turn: 10")
	release()
	require.NoError(t, (<-first).err)
	for i, ended := range all {
		o := <-ended
		require.NoError(t, o.err)
		assert.Equal(t, []any{"done", i + 3}, []any{o.Reason, o.Command.ID})
	}
	out, _ := exec(t, c, "cat order")
	assert.Equal(t, "0123456789", strings.ReplaceAll(out, "\n", ""))
}

func TestACanceledCallLeavesTheQueue(t *testing.T) {
	c, first, release := blocked(t)
	ctx, cancel := context.WithCancel(t.Context())
	gone := queued(t, ctx, c, console.ExecRequest{Code: "echo gone > file"}, 1)
	last := queued(t, t.Context(), c, console.ExecRequest{Code: "ls"}, 2)
	cancel()
	require.ErrorIs(t, (<-gone).err, context.Canceled)
	awaitStatus(t, c, func(s console.Status) bool { return s.Queued == 1 })
	release()
	require.NoError(t, (<-first).err)
	require.NoError(t, (<-last).err)
	out, _ := exec(t, c, "ls")
	assert.Equal(t, "fifo\n", out)
}

// A call whose wait ends in the queue says so.
func TestAQueuedCallTimesOut(t *testing.T) {
	c, first, release := blocked(t)
	var next chan outcome
	for before := range 2 {
		q := console.ExecRequest{Code: "echo late > file", Queue: true, Wait: time.Millisecond}
		_, err := c.Exec(t.Context(), q, nil)
		f := requireFault(t, console.FaultQueued, err)
		assert.Contains(t, f.Message, "a: the wait ended while the call was still queued")
		assert.Equal(t, 2, f.Status.Command.ID)
		if before == 0 {
			next = queued(t, t.Context(), c, console.ExecRequest{Code: "true"}, 1)
		}
	}
	release()
	require.NoError(t, (<-first).err)
	require.NoError(t, (<-next).err)
	out, _ := exec(t, c, "ls")
	assert.Equal(t, "fifo\n", out)
}

// Queued calls do not wait for commands that may never end: one that waits for input, and one for
// which no client waits.
func TestAQueuedCallDoesNotWaitForEndlessCommands(t *testing.T) {
	place(t)
	c := start(t, console.Spec{Name: "a"})
	a, err := c.Exec(t.Context(), console.ExecRequest{Code: "read x"}, nil)
	require.NoError(t, err)
	require.Equal(t, "waiting", a.Reason)
	_, err = c.Exec(t.Context(), console.ExecRequest{Code: "echo no", Queue: true}, nil)
	requireFault(t, console.FaultBusy, err)
}

func TestTheQueueIsBounded(t *testing.T) {
	c, first, release := blocked(t)
	var all []chan outcome
	for i := range 64 {
		all = append(all, queued(t, t.Context(), c, console.ExecRequest{Code: "true"}, i+1))
	}
	_, err := c.Exec(t.Context(), console.ExecRequest{Code: "echo no", Queue: true}, nil)
	assert.Contains(t, requireFault(t, console.FaultBusy, err).Message, "the maximum")
	release()
	require.NoError(t, (<-first).err)
	for _, ended := range all {
		require.NoError(t, (<-ended).err)
	}
}

// Queued calls wait for a command while a client that typed to it waits for it.
func TestAQueuedCallWaitsForAnAnsweredCommand(t *testing.T) {
	place(t)
	dir := t.TempDir()
	c := start(t, console.Spec{Name: "a", Dir: dir})
	exec(t, c, "mkfifo fifo")
	a, err := c.Exec(t.Context(), console.ExecRequest{Code: "read x; cat fifo; echo $x > file"}, nil)
	require.NoError(t, err)
	require.Equal(t, "waiting", a.Reason)
	sent := make(chan outcome, 1)
	go func() {
		a, err := c.SendAndWait(t.Context(), console.SendRequest{Text: "in\r", OnlyIfWaiting: true, Wait: testkit.Patience(time.Minute)})
		sent <- outcome{a, err}
	}()
	awaitStatus(t, c, func(s console.Status) bool { return s.State == console.Running })
	next := queued(t, t.Context(), c, console.ExecRequest{Code: "cat file"}, 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fifo"), nil, 0))
	for i, ended := range []chan outcome{sent, next} {
		o := <-ended
		require.NoError(t, o.err)
		assert.Equal(t, []any{"done", i + 2}, []any{o.Reason, o.Command.ID})
	}
}

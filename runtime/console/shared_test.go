//go:build unix

package console_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/console"
)

// Ten clients use one console, each with its own commands and every other request: each gets its
// own output, the command numbers have no gap, and (with -race) the host has no data race.
func TestTenClients(t *testing.T) {
	const clients = 10
	commands := testkit.Times(t, 6, 12)
	races := filepath.Join(t.TempDir(), "race")
	t.Setenv("GORACE", "atexit_sleep_ms=20 log_path="+races+" "+os.Getenv("GORACE"))
	place(t)
	first := start(t, console.Spec{Name: "shared"})
	var all sync.WaitGroup
	errs := make([]error, clients)
	for i := range clients {
		all.Go(func() {
			c, err := console.Open(os.Getenv, "shared")
			if err == nil {
				defer c.Close()
				err = share(t.Context(), c, fmt.Sprintf("client-%d", i), commands)
			}
			errs[i] = err
		})
	}
	all.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	s, err := first.Status(t.Context())
	require.NoError(t, err)
	assert.Equal(t, clients*commands, s.Command.ID)
	require.NoError(t, first.End(t.Context(), false))
	reports, err := filepath.Glob(races + ".*")
	require.NoError(t, err)
	for _, report := range reports {
		text, err := os.ReadFile(report)
		require.NoError(t, err)
		assert.Fail(t, "the host has a race", "%s", text)
	}
}

// share runs commands concurrently with other clients and makes other requests in between.
func share(ctx context.Context, c *console.Client, who string, commands int) error {
	for n := 0; n < commands; {
		want := fmt.Sprintf("%s %d\n", who, n)
		var out bytes.Buffer
		a, err := c.Exec(ctx, console.ExecRequest{Code: fmt.Sprintf("echo %s %d", who, n), By: who}, &out)
		if f, ok := errors.AsType[*console.Fault](err); ok && f.Code == console.FaultBusy {
			if _, err := c.Wait(ctx, console.WaitRequest{Command: f.Status.Command.ID, From: -1}, nil); err != nil {
				return err
			}
			continue
		}
		switch {
		case err != nil:
			return err
		case out.String() != want || a.Reason != "done" || a.Command.By != who:
			return fmt.Errorf("%s was answered with %q: %+v", who, &out, a)
		}
		lines, err := c.Lines(*a.Command, console.ReadRequest{})
		if err != nil || len(lines.Lines) != 1 || lines.Lines[0].Text+"\n" != want {
			return fmt.Errorf("%s reads %+v: %w", who, lines, err)
		}
		if err := look(ctx, c, n); err != nil {
			return err
		}
		n++
	}
	return nil
}

// look makes a request that does not change any command.
func look(ctx context.Context, c *console.Client, n int) error {
	_, _, err := c.Screen(ctx)
	_, err2 := c.Resize(ctx, 80+n, 24+n)
	_, err3 := console.List(ctx, os.Getenv)
	_, err4 := c.Wait(ctx, console.WaitRequest{For: "text", Text: "never", Wait: time.Millisecond}, nil)
	_, err5 := c.Wait(ctx, console.WaitRequest{For: "input", Wait: time.Millisecond}, nil)
	return errors.Join(err, err2, err3, err4, err5)
}

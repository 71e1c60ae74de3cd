package dialogues

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/ripple/internal/testkit"
	"example.com/ripple/runtime/session"
	"example.com/ripple/schema"
)

// Regardless of how the output is split, a session returns the same results.
func TestDialogues(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("completed_by depends on the kernel's reports")
	}
	for _, a := range unverified(t) {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			a.Lifecycle.Shutdown.GraceMS = int(time.Minute.Milliseconds()) // the way of the end matters here, not its duration
			path, err := filepath.Abs(filepath.Join("testdata", a.Name+".yaml"))
			require.NoError(t, err)
			doc, err := load(path)
			require.NoError(t, err)
			cuts := []int{whole, single}
			for i := 1; i < doc.longest(); i += stride() {
				cuts = append(cuts, i)
			}
			testkit.LogSample(t, len(cuts), 1+doc.longest())
			for _, cut := range cuts {
				if !t.Run(cutName(cut), func(t *testing.T) { doc.play(t, a, path, cut) }) {
					return // the other cuts would fail alike, each after its deadline
				}
			}
		})
	}
}

// stride is the distance of the cuts in two: all with RIPPLE_THOROUGH, which takes minutes. The cut byte by byte covers
// all positions together.
func stride() int {
	if testkit.Thorough {
		return 1
	}
	return 31
}

func cutName(cut int) string {
	switch cut {
	case whole:
		return "whole"
	case single:
		return "byte by byte"
	}
	return fmt.Sprintf("cut after %d", cut)
}

// longest returns the length of the longest stream, with the values of its names.
func (d dialogue) longest() int {
	values := map[string]string{"nonce": strings.Repeat("0", 32)}
	for name, text := range d.Define {
		values[name] = schema.Expand(text, values)
	}
	n := len(schema.Expand(d.Opening, values))
	for _, s := range d.Steps {
		for _, e := range s.exchanges() {
			n = max(n, len(schema.Expand(e.Stream, values)))
		}
	}
	return n
}

func (d dialogue) play(t *testing.T, a *schema.Adapter, path string, cut int) {
	self, err := os.Executable()
	require.NoError(t, err)
	acks := newAcks(t)
	exit := ""
	ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience(time.Minute))
	defer cancel()
	s, err := session.Open(ctx, a, session.Options{
		Executable: self, Dir: t.TempDir(),
		Env: []string{dialogueFile + "=" + path, dialogueAcks + "=" + acks.path, fmt.Sprintf("%s=%d", dialogueCut, cut)},
		Observer: session.ObserverFunc(func(e session.Event) {
			switch e.Kind {
			case session.EventRead:
				acks.read(len(e.Data))
			case session.EventExit:
				exit = e.Text
			}
		}),
	})
	if start, failed := errors.AsType[*session.StartError](err); failed {
		require.NoError(t, err, start.Output)
	}
	require.NoError(t, err)
	for _, step := range d.Steps {
		r, err := step.eval(ctx, s)
		step.judge(t, r, err)
	}
	require.NoError(t, s.Close(ctx))
	assert.Equal(t, "the program ended with exit code 0", exit, "at lifecycle.shutdown.command")
}

// eval runs the step's command, and interrupts it if the step says so.
func (s step) eval(ctx context.Context, on *session.Session) (session.Result, error) {
	if s.Interrupt == "" {
		return on.Eval(ctx, s.Eval)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = on.Eval(ctx, s.Eval) // Interrupt returns the same
	}()
	defer func() { <-done }()
	if _, err := on.WaitState(ctx, func(st session.State) bool { return strings.Contains(st.Partial, s.Interrupt) }); err != nil {
		return session.Result{}, err
	}
	return on.Interrupt(ctx)
}

func (s step) judge(t *testing.T, r session.Result, err error) {
	t.Helper()
	incomplete := errors.Is(err, session.ErrIncompleteInput)
	if !incomplete {
		require.NoError(t, err, "%s: %q", s.Name, r.Output)
	}
	got := want{
		Output: r.Output, CompletedBy: string(r.CompletedBy), Mode: r.Mode, Level: r.Level, Code: r.ExitCode,
		Error: r.ErrorSeen, Incomplete: incomplete,
	}
	if r.CwdReported {
		got.Cwd = r.Cwd
	}
	require.Equal(t, s.Want, got, s.Name)
}

// acks informs the stand-in of the bytes read from its terminal.
type acks struct {
	path  string
	bytes chan int
}

func newAcks(t *testing.T) *acks {
	dir, err := os.MkdirTemp("", "acks") // the name of a socket must be short
	require.NoError(t, err)
	a := &acks{path: filepath.Join(dir, "s"), bytes: make(chan int, 1<<16)}
	l, err := net.Listen("unix", a.path)
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		c, err := l.Accept()
		if err != nil {
			return // the session did not start
		}
		defer c.Close()
		for n := range a.bytes {
			_, _ = c.Write(make([]byte, n)) // the stand-in may have ended
		}
	}()
	t.Cleanup(func() {
		close(a.bytes)
		assert.NoError(t, l.Close())
		<-done
		assert.NoError(t, os.RemoveAll(dir))
	})
	return a
}

func (a *acks) read(n int) { a.bytes <- n }

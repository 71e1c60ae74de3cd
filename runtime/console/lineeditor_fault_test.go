//go:build linux

package console_test

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/console"
)

// After a panic of the line editor the unfinished line is lost, and each further key goes to the program.
func TestAPanicOfTheLineEditor(t *testing.T) {
	place(t)
	c := start(t, console.Spec{Name: "a"})
	on, err := c.Attach(t.Context(), console.AttachRequest{Cols: 80, Rows: 24, EditsLines: true})
	require.NoError(t, err)
	defer on.Close()
	var mu sync.Mutex
	var shown strings.Builder
	e := console.NewLineEditor(on, console.LineEditorOptions{Cols: 80, Rows: 24, FaultDir: t.TempDir(), Write: func(b []byte) {
		mu.Lock()
		defer mu.Unlock()
		shown.Write(b)
	}})
	go func() {
		for {
			switch h, err := on.Next(); {
			case err != nil:
				return
			case h.Prompt != nil:
				e.SetPrompt(h.Prompt)
			case h.Output != nil:
				e.Show(h.Output)
			}
		}
	}()
	shows := func(text string) {
		t.Helper()
		require.Eventually(t, func() bool {
			mu.Lock()
			defer mu.Unlock()
			return strings.Contains(shown.String(), text)
		}, testkit.Patience(20*time.Second), time.Millisecond, "%q", text)
	}
	ran := func(id int, code string) {
		t.Helper()
		awaitStatus(t, c, func(s console.Status) bool { return s.Command != nil && s.Command.ID == id && s.State == console.Idle })
		all, err := c.History()
		require.NoError(t, err)
		assert.Equal(t, code, all[id-1].Code)
	}
	require.NoError(t, e.Type([]byte("echo one\r")))
	ran(1, "echo one")
	require.NoError(t, e.Type([]byte("half")))
	shows("half")
	e.Break()
	require.NoError(t, e.Type([]byte("x")))
	notice, name, named := strings.Cut(e.Fault(), "; please report it with ")
	assert.Equal(t, "internal error (panic) while editing a line: lines are no longer edited in this terminal, and the program gets each key", notice)
	require.True(t, named)
	report, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Contains(t, string(report), "lineedit")
	require.NoError(t, e.Resize(90, 24))
	require.NoError(t, e.Type([]byte("echo tw")))
	require.NoError(t, e.Type([]byte("o\r")))
	ran(2, "echo two")
	shows("two\r\n")
}

// The report of a panic holds nothing of a secret that a user typed.
func TestAPanicOfTheLineEditorAtASecret(t *testing.T) {
	place(t)
	c := start(t, console.Spec{Name: "a"})
	on, err := c.Attach(t.Context(), console.AttachRequest{Cols: 80, Rows: 24, EditsLines: true})
	require.NoError(t, err)
	defer on.Close()
	e := console.NewLineEditor(on, console.LineEditorOptions{Cols: 80, Rows: 24, FaultDir: t.TempDir(), Write: func([]byte) {}})
	a, err := c.Exec(t.Context(), console.ExecRequest{Code: "read -r -s x", Wait: testkit.Patience(time.Minute)}, nil)
	require.NoError(t, err)
	require.Equal(t, console.WaitingSecret, a.Status.State)
	e.BreakScreen()
	require.NoError(t, e.Type([]byte("\x1b[200~hunter2\x1b[201~")))
	_, name, named := strings.Cut(e.Fault(), "; please report it with ")
	require.True(t, named)
	report, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Contains(t, string(report), "(*LineEditor).typed")
	assert.NotContains(t, string(report), "hunter2")
	assert.NotRegexp(t, `[({ ]0x`, string(report), "arguments may be keys")
}

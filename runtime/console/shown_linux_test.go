package console_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/console"
)

// display is the terminal of a user.
type display struct {
	mu     sync.Mutex
	screen *vt.Screen
}

func (d *display) write(b []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.screen.Write(b)
}

func (d *display) text() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.TrimRight(string(d.screen.AppendText(nil)), " \n")
}

func (d *display) shows(t *testing.T, text string) {
	t.Helper()
	if !assert.Eventually(t, func() bool { return d.text() == text }, testkit.Patience(10*time.Second), time.Millisecond) {
		require.Equal(t, text, d.text())
	}
}

// attached attaches a user, and an editor of lines if the user edits them.
func attached(t *testing.T, c *console.Client, q console.AttachRequest) (*display, *console.LineEditor) {
	t.Helper()
	q.Cols, q.Rows = 60, 20
	on, err := c.Attach(t.Context(), q)
	require.NoError(t, err)
	t.Cleanup(on.Close)
	d := &display{screen: vt.New(vt.Options{Cols: q.Cols, Rows: q.Rows})}
	var e *console.LineEditor
	show := d.write
	if q.EditsLines {
		e = console.NewLineEditor(on, console.LineEditorOptions{Cols: q.Cols, Rows: q.Rows, FaultDir: t.TempDir(), Write: d.write})
		show = e.Show
	}
	go func() {
		for {
			switch h, err := on.Next(); {
			case err != nil:
				return
			case h.Prompt != nil:
				e.SetPrompt(h.Prompt)
			case h.Output != nil:
				show(h.Output)
			}
		}
	}()
	return d, e
}

// All users see the code that a client runs and its output; the record has the output alone. A half line of
// a user stays where it is while the client is refused.
func TestUsersSeeWhatClientsRun(t *testing.T) {
	place(t)
	c := start(t, console.Spec{Name: "seen", Adapter: "python"})
	reader, _ := attached(t, c, console.AttachRequest{ReadOnly: true})
	raw, _ := attached(t, c, console.AttachRequest{})
	typist, editor := attached(t, c, console.AttachRequest{EditsLines: true})
	out, a := exec(t, c, "'漢字' * 2")
	assert.Equal(t, "'漢字漢字'\n", out)
	seen := ">>> '漢字' * 2\n'漢字漢字'\n>>>"
	for _, d := range []*display{reader, raw, typist} {
		d.shows(t, seen)
	}
	lines, err := c.Lines(*a.Command, console.ReadRequest{})
	require.NoError(t, err)
	require.Len(t, lines.Lines, 1)
	assert.Equal(t, "'漢字漢字'", lines.Lines[0].Text)

	require.NoError(t, editor.Type([]byte("half")))
	typist.shows(t, seen+" half")
	_, err = c.Exec(t.Context(), console.ExecRequest{Code: "1 + 1"}, nil)
	requireFault(t, console.FaultTyping, err)
	typist.shows(t, seen+" half")
	require.NoError(t, editor.Type([]byte("\x15")))
	awaitStatus(t, c, func(s console.Status) bool { return s.State == console.Idle })

	out, _ = exec(t, c, "if 1:\n  2")
	assert.Equal(t, "2\n", out)
	seen += " if 1:\n    2\n2\n>>>"
	for _, d := range []*display{reader, raw, typist} {
		d.shows(t, seen)
	}
	text, _, err := c.Screen(t.Context())
	require.NoError(t, err)
	assert.Equal(t, seen, strings.TrimRight(text, " \n"))
	late, _ := attached(t, c, console.AttachRequest{ReadOnly: true})
	late.shows(t, seen)
}

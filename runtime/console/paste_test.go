//go:build linux

package console_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/console"
)

// editLines attaches a user who edits lines, and returns the editor when a line can be edited.
func editLines(t *testing.T, c *console.Client) *console.LineEditor {
	t.Helper()
	on, err := c.Attach(t.Context(), console.AttachRequest{Cols: 80, Rows: 24, EditsLines: true})
	require.NoError(t, err)
	t.Cleanup(on.Close)
	editable := make(chan struct{}, 1)
	e := console.NewLineEditor(on, console.LineEditorOptions{Cols: 80, Rows: 24, FaultDir: t.TempDir(), Write: func([]byte) {}})
	go func() {
		for {
			switch h, err := on.Next(); {
			case err != nil:
				return
			case h.Prompt != nil:
				e.SetPrompt(h.Prompt)
				if h.Prompt.Editable {
					select {
					case editable <- struct{}{}:
					default:
					}
				}
			case h.Output != nil:
				e.Show(h.Output)
			}
		}
	}()
	select {
	case <-editable:
	case <-time.After(testkit.Patience(20 * time.Second)):
		require.Fail(t, "no line can be edited")
	}
	return e
}

// codes waits until a console has run n commands and returns their code.
func codes(t *testing.T, c *console.Client, n int) (all []string) {
	t.Helper()
	awaitStatus(t, c, func(s console.Status) bool { return s.Command != nil && s.Command.ID == n && s.State == console.Idle })
	history, err := c.History()
	require.NoError(t, err)
	for i := range history {
		all = append(all, history[i].Code)
	}
	return all
}

const pasteBegins, pasteEnds = "\x1b[200~", "\x1b[201~"

// Text that is pasted before a key was typed is text, however its parts arrive.
func TestPastedTextBeginsALine(t *testing.T) {
	for _, tt := range []struct {
		adapter string
		parts   []string
		codes   []string
	}{
		{"bash", []string{pasteBegins + "cat <<-E\n\tone\ttwo\n\tE\n" + pasteEnds}, []string{"cat <<-E\n\tone\ttwo\n\tE"}},
		{"bash", []string{pasteBegins, "\x04echo \x15a\x12\x03b", "c" + pasteEnds, "\r"}, []string{"echo abc"}},
		{"bash", []string{pasteBegins + "echo" + strings.Repeat("\t", 3000), "a\n", "echo\t", "b", pasteEnds, "\r"}, []string{"echo" + strings.Repeat("\t", 3000) + "a", "echo\tb"}},
		{"bash", []string{pasteBegins + pasteEnds, "echo a\r"}, []string{"echo a"}},
		{"bash", []string{"echo x", "; echo y\r"}, []string{"echo x; echo y"}},
		{"python", []string{pasteBegins + "def f(x):\n\treturn x\n\nprint(f(7))\n" + pasteEnds}, []string{"def f(x):\n\treturn x", "print(f(7))"}},
	} {
		t.Run(tt.adapter, func(t *testing.T) {
			place(t)
			c := start(t, console.Spec{Name: "a", Adapter: tt.adapter})
			e := editLines(t, c)
			for _, part := range tt.parts {
				require.NoError(t, e.Type([]byte(part)))
			}
			assert.Equal(t, tt.codes, codes(t, c, len(tt.codes)))
		})
	}
}

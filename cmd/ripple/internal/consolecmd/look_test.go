package consolecmd

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/runtime/console"
)

// The name of a directory cannot imitate another console in the list.
func TestAConsoleHasOneRow(t *testing.T) {
	row := listRow(console.Status{Name: "a", State: console.Idle, Cwd: "/d\nb              bash       idle"})
	assert.Contains(t, row, `"/d\nb `)
	assert.Zero(t, strings.Count(row, "\n"))
}

// The name of an adapter in a record, which a project may bring, is shown as one line without control characters.
func TestTheAdapterOfARecordIsOneLine(t *testing.T) {
	s := console.Status{Name: "a", State: "idle\nc"}
	s.Adapter = "x\x1b]0;T\a\u009b31m\nb              bash"
	row := listRow(s)
	assert.Zero(t, strings.Count(row, "\n"))
	assert.Equal(t, row, ui.Harmless(row))
	for _, text := range consoleNames([]console.Status{s}) {
		name, about, _ := strings.Cut(text, "\t")
		assert.Equal(t, "a", name)
		assert.NotContains(t, about, "\n")
		assert.Equal(t, about, ui.Harmless(about))
	}
}

// reader has lines, and reads like a console.
type reader struct{ found console.Lines }

func (r reader) Read(console.ReadRequest) (console.Lines, error) { return r.found, nil }

func (r reader) EachLine(_ console.ReadRequest, f func(console.Line) error) (console.Lines, error) {
	for _, l := range r.found.Lines {
		if err := f(l); err != nil {
			return r.found, err
		}
	}
	return r.found, nil
}

// Lines that are missing make a read fail, after those that are there.
func TestMissingLinesAreReported(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		for missing, want := range map[string]int{"": ui.ExitOK, "5 bytes of its output were lost: no space left on device": ui.ExitFailed} {
			var out, errs bytes.Buffer
			a := ui.NewApp(strings.NewReader(""), &out, &errs, func(error) {})
			err := printLines(a, reader{console.Lines{Lines: []console.Line{{Number: 1, Text: "first"}}, Missing: missing}}, console.ReadRequest{}, asJSON)
			assert.Equal(t, want, a.End(&cobra.Command{}, err))
			assert.Contains(t, out.String(), "first")
			assert.Equal(t, missing, strings.TrimSuffix(strings.TrimPrefix(errs.String(), "ripple: "), "\n"))
		}
	}
}

// A read that begins after the end of the output says so: no output would look like an empty one.
func TestAReadAfterTheEndSaysSo(t *testing.T) {
	for from, want := range map[int64]string{1: "", 3: "", 4: "ripple: no line is printed: the output of command 7 has 3 lines\n"} {
		var out, errs bytes.Buffer
		a := ui.NewApp(strings.NewReader(""), &out, &errs, func(error) {})
		found := console.Lines{Command: console.Command{ID: 7}, Total: 3}
		assert.NoError(t, printLines(a, reader{found}, console.ReadRequest{From: from, Grep: "x"}, false))
		assert.Equal(t, want, errs.String(), from)
		assert.Empty(t, out.String())
	}
}

// The history says which commands were not sent, and whose output is incomplete.
func TestTheHistoryNamesProblems(t *testing.T) {
	assert.Empty(t, problems(console.Command{}))
	assert.Equal(t, []string{"input not sent: …", "5 bytes of its output were lost"},
		problems(console.Command{Failure: "input not sent: …", Lost: 5, LostReason: "no space left on device"}))
}

// Of a long log, the last whole lines are shown.
func TestEndOfALog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(path, []byte("one\ntwo\nthree\n"), 0o600))
	for limit, want := range map[int64]string{100: "one\ntwo\nthree\n", 14: "one\ntwo\nthree\n", 13: "two\nthree\n", 9: "three\n", 3: ""} {
		log, omitted, err := endOfLog(projectfile.In(filepath.Dir(path), "."), "log", limit)
		require.NoError(t, err)
		assert.Equal(t, want, string(log), limit)
		assert.Equal(t, int64(14-len(want)), omitted, limit)
	}
}

package consolecmd

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/console"
)

// Output that could not be stored makes a successful command fail, too.
func TestOutputThatWasNotStoredIsReported(t *testing.T) {
	for exit, want := range map[int]int{0: ui.ExitFailed, 3: 3} {
		var out, errs bytes.Buffer
		a := ui.NewApp(strings.NewReader(""), &out, &errs, func(error) {})
		_, err := runOne(a, false, func(io.Writer) (console.WaitResult, error) {
			return console.WaitResult{Reason: "done", Command: &console.Command{ExitCode: &exit, Lost: 5, LostReason: "no space left on device"}}, nil
		})
		assert.Equal(t, want, a.End(&cobra.Command{}, err))
		assert.Equal(t, "ripple: 5 bytes of its output were lost: no space left on device\n", errs.String())
	}
}

// A command that ends the console's program is not taken for one that only failed.
func TestTheEndOfTheProgramIsReported(t *testing.T) {
	for exit, want := range map[int]string{
		0: "",
		1: "ripple: p: the program ended with exit code 1\n  no more code can run there; to remove the console: ripple console close p\n",
	} {
		var out, errs bytes.Buffer
		a := ui.NewApp(strings.NewReader(""), &out, &errs, func(error) {})
		_, err := runOne(a, false, func(io.Writer) (console.WaitResult, error) {
			return console.WaitResult{Reason: "exited", Status: console.Status{Name: "p", ExitCode: &exit, Exit: "the program ended with exit code 1"}}, nil
		})
		assert.Equal(t, exit, a.End(&cobra.Command{}, err))
		assert.Equal(t, want, errs.String())
	}
}

// After an incomplete line of --lines the next one runs, and none after one that was not sent.
func TestLinesAfterAFailure(t *testing.T) {
	for _, incomplete := range []bool{false, true} {
		a := ui.NewApp(strings.NewReader(""), io.Discard, io.Discard, func(error) {})
		goesOn, err := runOne(a, false, func(io.Writer) (console.WaitResult, error) {
			return console.WaitResult{Reason: "done", Command: &console.Command{Failure: "reason", Incomplete: incomplete}}, nil
		})
		assert.Equal(t, incomplete, goesOn)
		assert.Equal(t, ui.ExitFailed, a.End(&cobra.Command{}, err))
	}
}

// Lost output is reported once, and makes a successful command fail.
func TestLostOutputIsReportedOnce(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		for exit, want := range map[int]int{0: ui.ExitFailed, 3: 3} {
			var out, errs bytes.Buffer
			a := ui.NewApp(strings.NewReader(""), &out, &errs, func(error) {})
			_, err := runOne(a, asJSON, func(out io.Writer) (console.WaitResult, error) {
				if noter, ok := out.(console.GapNoter); ok {
					noter.NoteGap(console.Gap{At: 7, Bytes: 12})
				}
				return console.WaitResult{Reason: "done", Command: &console.Command{ExitCode: &exit}, Dropped: 12, DroppedAt: 7}, nil
			})
			assert.Equal(t, want, a.End(&cobra.Command{}, err))
			said := strings.Count(errs.String(), "12 bytes of the command's output, from byte 7 on, were dropped before they were read")
			if asJSON {
				said += strings.Count(out.String(), `"dropped":12,"dropped_at":7`)
			}
			if asJSON && exit == 0 {
				said-- // the record and the reason of the exit code
			}
			assert.Equal(t, 1, said, "%v %d: %s%s", asJSON, exit, errs.String(), out.String())
		}
	}
}

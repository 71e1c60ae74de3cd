package loopcmd

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/htmlpage"
	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// page writes the events of a loop as one HTML page. The plan is the one next to the events.
func (a *player) page(cmd *cobra.Command, path, file string) error {
	if file == "" {
		return ui.UsageError("ripple replay --html loop.html", "--html is empty")
	}
	f, err := openEvents(path)
	if err != nil {
		return err
	}
	defer f.Close() // opened for reading only
	var run htmlpage.Run
	skipped := skippedLines{app: a.App, path: path}
	err = journal.Read(f, func(number int, r journal.Record, err error) error {
		if err != nil {
			skipped.add(number, err)
			return cmd.Context().Err()
		}
		run.Take(r)
		return cmd.Context().Err()
	})
	skipped.sum()
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	files := projectfile.In(filepath.Dir(path), ".")
	plan, err := files.Read(layout.NameIn(files, layout.PlanFile), projectfile.MaxText)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		a.Note("the plan is not on the page: %v", err)
	}
	run.Plan = record.ParseTasks(string(plan))
	var b bytes.Buffer
	if err := run.Write(&b); err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	if file == "-" {
		a.Printf("%s", b.Bytes())
		return nil
	}
	if err := ui.WritePrivate(file, b.Bytes()); err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	a.Printf("%s\n", file)
	return nil
}

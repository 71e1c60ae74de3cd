package loopcmd

import (
	"bytes"
	"path/filepath"

	"github.com/spf13/cobra"

	"ripple/cmd/ripple/internal/looppage"
	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/loop/journal"
	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
)

// page writes what happened in a loop as one page. The plan is the one that lies beside
// the events.
func (a *player) page(cmd *cobra.Command, path, file string) error {
	if file == "" {
		return ui.UsageError("ripple replay --html loop.html", "--html is empty")
	}
	f, err := openEvents(path)
	if err != nil {
		return err
	}
	defer f.Close() // only read from
	var run looppage.Run
	err = journal.Read(f, func(number int, r journal.Record, err error) error {
		if err != nil {
			a.leftOut(path, number, err)
			return nil
		}
		run.Take(r)
		return cmd.Context().Err()
	})
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	if run.Plan, err = record.ReadTasks(filepath.Join(filepath.Dir(path), layout.PlanFile)); err != nil {
		a.Note("the plan is not on the page: %v", err)
	}
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

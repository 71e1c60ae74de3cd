package loopcmd

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
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
	if err := replaceFile(file, b.Bytes()); err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	a.Printf("%s\n", file)
	return nil
}

// replaceFile writes a file whole or leaves the one that was there. Only its owner may
// read it: it has whatever an agent has printed.
func replaceFile(path string, text []byte) error {
	if at, err := os.Lstat(path); err == nil && !at.Mode().IsRegular() {
		return &fs.PathError{Op: "write", Path: path, Err: errors.New("it is no file")}
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".ripple-page-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
